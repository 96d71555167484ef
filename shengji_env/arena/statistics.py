"""Means and rates over paired deals, with 95 % intervals.

A duplicate deal gives one independent figure (the mean of its two tables), so intervals run over deals, never over
rounds. Means have Student's t interval. The level rate is a ratio of two means: its interval is the delta method's, t
times the standard error of ``won - rate * awarded`` over the mean of ``awarded``, cut off at 0 and 1.
"""

import numpy as np
from numpy.typing import NDArray

Interval = tuple[float, float]

_NORMAL = 1.959963984540054
_SMALL = (12.7062047, 4.3026527, 3.1824463, 2.7764451)


def t_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: a table up to 4 degrees of freedom, then Fisher and Cornish's series.

    The series is off by less than 0.001.
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
    return float(z + sum(term / freedom ** (place + 1) for place, term in enumerate(terms)))


def mean_interval(values: NDArray[np.float64]) -> tuple[float, Interval]:
    """Mean of one figure a deal, shape (n,) with n of at least 2, and its interval."""
    mean = float(values.mean())
    error = t_quantile(len(values) - 1) * float(values.std(ddof=1)) / len(values) ** 0.5
    return mean, (mean - error, mean + error)


def rate_interval(won: NDArray[np.float64], awarded: NDArray[np.float64]) -> tuple[float, Interval]:
    """Sum of `won` / sum of `awarded`, each shape (n,), with its interval; one half, 0 to 1, if nothing was awarded."""
    if not awarded.sum():
        return 0.5, (0.0, 1.0)
    rate = float(won.sum() / awarded.sum())
    _, (low, high) = mean_interval(won - rate * awarded)
    error = (high - low) / 2 / float(awarded.mean())
    return rate, (max(0.0, rate - error), min(1.0, rate + error))


def score_of(difference: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where positive, 0 where negative, one half for a tie."""
    return np.asarray(0.5 * (1 + np.sign(difference)), np.float64)
