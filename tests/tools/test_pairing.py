"""Adaptive pairing: deals go where the ranking is open, by the results so far and by nothing else."""

import numpy as np
import pytest

from tools.pairing import FINE, STEP, Neighbours, Pairing, adaptive_stops, rank_neighbours


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
