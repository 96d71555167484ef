"""Is A better than B? A sequential test, which stops as soon as its deals say so.

Two hypotheses about the mean of A's levels per round: LOW, A is no better, and HIGH, it is better. A deal is one
observation, the mean of its two tables. Of n deals with the mean m and the variance s², the logarithm of the likelihood
ratio is ``n · (HIGH − LOW) · (m − (HIGH + LOW) / 2) / s²``: the generalised sequential probability ratio test (GSPRT)
of a normal mean, with which chess engines are tested. It is looked at every LOOK deals, and the test ends when it is
log((1 − ERROR) / ERROR) or more (*better*), or minus that or less (*not better*). Otherwise it is *undecided*: the
limit has been reached, or deals have been lost, which might have said something else than the others.

Deals count in their order, not in the order in which they were finished: so the result does not depend on who plays
them, and where.

Source: Wald, Sequential Tests of Statistical Hypotheses (1945); docs/arena.md has what the errors really are.
"""

import math
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.chunks import PlayedChunk
from shengji_env.arena.result import levels_by_deal
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError, show
from shengji_env.support.arguments import is_number

LOOK = 50
"""Deals after which the test is looked at again."""
ERROR = 0.05
"""Probability with which a test is to end wrongly, if the true mean is at a bound."""
DECISIVE = math.log((1 - ERROR) / ERROR)
"""The logarithm of the likelihood ratio at which a test ends."""

_TINY = 1e-9


class Verdict(StrEnum):
    """How a test ended."""

    BETTER = "better"
    NOT_BETTER = "not better"
    UNDECIDED = "undecided"


class SequentialTest:
    """A test under way.

    Args:
        low: mean levels per round of a player that is no better.
        high: of one that is.
        limit: most deals.

    Attributes:
        verdict: how it ended; None: it goes on.
        num_deals: deals that count so far: those at the last look.
        log_ratio: the logarithm of the likelihood ratio at the last look; 0 where all deals were alike.
        num_lost: lost deals among `num_deals`.
    """

    def __init__(self, low: float, high: float, limit: int) -> None:
        self.low, self.high = check_bounds(low, high)
        self.limit = limit
        self.verdict: Verdict | None = None
        self.num_deals = self.num_lost = 0
        self.log_ratio = 0.0
        self._waiting: dict[int, float | None] = {}
        self._next = 0
        self._count, self._sum, self._squares = 0, 0.0, 0.0

    def add(self, values: Iterable[tuple[int, float | None]]) -> None:
        """Note deals in any order, as number and A's mean levels per round; None: the deal was lost."""
        self._waiting.update(values)
        while self.verdict is None and self._next in self._waiting:
            value = self._waiting.pop(self._next)
            self._next += 1
            if value is None:
                self.num_lost += 1
            else:
                self._count, self._sum, self._squares = self._count + 1, self._sum + value, self._squares + value**2
            if self._next % LOOK == 0 or self._next == self.limit:
                self._look()

    def _look(self) -> None:
        self.num_deals = self._next
        self.log_ratio = float(log_ratio(self._count, self._sum, self._squares, self.low, self.high))
        if self.num_lost:
            self.verdict = Verdict.UNDECIDED
        elif abs(self.log_ratio) >= DECISIVE:
            self.verdict = Verdict.BETTER if self.log_ratio > 0 else Verdict.NOT_BETTER
        elif self.num_deals >= self.limit:
            self.verdict = Verdict.UNDECIDED

    def to_json(self) -> dict[str, Any]:
        """Return the test as plain values."""
        return {
            "low": self.low,
            "high": self.high,
            "verdict": self.verdict,
            "log_ratio": self.log_ratio,
            "deals": self.num_deals,
            "lost": self.num_lost,
        }


def check_bounds(low: float, high: float) -> tuple[float, float]:
    """Return both bounds.

    Raises:
        ShengjiError: they are not two finite numbers, the lower one first.
    """
    if not (is_number(low) and is_number(high)) or not -sys.float_info.max <= low < high <= sys.float_info.max:
        raise ShengjiError(
            f"sprt={show((low, high))} must be two numbers of levels a round, the lower one first: 0 0.02"
        )
    return float(low), float(high)


def log_ratio(count: int, total: Any, squares: Any, low: float, high: float) -> NDArray[np.float64]:
    """Return logarithms of the likelihood ratio, 0 where there are too few values, or all are equal.

    Args:
        count: how many values there are.
        total: their sum, or sums of any shape.
        squares: the sum of their squares, of the same shape.
        low: the one hypothesis about their mean.
        high: the other one.
    """
    mean = np.asarray(total) / max(count, 1)
    variance = (np.asarray(squares) - count * mean**2) / max(count - 1, 1)
    # Levels are multiples of a half, so a variance that is not 0 is no rounding error.
    ratio = count * (high - low) * (mean - (high + low) / 2) / np.maximum(variance, _TINY)
    return np.where(variance > _TINY, ratio, 0.0)


def values_of(played: PlayedChunk, rules: RuleSet) -> Iterator[tuple[int, float | None]]:
    """Yield the number of each deal of a chunk and A's mean levels per round; None for a lost deal."""
    lost = {fault["deal"] for fault in played.faults}
    rounds: NDArray[Any] = played.rounds[~np.isin(played.rounds["deal"], list(lost))]
    yield from ((deal, None) for deal in lost)
    if len(rounds):
        deals, levels = levels_by_deal(rounds, rules)
        yield from zip(deals.tolist(), levels.tolist(), strict=True)
