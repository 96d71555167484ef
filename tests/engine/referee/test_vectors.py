"""The worked examples of the rules' sources, through `shengji_env.engine.referee`.

`data/vectors.jsonl` has one case per line: `op` names the question, `in` is its input in card notation, `out` the
answer, `source` the text that it comes from.

Source: docs/rules.md §7 to §12.
"""

import json
from typing import Any

import pytest

from shengji_env.engine import referee
from shengji_env.engine.referee import Trump, rule_set
from tests.helpers.paths import DATA

pytestmark = pytest.mark.nojit

VECTORS = DATA / "vectors.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in VECTORS.read_text().splitlines()]


def trump_of(case: dict[str, Any]) -> Trump:
    """Read a case's trump suit and level."""
    return Trump(case["trump"]["suit"], case["trump"]["level"])


def answer(case: dict[str, Any]) -> Any:
    """Ask the referee a case's question; the answer in the form of its `out`."""
    question = case["in"]
    match case["op"]:
        case "decompose":
            return [list(part.shape) for part in referee.decompose(question["cards"], trump_of(case))]
        case "demand":
            rules = rule_set("three_deck", follow_priority=case.get("follow_priority", "width_first"))
            shapes = referee.demand(question["lead"], question["hand"], trump_of(case), rules)
            return [list(shape) for shape in shapes]
        case "beaten":
            beaten = referee.beaten_components(question["lead"], question["others"], trump_of(case))
            return [str(component) for component in beaten]
        case "kitty_multiplier":
            rules = rule_set("three_deck", kitty_multiplier=question["rule"])
            return referee.kitty_multiplier(question["cards"], trump_of(case), rules)
        case "settle":
            won_last = question.get("last_trick", False)
            result = referee.settle(rule_set(result_table=question["table"]), question["points"], won_last)
            return {"winner": result.winner, "levels": result.levels}
        case "winner":
            return referee.trick_winner(question["plays"], question["leader"], trump_of(case), "two_deck")
    raise AssertionError(f"no such question: {case['op']}")


def test_all_111_vectors_are_there() -> None:
    assert len(CASES) == 111


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_referee_answers_as_the_sources_do(case: dict[str, Any]) -> None:
    assert answer(case) == case["out"]
