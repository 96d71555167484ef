"""Why a hint is good: said of the hint against the best other play, from what the seat knows."""

import copy

import numpy as np

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players.asking import decide_whole
from shengji_env.players.registry import make_player
from shengji_table.puzzles.puzzle import shipped_puzzles
from shengji_table.puzzles.solving import table_of_puzzle
from shengji_table.web.hint_reasons import reason_for
from tests.helpers.hidden_cards import deal_again

PUZZLES = [puzzle for puzzle in shipped_puzzles() if puzzle.rules == "two_deck" and puzzle.theme == "trick"][:6]
RULES = parse_rules("two_deck")


def test_a_good_hint_has_a_reason_against_another_play() -> None:
    champion = make_player("champion")
    for puzzle in PUZZLES:
        tables = table_of_puzzle(puzzle).tables
        answer = decide_whole(champion, copy.deepcopy(tables))
        found = reason_for(RULES, tables, answer)
        assert found is not None
        other, why = found
        assert sorted(other.split()) != sorted((puzzle.options[0][0] or "").split())
        assert set(why) == {"en", "zh"}


def test_a_bad_one_has_none() -> None:
    greedy = make_player("greedy")
    said = []
    for puzzle in PUZZLES:
        tables = table_of_puzzle(puzzle).tables
        said.append(reason_for(RULES, tables, decide_whole(greedy, copy.deepcopy(tables))))
    assert None in said


def test_what_is_said_depends_on_nothing_hidden() -> None:
    champion, rng = make_player("champion"), np.random.default_rng(1)
    for puzzle in PUZZLES:
        tables = table_of_puzzle(puzzle).tables
        answer = decide_whole(champion, copy.deepcopy(tables))
        other = copy.deepcopy(tables)
        other.states[:] = deal_again(tables.states, puzzle.seat, RULES, rng)
        assert (other.states["hands"] != tables.states["hands"]).any()
        assert reason_for(RULES, other, answer) == reason_for(RULES, tables, answer)
