"""Perft: there are as many legal leads, follows and buries as the oracle counted (`make_perft.py`).

Source: docs/rules.md §5, §8, §9.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shengji_env.engine.cards import parse_cards
from shengji_env.engine.referee import Trump, legal_follows, legal_leads
from shengji_env.engine.referee.play_position import lead_position
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, rule_set
from shengji_env.engine.state import Phase
from tests.helpers.paths import DATA

PERFT = DATA / "perft.jsonl"
POSITIONS: list[dict[str, Any]] = [json.loads(line) for line in PERFT.read_text().splitlines()]


def count_of(position: dict[str, Any]) -> int:
    """Distinct plays that the masks reach; none may be reached twice."""
    trump, hand, rules = Trump.parse(position["trump"]), position["hand"], rules_of(position)
    match position["op"]:
        case "leads":
            plays = legal_leads(hand, trump, rules)
        case "follows":
            plays = legal_follows(position["lead"], hand, trump, rules)
        case "buries":
            plays = buries_of(hand, trump, rules)
        case other:
            raise AssertionError(f"no such question: {other}")
    found = [play.tobytes() for play in plays]
    assert len(set(found)) == len(found)
    return len(found)


def rules_of(position: dict[str, Any]) -> RuleSet:
    """A position's preset, or any rules with its options."""
    if "preset" in position:
        return rule_set(position["preset"])
    options = {name: position[name] for name in ("throws", "follow_priority", "kitty") if name in position}
    return rule_set("one_deck" if options.get("kitty", 0) % 4 else "four_deck", **options)


def buries_of(hand: str, trump: Trump, rules: RuleSet) -> Iterator[NDArray[np.int8]]:
    """Every bury of a hand."""
    position = lead_position(parse_cards(hand), [], trump, rules)
    position.state.phase = Phase.BURY
    return position.walk()


@pytest.mark.parametrize("op", ["leads", "follows", "buries"])
def test_perft(op: str) -> None:
    positions = [position for position in POSITIONS if position["op"] == op]
    asked = {name for name, rules in RULE_SETS.items() if op != "buries" or rules.kitty}
    assert {position["preset"] for position in positions if "preset" in position} == asked
    for position in positions:
        assert count_of(position) == position["count"], position


@pytest.mark.nojit
def test_perft_small() -> None:
    for position in POSITIONS:
        if position["count"] <= 12:
            assert count_of(position) == position["count"], position
