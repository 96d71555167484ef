"""Judges: what outcomes are worth, which candidates are given up, and which of them is the best.

| judge | of | takes |
|---|---|---|
| `CautiousJudge` | `search` | the best mean of outcomes, if its gain over the first candidate exceeds its error |
| `PriorJudge` | `champion:N` | the best mean of a network's values and outcomes |

`champion:N` and labels count **smoothed levels**. A result table has steps: 75 points and 80 are a level or two apart,
80 and 115 the same. Which side of a step a round ends on is mostly chance, so the steps are noise in a label. A
smoothed level is the mean of the table over points around the final ones, weighted by a Gaussian with a standard
deviation of SIGMA_PER_DECK points for each 100 dealt. Its bias is the same for all candidates of a decision to the
first order, and its variance is a third lower.

Points come in fives, so does the blur. Points below 0 count as the table has it, which is as 0. Where the last trick
wins by itself (`one_deck_45`), whether the attackers won it is taken as it was, and only points are blurred; a draw
counts as no level. Levels that the declarers lose by the last trick count in full.
"""

import functools
import math
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import DECK_POINTS, MAX_DECKS
from shengji_env.engine.compile import jit
from shengji_env.engine.results import settle
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Winner
from shengji_env.players.search.playout import Outcomes
from shengji_env.tables.observation import POINTS_UNIT

SIGMA_PER_DECK = 7.5
"""Standard deviation of the blur, in points for each DECK_POINTS dealt; a deck with fewer points has less."""
_SIGMAS = 4.0
_DIGITS = 12
"""Decimals of weights: processors compute the same ones."""
_LOWEST, _HIGHEST = -100 * MAX_DECKS, 1000 * MAX_DECKS
"""Points between which the table is blurred; outside it is constant or rises steadily."""
_GIVE_UP = 2.0
"""A candidate is given up when it is this many standard errors behind the best."""


class Judge(Protocol):
    """Judges the C candidates of one decision."""

    def first_open(self) -> NDArray[np.bool_]:
        """Return which candidates are compared at all, (C,)."""

    def values(self, outcomes: Outcomes, contradicts: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return what outcomes in W sampled deals are worth, (C, up to W); ``contradicts`` (W,) are plays made."""

    def give_up(self, values: NDArray[np.float64], is_open: NDArray[np.bool_], samples: int) -> None:
        """Close candidates that are far behind; there may be outcomes in so many sampled deals in the end."""

    def choose(self, values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
        """Return the index of the candidate to play."""


class CautiousJudge:
    """Takes another candidate than the first, the heuristic player's, only for a gain beyond its error.

    Args:
        candidates: how many there are.
        caution: standard errors that a gain over the first must have.
        points_weight: levels that each of the attackers' points counts for, in addition to the levels won.
    """

    def __init__(self, candidates: int, caution: float, points_weight: float) -> None:
        self._candidates, self._caution, self._points_weight = candidates, caution, points_weight

    def first_open(self) -> NDArray[np.bool_]:
        """All of them."""
        return np.ones(self._candidates, np.bool_)

    def values(self, outcomes: Outcomes, contradicts: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Levels and a little for points, in all sampled deals."""
        return outcomes.with_points(self._points_weight)

    def give_up(self, values: NDArray[np.float64], is_open: NDArray[np.bool_], samples: int) -> None:
        """Give up what is far behind the best; never the first."""
        best = _best_of(values.mean(axis=1), is_open)
        for index in range(1, len(is_open)):
            behind = values[best] - values[index]
            if index != best and is_open[index] and behind.mean() >= _GIVE_UP * error_of(behind):
                is_open[index] = False

    def choose(self, values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
        """Choose the best if it gains more than its error over the first, or the first."""
        best = _best_of(values.mean(axis=1), is_open)
        gains = values[best] - values[0]
        return best if gains.mean() > self._caution * error_of(gains) else 0


class PriorJudge:
    """Weighs outcomes against what was expected before: the mean of both, the prior counting as so many sampled deals.

    It is the best estimate if true values are drawn around the prior, the means of playouts around the true values
    (these err by who plays on, which more deals do not mend), and outcomes around those means. Then it is also known
    how far the final score will be from what is expected of it so far: that decides who is given up.

    Args:
        prior: (C,) what the candidates are worth, in levels.
        weight: sampled deals that the prior counts as, above 0, where there are none yet: the variance of outcomes by
            that of true values around the prior.
        growth: how many more it counts as for each sampled deal: the variance of playouts' means around the true values
            by that of these around the prior. So outcomes never count as more than 1 / growth times the prior.
        margin: levels by which a candidate's prior may be behind the best one's; beyond that it is not compared.
        rules: the rules.
    """

    def __init__(self, prior: NDArray[np.float64], weight: float, growth: float, margin: float, rules: RuleSet) -> None:
        self._prior, self._margin, self._rules = prior, margin, rules
        self._weight, self._growth = weight, growth

    def first_open(self) -> NDArray[np.bool_]:
        """Those whose prior is near the best."""
        is_open: NDArray[np.bool_] = self._prior >= self._prior.max() - self._margin
        return is_open

    def values(self, outcomes: Outcomes, contradicts: NDArray[np.bool_]) -> NDArray[np.float64]:
        """The mean of levels and smoothed levels, as networks learn them, in deals that contradict nothing."""
        smooth = smooth_levels(*outcomes, self._rules)
        found: NDArray[np.float64] = (outcomes.levels + smooth) / 2
        return found[:, ~contradicts]

    def give_up(self, values: NDArray[np.float64], is_open: NDArray[np.bool_], samples: int) -> None:
        """Give up what would be the best in the end only by an outcome two standard errors off."""
        number = values.shape[1]
        if number < 2:
            return
        expected, variance = self._final(values, max(samples, number))
        best = _best_of(expected, is_open)
        for index in np.flatnonzero(is_open):
            spread = (values[best] - values[index]).std(ddof=1)
            if index != best and expected[best] - expected[index] >= _GIVE_UP * spread * math.sqrt(variance):
                is_open[index] = False

    def choose(self, values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
        """Choose the best."""
        return _best_of(self.scores(values), is_open)

    def scores(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of the prior and of outcomes, (C,), in levels."""
        number = values.shape[1]
        weight = self._weight + self._growth * number
        scores: NDArray[np.float64] = (weight * self._prior + values.sum(axis=1)) / (weight + number)
        return scores

    def _final(self, values: NDArray[np.float64], samples: int) -> tuple[NDArray[np.float64], float]:
        """Return the scores expected after so many sampled deals, (C,), and their variance, that of an outcome being 1.

        The outcomes to come are expected to have the mean of playouts, of which the prior tells as much as
        ``weight / (1 + growth)`` outcomes do.
        """
        number = values.shape[1]
        worth, weight = self._weight / (1 + self._growth), self._weight + self._growth * samples
        means = (worth * self._prior + values.sum(axis=1)) / (worth + number)
        expected = ((weight - worth) * self._prior + (worth + samples) * means) / (weight + samples)
        left = (samples - number) * (worth + samples) / (worth + number)
        return expected, left / (weight + samples) ** 2


def _best_of(scores: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
    return int(np.where(is_open, scores, -np.inf).argmax())


def error_of(gains: NDArray[np.float64]) -> float:
    """Return the standard error of the mean."""
    return float(gains.std(ddof=1) / math.sqrt(len(gains)))


def smooth_levels(
    levels: NDArray[Any], points: NDArray[Any], is_attacker: NDArray[Any], rules: RuleSet
) -> NDArray[np.float32]:
    """Return the smoothed levels of some rounds, from a team's view; arguments as in `datasets.rollouts`.

    Args:
        levels: (...,) nominal levels.
        points: (...,) the attackers' points, negative where the team declared.
        is_attacker: (...,) 1 where the team attacked.
        rules: the rules.

    Returns:
        (...,) float32, positive for the team.
    """
    side = np.where(is_attacker, 1, -1)
    attackers_points = side * points.astype(np.int64)
    won_last = np.zeros(levels.shape, np.int64)
    if rules.table.last_trick_wins:
        won_last = (side * levels > (attackers_points >= rules.table.threshold)).astype(np.int64)
    index = (np.clip(attackers_points, _LOWEST, _HIGHEST) - _LOWEST) // POINTS_UNIT
    smooth: NDArray[np.float32] = (side * _tables(rules)[won_last, index]).astype(np.float32)
    if rules.last_trick_demotion != "none":
        lost = side * levels - _level_tables(rules)[won_last, index]
        smooth += (side * lost).astype(np.float32)
    return smooth


@functools.lru_cache(maxsize=256)
def _level_tables(rules: RuleSet) -> NDArray[np.int64]:
    """Return the table from the attackers' view, as `_tables` has it, but not blurred."""
    return _levels_from(rules.record(), _LOWEST, (_HIGHEST - _LOWEST) // POINTS_UNIT + 1)


@functools.lru_cache(maxsize=256)
def _tables(rules: RuleSet) -> NDArray[np.float64]:
    """Return the blurred table from the attackers' view, by whether they won the last trick and by points in fives."""
    sigma = SIGMA_PER_DECK * (rules.points / DECK_POINTS) / POINTS_UNIT
    reach = int(np.ceil(_SIGMAS * sigma))
    # Rounded, and added up in order: libraries do both as suits the processor, which would decide between equal plays.
    weights = np.round([math.exp(-0.5 * (step / sigma) ** 2) for step in range(-reach, reach + 1)], _DIGITS)
    size = (_HIGHEST - _LOWEST) // POINTS_UNIT + 1
    table = _levels_from(rules.record(), _LOWEST - POINTS_UNIT * reach, size + 2 * reach)
    blurred = np.zeros((len(table), size))
    for first, weight in enumerate(weights / weights.sum()):
        blurred += weight * table[:, first : first + size]
    return blurred


@jit
def _levels_from(rules: NDArray[Any], lowest: int, size: int) -> NDArray[np.int64]:
    """Return levels from the attackers' view, (2, size): by whether they won the last trick, and by points in fives."""
    table = np.zeros((2, size), np.int64)
    for won_last in range(2):
        for index in range(size):
            winner, levels = settle(rules[0], lowest + POINTS_UNIT * index, won_last == 1)
            if winner != Winner.DRAW:
                table[won_last, index] = levels if winner == Winner.ATTACKERS else -levels
    return table
