"""The worked examples of the rules' sources, through the oracle.

`data/vectors.jsonl` has one case per line: `op` names the question, `in` is its input in card notation, `out` the
answer, `source` the text that it comes from.

Source: docs/rules.md §7 to §12.
"""

import json
from typing import Any

import pytest

from tests.helpers import oracle
from tests.helpers.paths import DATA

VECTORS = DATA / "vectors.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in VECTORS.read_text().splitlines()]


def trump_of(case: dict[str, Any]) -> oracle.Trump:
    """Read a case's trump suit and level."""
    suit, level = case["trump"]["suit"], case["trump"]["level"]
    return oracle.Trump(None if suit is None else oracle.SUITS.index(suit), oracle.RANKS.index(level))


def answer(case: dict[str, Any]) -> Any:
    """Ask the oracle a case's question; the answer in the form of its `out`."""
    question = case["in"]
    match case["op"]:
        case "decompose":
            return lists(oracle.shapes_of(oracle.decompose(oracle.parse(question["cards"]), trump_of(case))))
        case "demand":
            lead, hand = oracle.parse(question["lead"]), oracle.parse(question["hand"])
            policy = case.get("follow_priority", "width_first")
            return lists(oracle.demand(lead, hand, trump_of(case), policy))
        case "beaten":
            others = [oracle.parse(hand) for hand in question["others"]]
            beaten = oracle.beaten_components(oracle.parse(question["lead"]), others, trump_of(case))
            return [oracle.text(component.cards) for component in beaten]
        case "kitty_multiplier":
            return oracle.kitty_multiplier(oracle.parse(question["cards"]), trump_of(case), question["rule"])
        case "settle":
            won_last = question.get("last_trick", False)
            winner, levels = oracle.settle(question["table"], question["points"], won_last)
            return {"winner": winner, "levels": levels}
        case "winner":
            plays = [oracle.parse(play) for play in question["plays"]]
            return (question["leader"] + oracle.trick_winner(plays, trump_of(case))) % oracle.NUM_SEATS
    raise AssertionError(f"no such question: {case['op']}")


def lists(shapes: tuple[oracle.Shape, ...]) -> list[list[int]]:
    """Shapes as JSON writes them."""
    return [list(shape) for shape in shapes]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_oracle_answers_as_the_sources_do(case: dict[str, Any]) -> None:
    assert answer(case) == case["out"]
