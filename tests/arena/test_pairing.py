"""Adaptive pairing: deals go where the ranking is open, by the results so far and by nothing else."""

import json

import numpy as np
import pytest

from shengji_env.arena.html_report import html_report
from shengji_env.arena.pairing import FINE, STEP, Neighbours, Pairing, adaptive_stops, rank_neighbours
from shengji_env.arena.running import STORE_FILE, play_tournament
from shengji_env.arena.tournament import Tournament
from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import ShengjiError
from shengji_env.support.workers.pools import Pool

PLAYERS = ("random", "greedy", "random", "tests.helpers.players_with_faults:cheats?when=2000")


def won(share, deals, seed=0):
    """What a pair has won, if A wins a share of the rounds."""
    first = np.random.default_rng(seed).binomial(2, share, deals).astype(np.float64)
    return np.stack([first, 2 - first], axis=1)


def batches(pairing, share_of):
    """The stops of each batch, if the share of rounds that A wins is a function of the pair."""
    pairs = pairing.pairs

    def tallies(stop):
        return [won(share_of(*pair), deals, pair) for pair, deals in zip(pairs, stop, strict=True)]

    return [dict(zip(pairs, stop, strict=True)) for stop in adaptive_stops(pairing, tallies)]


def by_elo(*strengths):
    """The share of rounds that a player wins against another."""
    return lambda a, b: 1 / (1 + 10 ** ((strengths[b] - strengths[a]) / 400))


# ---- the choice


def test_it_begins_with_a_step_for_each_two_in_a_row():
    first = batches(Pairing(4, 3 * STEP, 1000), by_elo(0, 0, 0, 0))
    assert len(first) == 1
    assert {pair for pair, deals in first[0].items() if deals} == {(0, 1), (1, 2), (2, 3)}
    assert sum(first[0].values()) == 3 * STEP


def test_or_with_the_deals_that_are_asked_for():
    pairing = Pairing(3, 400, 1000, first={(0, 2): 100, (1, 2): 70})
    assert batches(pairing, by_elo(0, 0, 0))[0] == {(0, 1): 0, (0, 2): 100, (1, 2): 70}


def test_neighbours_in_the_ranking_play_on_not_in_the_list():
    """0 and 2 are equal, and so are 1 and 3, which are far stronger."""
    last = batches(Pairing(4, 2000, 1000), by_elo(0, 500, 0, 500))[-1]
    assert last[1, 3] + last[0, 2] > 1500
    assert last[0, 3] <= STEP


def test_settled_places_get_no_deals_while_others_are_open():
    steps = batches(Pairing(3, 4000, 4000), by_elo(0, 400, 410))
    assert {after[0, 1] for after in steps[3:]} == {steps[3][0, 1]}
    assert steps[-1][1, 2] > 3000


def test_all_places_count_if_none_is_open():
    last = batches(Pairing(3, 3000, 3000), by_elo(0, 300, 600))[-1]
    assert sum(last.values()) == 3000
    assert min(last[0, 1], last[1, 2]) > 1000


def test_limits_of_pairs_and_players_are_kept():
    pairing = Pairing(4, 5000, 600, max_of_player={1: 220})
    steps = batches(pairing, by_elo(0, 0, 0, 0))
    assert max(steps[-1].values()) == 600
    assert steps[-1][0, 1] + steps[-1][1, 2] + steps[-1][1, 3] == 220


def test_players_that_have_played_enough_are_no_neighbours():
    """1 is between 0 and 2, which are compared with one another once it has played its deals."""
    last = batches(Pairing(3, 1000, 1000, max_of_player={1: 100}), by_elo(0, 5, 10))[-1]
    assert last == {(0, 1): 50, (1, 2): 50, (0, 2): 900}


def test_a_larger_total_plays_on_where_a_smaller_one_ends():
    """Each batch is a function of those before it, so only the last one knows of the total."""
    short, long = (batches(Pairing(6, total, 1000), by_elo(*range(0, 120, 20))) for total in (1500, 3000))
    assert long[: len(short) - 1] == short[:-1]
    assert [sum(steps[-1].values()) for steps in (short, long)] == [1500, 3000]


def test_places_are_the_neighbours_with_the_error_of_their_difference():
    deals = 400
    tallies = [won(0.5, deals), won(0.75, deals), np.zeros((0, 2))]
    (upper, lower) = rank_neighbours(range(3), [(0, 1), (1, 2), (0, 2)], tallies)
    assert {upper.pair, lower.pair} == {(0, 1), (1, 2)}
    assert lower.lead == pytest.approx(400 * np.log10(3), abs=30)
    # The standard error of log odds of one half from 800 rounds.
    assert upper.error == pytest.approx(400 / np.log(10) * 2 / 800**0.5, rel=0.1)
    assert (upper.is_open, lower.is_open) == (True, False)


def test_a_place_is_open_until_it_is_settled_or_no_difference_is_left_to_find():
    assert Neighbours((0, 1), lead=29.0, error=10.0).is_open
    assert not Neighbours((0, 1), lead=31.0, error=10.0).is_open
    assert Neighbours((0, 1), lead=0.0, error=1.01 * FINE).is_open
    assert not Neighbours((0, 1), lead=0.0, error=0.99 * FINE).is_open


def test_few_deals_that_all_end_alike_leave_doubt():
    (place,) = rank_neighbours(range(2), [(0, 1)], [won(1.0, 50)])
    assert place.error > 40


# ---- tournaments


def tournament(players=PLAYERS, **options):
    return Tournament(players, parse_rules("one_deck"), **{"seed": 3, "adaptive": 400, **options})


def results(standings):
    """All results that are the same from run to run."""
    return {name: value for name, value in standings.to_json().items() if name != "seconds_per_decision"}


def test_chunks_workers_and_interruptions_change_nothing(tmp_path):
    whole = results(play_tournament(tournament(), tmp_path / "whole"))
    assert sum(whole["stopped"]) == 400
    assert whole["stopped"].count(0) > 0
    assert len(whole["ratings"]) == 4
    assert whole["faults"]
    with Pool(2) as pool:
        assert results(play_tournament(tournament(batch_size=7), executor=pool)) == whole

    lines = (tmp_path / "whole" / STORE_FILE).read_bytes().splitlines(keepends=True)
    for kept in (2, 5, len(lines) - 1):
        folder = tmp_path / f"killed {kept}"
        folder.mkdir()
        (folder / STORE_FILE).write_bytes(b"".join(lines[:kept]) + lines[kept][:20])
        assert results(play_tournament(tournament(), folder)) == whole


def test_what_another_tournament_left_in_the_folder_chooses_nothing(tmp_path):
    play_tournament(tournament(adaptive=None, num_deals=150), tmp_path)
    assert results(play_tournament(tournament(), tmp_path)) == results(play_tournament(tournament()))


def test_a_player_that_loses_all_its_deals_does_not_stop_the_others():
    """It sits between them in the list, so that at first they cannot be compared."""
    players = ("random", "tests.helpers.players_with_faults:cheats?when=1", "greedy", "random")
    standings = play_tournament(tournament(players=players))
    met = dict(zip(standings.tournament.pairs, standings.stopped, strict=True))
    assert sum(met.values()) == 400
    assert [met[pair] for pair in ((0, 1), (1, 2), (1, 3))] == [STEP, STEP, 0]
    assert met[0, 2] + met[0, 3] > 0
    assert standings.ratings == []


def test_pairs_that_did_not_meet_are_left_out_of_reports():
    standings = play_tournament(tournament())
    page = html_report(standings)
    assert "400 in all, at most 1,000 a pair, chosen by results" in page
    for pair, deals in enumerate(standings.stopped):
        assert (f'id="pair-{pair}"' in page) == (deals > 0)


def test_the_command_plays_and_prints(capsys, tmp_path):
    players = ["random", "greedy", "random"]
    arguments = ["--adaptive", "150", "--rules", "one_deck", "--workers", "1", "--out", str(tmp_path)]
    assert main(["arena", *players, *arguments, "--record", str(tmp_path / "rounds.jsonl")]) == 0
    shown = capsys.readouterr().out
    assert "ahead by" in shown
    assert "150 deals, each played twice" in shown
    assert json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["adaptive"] == 150


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adaptive": 100}, "adaptive=100 must be a whole number from 150 to 10000000: 4 players begin with 50 deals"),
        ({"adaptive": 1.5}, "adaptive=1.5 must be a whole number from 150"),
        ({"players": ("random", "greedy")}, "2 players have one pair: adaptive needs three or more"),
    ],
)
def test_impossible_ones_are_refused(options, message):
    options = {"players": PLAYERS, "rules": parse_rules("one_deck"), "adaptive": 400, **options}
    with pytest.raises(ShengjiError, match=message):
        Tournament(**options)
