"""The behaviour signature: each version of an environment behaves the same to the last byte."""

import json

import numpy as np
import pytest

from shengji_env import GYMNASIUM_ID, PETTINGZOO_ID, PLAYS_ID
from shengji_env.engine.rule_record import RULE_FEATURES
from shengji_env.engine.rule_sets import DEFAULT_RULES, RULE_SETS
from shengji_env.tables.observation import OBSERVATION_DTYPE
from tests.helpers.make_signature import (
    NUM_GAMES,
    NUM_PLAYS_GAMES,
    NUM_SINGLE_GAMES,
    SIGNATURE,
    Projection,
    signature,
    single_signature,
)

LAYOUT_1 = SIGNATURE.parent / "layout_1"
"""What the observation layout 1 was, and the signatures under it."""
NUM_ACTIONS_1 = 82
"""The mask had no place for a rebellion then."""
SIGNATURES_1 = json.loads((LAYOUT_1 / "signature.json").read_text(encoding="utf-8"))
SIGNATURES = json.loads(SIGNATURE.read_text(encoding="utf-8"))
MESSAGE = (
    "{rules} no longer behaves as {id} does: deals, observations, masks, rewards or results differ. "
    "It may change only with the version of the environment id; then run python -m tests.helpers.make_signature"
)


def test_the_signatures_are_those_of_this_version():
    assert set(SIGNATURES) == {PETTINGZOO_ID, GYMNASIUM_ID, PLAYS_ID}, (
        "an id is new: run python -m tests.helpers.make_signature"
    )
    assert set(SIGNATURES[PETTINGZOO_ID]) == set(RULE_SETS)
    assert set(SIGNATURES[GYMNASIUM_ID]) == set(SIGNATURES[PLAYS_ID]) == {DEFAULT_RULES}
    assert NUM_GAMES[DEFAULT_RULES] == NUM_SINGLE_GAMES == 1000


def columns_of_layout_1():
    """Where the first layout's values are now, by the names of its segments."""
    places = OBSERVATION_DTYPE.fields
    columns = []
    for name, size in json.loads((LAYOUT_1 / "segments.json").read_text(encoding="utf-8")).items():
        if name.startswith("rule_"):
            figures = [
                place for place, figure in enumerate(RULE_FEATURES) if figure.option == name.removeprefix("rule_")
            ]
            columns += [places["rules"][1] + place for place in figures[:size]]
        else:
            columns += range(places[name][1], places[name][1] + size)
    return np.array(columns)


@pytest.mark.parametrize("rules", sorted(SIGNATURES_1[PETTINGZOO_ID]))
def test_projected_onto_the_first_layout_behaviour_is_what_it_was(rules):
    expected = SIGNATURES_1[PETTINGZOO_ID][rules]
    assert signature(rules, NUM_GAMES[rules], Projection(columns_of_layout_1(), NUM_ACTIONS_1)) == expected


@pytest.mark.parametrize("rules", RULE_SETS)
def test_behaviour_changes_only_with_the_version(rules):
    expected = SIGNATURES[PETTINGZOO_ID][rules]
    assert signature(rules, NUM_GAMES[rules]) == expected, MESSAGE.format(rules=rules, id=PETTINGZOO_ID)


def test_behaviour_of_single_seats_changes_only_with_the_version():
    expected = SIGNATURES[GYMNASIUM_ID][DEFAULT_RULES]
    assert single_signature(NUM_SINGLE_GAMES) == expected, MESSAGE.format(rules=DEFAULT_RULES, id=GYMNASIUM_ID)


def test_behaviour_of_whole_plays_changes_only_with_the_version():
    expected = SIGNATURES[PLAYS_ID][DEFAULT_RULES]
    assert single_signature(NUM_PLAYS_GAMES, PLAYS_ID) == expected, MESSAGE.format(rules=DEFAULT_RULES, id=PLAYS_ID)
