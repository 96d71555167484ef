"""Means and rates over paired deals, with 95 % intervals.

A duplicate deal gives one independent value (the sum of its two tables), so intervals are over deals, never over
rounds. Means have Student's t interval. A ratio of two means, such as levels won / levels awarded (or levels / rounds,
if deals are matches and differ in rounds), has the interval of the delta method: t times the standard error of
``won - rate * awarded``, divided by the mean of ``awarded``. With equal denominators this is the mean's own interval.

Near 0 and 1 that would be too narrow for a rate: for a player that won all of 100 deals it would be exactly 100 %. So
rates have Wilson's interval (1927) with Student's t, for the number of independent trials that would have the delta
method's standard error. In 3,000 samples each from 10,000 deals of greedy–random and of heuristic–greedy, such
intervals contained the true value in 94 to 98 % of cases from 30 deals on; for a share of deals won, those of the
delta method did in 23 to 93 %.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]

_NORMAL = 1.959963984540054
_SMALL = (12.7062047, 4.3026527, 3.1824463, 2.7764451)


def t_quantile(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t: from a table up to 4 degrees of freedom, then by a series.

    The series is Fisher and Cornish's, and is off by less than 0.001.
    """
    if freedom <= len(_SMALL):
        return _SMALL[freedom - 1]
    z = _NORMAL
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(z + sum(term / freedom ** (index + 1) for index, term in enumerate(terms)))


def mean_interval(values: NDArray[np.float64]) -> tuple[float, Interval]:
    """Return the mean of one value per deal, shape (n,) with n at least 2, and its interval."""
    mean = float(values.mean())
    error = t_quantile(len(values) - 1) * float(values.std(ddof=1)) / len(values) ** 0.5
    return mean, (mean - error, mean + error)


def jackknife_interval(value: float, left_out: Sequence[NDArray[np.float64]]) -> Interval:
    """Return the interval of what was computed from one or more samples, by leaving out one member at a time.

    It holds for values in which a member stands more than once, such as a mean over pairs of members, where it is
    rather too wide (Efron and Stein, 1981). Degrees of freedom are Satterthwaite's, rounded down.

    Args:
        value: computed from all members.
        left_out: for each sample the values computed without each of its n members, shape (n,) with n at least 2.
    """
    variances = np.array([(len(values) - 1) * values.var() for values in left_out])
    total = float(variances.sum())
    if total == 0:
        return value, value
    freedom = total**2 / sum(
        variance**2 / (len(values) - 1) for variance, values in zip(variances, left_out, strict=True)
    )
    error = t_quantile(int(freedom + 1e-9)) * total**0.5
    return value - error, value + error


def ratio_interval(upper: NDArray[np.float64], lower: NDArray[np.float64]) -> tuple[float, Interval]:
    """Return sum of `upper` / sum of `lower`, each one value per deal, shape (n,), and its interval."""
    ratio = float(upper.sum() / lower.sum())
    _, (low, high) = mean_interval(upper - ratio * lower)
    error = (high - low) / 2 / float(lower.mean())
    return ratio, (ratio - error, ratio + error)


def rate_interval(won: NDArray[np.float64], awarded: NDArray[np.float64]) -> tuple[float, Interval]:
    """Return sum of `won` / sum of `awarded`, each one value per deal, shape (n,), and Wilson's interval.

    The interval lies within 0 and 1. If everything or nothing was won, there are as many trials as deals; if nothing
    was awarded, the rate is one half and its interval 0 to 1.
    """
    if not awarded.sum():
        return 0.5, (0.0, 1.0)
    rate, (low, high) = ratio_interval(won, awarded)
    variance = rate * (1 - rate)
    # Student's t squared, divided by the number of trials.
    weight = ((high - low) / 2) ** 2 / variance if variance > 0 else t_quantile(len(won) - 1) ** 2 / len(won)
    middle = (rate + weight / 2) / (1 + weight)
    error = (weight * variance + weight**2 / 4) ** 0.5 / (1 + weight)
    return rate, (max(0.0, min(rate, middle - error)), min(1.0, max(rate, middle + error)))


def gain_of_pairing(upper: NDArray[np.float64], lower: NDArray[np.float64]) -> float | None:
    """Return how many times smaller swapping the sides on each deal makes a ratio's standard error.

    It is the standard error of the same number of independent rounds, divided by that of these deals.

    Args:
        upper: the numerator, by deal and table, shape (n, tables).
        lower: the denominator, shape (n, tables).

    Returns:
        The gain; None if the deals do not differ at all.
    """
    residual = upper - upper.sum() / lower.sum() * lower
    paired = float(residual.mean(axis=1).std(ddof=1))
    unpaired = float(residual.std(ddof=1)) / residual.shape[1] ** 0.5
    return unpaired / paired if paired else None


def plus(value: float, digits: int) -> str:
    """Write a signed number; zero is never negative."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def signed(interval: Interval, digits: int) -> str:
    """Write an interval of signed numbers."""
    return f"{plus(interval[0], digits)} … {plus(interval[1], digits)}"


def percent(interval: Interval) -> str:
    """Write an interval of rates."""
    return f"{interval[0]:.1%} … {interval[1]:.1%}"


def plain(value: Any) -> Any:
    """Return a value as JSON has it: an interval as a list."""
    return list(value) if isinstance(value, tuple) else value


def score_of(difference: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 where positive, 0 where negative, one half for a tie."""
    return np.asarray(0.5 * (1 + np.sign(difference)), np.float64)
