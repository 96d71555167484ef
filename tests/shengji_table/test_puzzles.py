"""Puzzles: what is found in records, the file, what answers are worth; the 110 that come with the package."""

import gzip
import os
import threading
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from shengji_env.cli import main
from shengji_env.errors import RecordError
from shengji_env.players.answers import Decision
from shengji_env.players.decisions import Decisions
from shengji_env.players.registry import make_player
from shengji_table.puzzles.finding import LEAST, is_clear
from shengji_table.puzzles.puzzle import LEVELS, read_puzzles, shipped_puzzles, write_puzzles
from shengji_table.puzzles.solving import DealValues, loss_of, table_of_puzzle
from shengji_table.valuing.reviewed_decisions import choice_at

SHIPPED = shipped_puzzles()
TWO_DECK = [puzzle for puzzle in SHIPPED if puzzle.rules == "two_deck"]


def test_the_shipped_ones_are_of_these_rules_themes_and_levels() -> None:
    assert Counter(puzzle.rules for puzzle in SHIPPED) == {
        "two_deck": 60, "one_deck": 20, "three_deck": 10, "duplicate": 20,
    }  # fmt: skip
    assert len({puzzle.theme for puzzle in SHIPPED}) >= 5
    assert set(Counter(puzzle.level for puzzle in SHIPPED)) == set(LEVELS)
    assert len({(puzzle.rules, puzzle.start["deal"]) for puzzle in SHIPPED}) == len(SHIPPED)


def test_each_has_one_best_play_which_the_obvious_one_is_not() -> None:
    for puzzle in SHIPPED:
        values = [value for _, value in puzzle.options]
        assert values == sorted(values, reverse=True)
        assert values[0] > values[1]
        assert puzzle.obvious in [answer for answer, _ in puzzle.options[1:]]
        assert "{A}" in puzzle.why["en"] + puzzle.why["zh"] or puzzle.theme in ("many", "declarer")


@pytest.mark.parametrize("place", [0, 40, 70, 90, 105])
def test_its_seat_decides_at_its_table(place: int) -> None:
    puzzle = SHIPPED[place]
    tables = table_of_puzzle(puzzle).tables
    assert int(tables.seats[0]) == puzzle.seat
    assert tables.masks[0].sum() >= 2


def test_a_player_loses_what_its_answer_is_worth() -> None:
    champion, heuristic = make_player("champion"), make_player("heuristic")
    asked = TWO_DECK[:20]
    assert np.mean([loss_of(puzzle, champion) for puzzle in asked]) < 0.01
    losses = [loss_of(puzzle, heuristic) for puzzle in asked]
    told = [{round(puzzle.options[0][1] - value, 9) for _, value in puzzle.options} for puzzle in asked]
    assert all(round(loss, 9) in values for loss, values in zip(losses, told, strict=True))
    assert max(losses) >= LEAST


def test_an_answer_outside_the_options_is_valued_in_the_same_deals() -> None:
    puzzle = next(puzzle for puzzle in TWO_DECK if puzzle.level == 1)
    champion = make_player("champion")
    (best, value), *others = puzzle.options
    fewer = replace(puzzle, options=((others[0][0], value), *others[1:], ("", value - 9)))
    assert best not in [answer for answer, _ in fewer.options]
    assert loss_of(fewer, champion) == pytest.approx(0, abs=2e-3)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [3, 12, 30])
def test_a_decision_is_one_only_if_no_legal_play_is_nearly_as_good(number: int) -> None:
    puzzle = SHIPPED[number - 1]
    tables = table_of_puzzle(puzzle).tables
    for option in (0, 1):
        answer = Decision(Decisions.at(tables), 0).read(puzzle.options[option][0] or "")
        choice = choice_at(puzzle.rule_set, tables, answer)
        assert is_clear(choice, choice.played, DealValues(puzzle.rule_set)) == (option == 0)


def test_puzzles_are_read_as_they_were_written(tmp_path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text(write_puzzles(SHIPPED[:3]), encoding="utf-8")
    assert [puzzle.to_json() for puzzle in read_puzzles(path)] == [puzzle.to_json() for puzzle in SHIPPED[:3]]
    packed = tmp_path / "some.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert len(read_puzzles(packed)) == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"format": "shengji-record/1"}', "is no file of puzzles"),
        ("", "is no file of puzzles"),
        ("no JSON", "no JSON"),
        ('{"format": "shengji-puzzles/1"}\n{}', "line 2 is no puzzle"),
        ('{"format": "shengji-puzzles/1"}\n{"rules": 1}', "line 2 is no puzzle"),
    ],
)
def test_what_is_no_file_of_puzzles_is_refused(line: str, message: str, tmp_path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(line + "\n" * bool(line), encoding="utf-8")
    with pytest.raises(RecordError, match=message):
        read_puzzles(path)


def test_a_theme_that_does_not_exist_is_refused(tmp_path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(write_puzzles([replace(SHIPPED[0], theme="magic")]), encoding="utf-8")
    with pytest.raises(RecordError, match="line 2: theme, level or options"):
        read_puzzles(path)


@pytest.mark.thorough
def test_the_command_finds_some_and_lets_players_solve_them(tmp_path, capsys) -> None:
    record, out = tmp_path / "rounds.jsonl", tmp_path / "found.jsonl"
    assert main(["arena", "greedy", "random", "--deals", "2", "--record", str(record)]) == 0
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(record.read_bytes(),))
    writer.start()
    assert main(["puzzles", str(tmp_path / "pipe"), "--out", str(out), "--most", "1"]) == 0
    writer.join()
    assert "puzzles: 1, 1 of level 1" in capsys.readouterr().out
    assert len(read_puzzles(out)) == 1
    assert main(["puzzles", "--file", str(out), "--solve", "champion", "greedy"]) == 0
    printed = capsys.readouterr().out
    assert "champion" in printed
    assert "level 3" in printed
    assert "nan" not in printed  # one puzzle gives no interval
    assert main(["puzzles", "--file", str(out)]) == 2
    assert "name records to search, or players with --solve" in capsys.readouterr().err
    assert main(["puzzles", str(record)]) == 2
    assert "--out FILE says where" in capsys.readouterr().err
