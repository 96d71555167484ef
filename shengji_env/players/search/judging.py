"""Judges: what outcomes are worth, which candidates are given up, and which of them is the best.

| judge | of | takes |
|---|---|---|
| `CautiousJudge` | `search` | the best mean of outcomes, if its gain over the first candidate exceeds its error |
| `PriorJudge` | `champion:N` | the best mean of a player's values and outcomes, in smoothed levels |
"""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.search.playout import Outcomes
from shengji_env.players.smoothing import smooth_levels

_CAUTIOUS_ERRORS = 2.0
"""Standard errors behind the best at which a candidate is given up."""
_PRIOR_ERRORS = 0.8
"""The same where the score at the end is foretold (research/trials/searching_selfplay.md)."""


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
            if index != best and is_open[index] and behind.mean() >= _CAUTIOUS_ERRORS * error_of(behind):
                is_open[index] = False

    def choose(self, values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
        """Choose the best if it gains more than its error over the first, or the first."""
        best = _best_of(values.mean(axis=1), is_open)
        gains = values[best] - values[0]
        return best if gains.mean() > self._caution * error_of(gains) else 0


class PriorJudge:
    """Weighs outcomes against what was expected before: the mean of both, the prior counting as so many sampled deals.

    It is the best estimate if true values are drawn around the prior, the means of playouts around the true values
    (these err by the playout policy, which more deals do not mend), and outcomes around those means. Then it is known
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
        """Give up what would be the best in the end only if outcomes were `_PRIOR_ERRORS` from what is expected."""
        number = values.shape[1]
        if number < 2:
            return
        expected, variance = self._final(values, max(samples, number))
        best = _best_of(expected, is_open)
        for index in np.flatnonzero(is_open):
            spread = (values[best] - values[index]).std(ddof=1)
            if index != best and expected[best] - expected[index] >= _PRIOR_ERRORS * spread * math.sqrt(variance):
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
