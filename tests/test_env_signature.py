"""The behaviour signature: each version of an environment behaves the same to the last byte."""

import json

import pytest

from shengji_env import GYMNASIUM_ID, PETTINGZOO_ID
from shengji_env.engine.rule_sets import DEFAULT_RULES, RULE_SETS
from tests.make_signature import NUM_GAMES, NUM_SINGLE_GAMES, SIGNATURE, signature, single_signature

SIGNATURES = json.loads(SIGNATURE.read_text(encoding="utf-8"))
MESSAGE = (
    "{rules} no longer behaves as {id} does: deals, observations, masks, rewards or results differ. "
    "It may change only with the version of the environment id; then run python -m tests.make_signature"
)


def test_the_signatures_are_those_of_this_version():
    assert set(SIGNATURES) == {PETTINGZOO_ID, GYMNASIUM_ID}, "an id is new: run python -m tests.make_signature"
    assert set(SIGNATURES[PETTINGZOO_ID]) == set(RULE_SETS)
    assert set(SIGNATURES[GYMNASIUM_ID]) == {DEFAULT_RULES}
    assert NUM_GAMES[DEFAULT_RULES] == NUM_SINGLE_GAMES == 1000


@pytest.mark.parametrize("rules", RULE_SETS)
def test_behaviour_changes_only_with_the_version(rules):
    expected = SIGNATURES[PETTINGZOO_ID][rules]
    assert signature(rules, NUM_GAMES[rules]) == expected, MESSAGE.format(rules=rules, id=PETTINGZOO_ID)


def test_behaviour_of_single_seats_changes_only_with_the_version():
    expected = SIGNATURES[GYMNASIUM_ID][DEFAULT_RULES]
    assert single_signature(NUM_SINGLE_GAMES) == expected, MESSAGE.format(rules=DEFAULT_RULES, id=GYMNASIUM_ID)
