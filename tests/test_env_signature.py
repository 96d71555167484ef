"""The behaviour signature: what a version of the environment does to the last byte."""

import json

import pytest

from shengji_env import PETTINGZOO_ID
from shengji_env.engine.rules import RULE_SETS
from tests.make_signature import NUM_GAMES, SIGNATURE, signature

FILE = json.loads(SIGNATURE.read_text(encoding="utf-8"))


def test_the_signatures_are_those_of_this_version():
    assert FILE["id"] == PETTINGZOO_ID, "the environment id is new: run python -m tests.make_signature"
    assert set(FILE["signatures"]) == set(RULE_SETS)


@pytest.mark.parametrize("rules", RULE_SETS)
def test_behaviour_changes_only_with_the_version(rules):
    message = (
        f"{rules} no longer behaves as {FILE['id']} does: deals, observations, masks, rewards or results differ. "
        "It may change only with the version of the environment id; then run python -m tests.make_signature"
    )
    assert signature(rules, NUM_GAMES[rules]) == FILE["signatures"][rules], message
