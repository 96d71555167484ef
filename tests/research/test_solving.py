"""Small games solved: the command, levels between players, CFR.

Source: research/small_games.md.
"""

import json
import re

import pytest

from research.solving import solving
from research.solving.__main__ import main
from research.solving.regret_matching import average_strategy
from research.solving.solving import levels_against
from shengji_env.arena.small_games import GameTree, build_tree, exploit, play_of
from shengji_env.arena.small_games.best_replies import odds_of, single_gains
from shengji_env.arena.small_games.tree_play import uniform
from shengji_env.cli import progress
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players import make_player
from shengji_env.players.random import RandomPlayer

TINY = "small_two_ranks(cards=H TJ, decks=4)"
"""Two trumps a hand, of two kinds: 19 deals, and all four seats choose."""


@pytest.fixture(scope="module")
def two_ranks() -> GameTree:
    return build_tree(parse_rules("small_two_ranks"))


class Dice(RandomPlayer):
    """Throws dice, which nobody knows of who asks it."""

    name = "dice"


def test_the_command_prints_a_table_and_writes_all_values(tmp_path, capsys):
    file = tmp_path / "solved.json"
    command = [TINY, "random", "greedy", "--starts", "2", "--cfr", "20", "--json", str(file)]
    assert main(command) == 0
    said = capsys.readouterr()
    assert "19 deals, " in said.err
    assert re.search(r"^\| greedy \| [+-]0\.\d{3} \| 0\.\d{3} (to 0\.\d{3}|exactly) \|", said.out, re.MULTILINE)
    written = json.loads(file.read_text())
    assert [each["player"] for each in written["players"]] == ["random", "greedy", "CFR, 20 iterations"]
    for each in written["players"]:
        assert len(each["found"][0]) == 2
        bounds = each["exploitability"]
        assert bounds["is_exact"] == (bounds["upper"] - bounds["lower"] <= 1e-9)
        assert bounds["lower"] <= bounds["upper"]
    assert written["deals"] == 19


def test_the_command_asks_once_who_is_also_the_opponent_and_says_how_far_cfr_is(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(solving, "play_of", lambda tree, player, draws: asked.append(player.name) or uniform(tree))
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    assert main([TINY, "greedy", "random", "--against", "greedy", "--starts", "1", "--cfr", "5"]) == 0
    assert asked == ["greedy", "random"]
    assert "3 of 5 iterations of CFR" in capsys.readouterr().err


def test_draws_of_the_command_are_those_of_players_and_of_their_opponent(tmp_path):
    file, dice, values = tmp_path / "solved.json", f"{__name__}:Dice", []
    for draws in ("1", "50"):
        command = [TINY, dice, "random", "--against", dice, "--starts", "1", "--draws", draws]
        assert main([*command, "--json", str(file)]) == 0
        values.append([(each["value"], each["levels"]) for each in json.loads(file.read_text())["players"]])
    (first, against_first), (more, against_more) = values
    assert first[0] != more[0]
    assert against_first[0] == against_more[0]
    assert abs(against_more[1]) < abs(against_first[1])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["two_deck", "random"], "two_deck has bids or a kitty"),
        (["small_two_ranks", "nobody"], "no player is called 'nobody'"),
        (["small_two_ranks", "human"], "a person or a program"),
        (["small_two_ranks", "exec:python3 docs/bots/club_player.py"], "a person or a program"),
        (["small_two_ranks", "random", "random"], "a player is named twice"),
        (["small_two_ranks", "random", "--draws", "0"], "--draws"),
        (["small_two_ranks", "random", "--starts", "0"], "--starts"),
    ],
)
def test_what_cannot_be_solved_is_refused_in_one_line(arguments, why, capsys):
    assert main(arguments) == 2
    said = capsys.readouterr().err.splitlines()
    (line,) = (line for line in said if not line.startswith("shengji_env: compil"))  # notes of a first use
    assert why in line


def test_a_player_is_even_against_itself_and_wins_what_the_other_loses(two_ranks):
    greedy, heuristic = (play_of(two_ranks, make_player(name)) for name in ("greedy", "heuristic"))
    assert levels_against(two_ranks, greedy, greedy) == pytest.approx(0)
    won, lost = levels_against(two_ranks, greedy, heuristic), levels_against(two_ranks, heuristic, greedy)
    assert won == pytest.approx(-lost)
    assert abs(won) > 0.1


def test_cfr_comes_to_where_no_single_seat_gains(two_ranks):
    """But two partners do: no guarantee with four players (research/small_games.md)."""
    strategy = average_strategy(two_ranks, 300)
    assert sum(single_gains(two_ranks, odds_of(two_ranks, strategy))) < 0.01
    assert exploit(two_ranks, "CFR", strategy, starts=4).exploitability.lower > 0.03
