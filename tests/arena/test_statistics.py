"""The arena's figures, on numbers worked out by hand."""

import numpy as np
import pytest

from shengji_env.arena.result import ROUND_DTYPE, summarize
from shengji_env.arena.statistics import (
    gain_of_pairing,
    mean_interval,
    rate_interval,
    ratio_interval,
    score_of,
    t_quantile,
)
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import Winner

pytestmark = pytest.mark.nojit


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.706), (4, 2.776), (5, 2.571), (9, 2.262), (29, 2.045), (999, 1.962)]
)
def test_t_quantiles_are_the_tables(freedom, quantile):
    assert t_quantile(freedom) == pytest.approx(quantile, abs=1e-3)


def test_mean_interval_is_students():
    mean, (low, high) = mean_interval(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    error = 2.7764451 * 1.5811388 / 5**0.5
    assert (mean, low, high) == pytest.approx((3.0, 3.0 - error, 3.0 + error))


def test_equal_figures_leave_no_doubt():
    assert mean_interval(np.zeros(10)) == (0.0, (0.0, 0.0))


def test_rate_is_a_ratio_of_sums_not_a_mean_of_ratios():
    won, awarded = np.array([3.0, 0.0, 1.0]), np.array([3.0, 1.0, 4.0])
    rate, (low, high) = rate_interval(won, awarded)
    assert rate == 0.5
    residuals = won - 0.5 * awarded
    standard_error = residuals.std(ddof=1) / 3**0.5 / (8 / 3)
    # The ends are the rates that lie t of their own standard errors away from the observed rate.
    trials = 0.25 / standard_error**2
    for end in (low, high):
        assert abs(0.5 - end) == pytest.approx(4.3026527 * (end * (1 - end) / trials) ** 0.5)
    assert 0 < low < 0.5 < high < 1


def test_a_rate_of_all_or_nothing_is_not_certain():
    ones = np.ones(100)
    rate, (low, high) = rate_interval(ones, ones)
    assert (rate, high) == (1.0, 1.0)
    assert low == pytest.approx(100 / (100 + t_quantile(99) ** 2))
    assert rate_interval(0 * ones, ones) == (0.0, pytest.approx((0.0, 1 - low)))
    assert rate_interval(ones[:2], ones[:2])[1][0] < 0.02


def test_intervals_of_a_rate_near_one_hold_the_truth_as_often_as_they_say():
    generator = np.random.default_rng(2)
    drawn = generator.random((4000, 50)) < 0.97
    held = [low <= 0.97 <= high for _, (low, high) in (rate_interval(row * 1.0, np.ones(50)) for row in drawn)]
    assert 0.93 < np.mean(held) < 0.99


def test_even_deals_leave_no_doubt_about_a_rate():
    assert rate_interval(np.full(10, 2.0), np.full(10, 4.0)) == (0.5, (0.5, 0.5))


def test_rate_without_levels_is_unknown():
    assert rate_interval(np.zeros(3), np.zeros(3)) == (0.5, (0.0, 1.0))


def test_a_ratio_with_equal_denominators_has_the_means_interval():
    values = np.array([1.0, 2.0, 4.0, 8.0])
    ratio, interval = ratio_interval(2 * values, np.full(4, 2.0))
    mean, expected = mean_interval(values)
    assert (ratio, *interval) == pytest.approx((mean, *expected))


def test_a_ratio_weighs_deals_by_their_denominators():
    ratio, (low, high) = ratio_interval(np.array([1.0, 6.0]), np.array([1.0, 3.0]))
    error = 12.7062047 * np.std([1 - 1.75, 6 - 5.25], ddof=1) / 2**0.5 / 2
    assert (ratio, low, high) == pytest.approx((1.75, 1.75 - error, 1.75 + error))


def test_pairing_gains_what_the_tables_of_a_deal_have_in_common():
    generator = np.random.default_rng(0)
    luck, skill = generator.normal(0, 3, (20000, 1)), generator.normal(0, 1, (20000, 2))
    ones = np.ones((20000, 2))
    assert gain_of_pairing(skill, ones) == pytest.approx(1.0, abs=0.02)
    # The deal's luck favours A at one table and harms it at the other, so it cancels.
    gain = gain_of_pairing(skill + luck * [1, -1], ones)
    assert gain == pytest.approx(10**0.5, abs=0.05)
    assert gain_of_pairing(luck * [1, -1], ones) is None or gain_of_pairing(luck * [1, -1], ones) > 1e6
    assert gain_of_pairing(np.zeros((3, 2)), np.ones((3, 2))) is None


def test_ties_count_half():
    assert score_of(np.array([2.0, -1.0, 0.0])).tolist() == [1.0, 0.0, 0.5]


def rounds(*rows):
    """ROUND_DTYPE from a row a deal, of two (declarer, winner, levels, attackers' points) each."""
    made = np.zeros(2 * len(rows), ROUND_DTYPE)
    for place, played in enumerate(played for row in rows for played in row):
        made["deal"][place], made["table"][place] = divmod(place, 2)
        for name, value in zip(("declarer", "winner", "levels_nominal", "attackers_points"), played, strict=True):
            made[name][place] = value
    return made


def test_summary_signs_everything_for_a():
    held, taken = Winner.DECLARERS, Winner.ATTACKERS
    result = summarize(
        rounds(
            # A has seats 0 and 2, and its declarer wins: +2. A has seats 1 and 3, seat 0 declares for B and loses: +1.
            [(0, held, 2, 30), (0, taken, 1, 90)],
            # A attacks and loses 1; A declares (seat 3) and loses 2: −1, −2.
            [(3, held, 1, 60), (3, taken, 2, 130)],
        ),
        ("a", "b"),
        rules=rule_set("two_deck"),
        seed=1,
    )
    assert result.levels.tolist() == [[2, 1], [-1, -2]]
    assert result.levels_per_round == 0.0
    assert result.level_rate == 0.5
    assert result.points_per_round == (50 + 10 - 20 - 50) / 4
    assert (result.round_win_rate, result.win_rate) == (0.5, 0.5)
    assert result.as_declarers.rounds == result.as_attackers.rounds == 2
    assert result.as_declarers.levels_per_round == 0.0
    assert result.as_attackers.win_rate == 0.5
    # By deal, A's levels as declarers are 2 and -2, in one round each.
    assert result.as_declarers.interval == pytest.approx((-12.7062047 * 2, 12.7062047 * 2))
    assert (result.num_rounds, result.is_match) == (4, False)


def test_a_draw_moves_nobody_and_counts_half():
    result = summarize(rounds(*[[(0, Winner.DRAW, 0, 40)] * 2] * 2), ("a", "b"), rules=rule_set("one_deck_45"), seed=0)
    assert (result.levels_per_round, result.level_rate, result.round_win_rate, result.win_rate) == (0.0, 0.5, 0.5, 0.5)


def test_json_has_the_figures_and_where_they_come_from():
    result = summarize(
        rounds(*[[(0, Winner.ATTACKERS, 1, 90)] * 2] * 3), ("a", "b"), rules=rule_set("two_deck"), seed=4
    )
    data = result.to_json()
    assert data["deals"] == 3
    assert data["interval"] == [0.0, 0.0]
    assert {"levels_per_round", "level_rate", "level_rate_interval", "points_per_round", "win_rate"} <= set(data)
    assert (data["seed"], data["players"]) == (4, ["a", "b"])
    assert data["rules"]["fingerprint"] == rule_set("two_deck").fingerprint
    assert {"shengji_env", "layout", "actions"} == set(data["versions"])
