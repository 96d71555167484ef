"""Factors: what rows of weights have in common while the network is learned.

A row such as "holds the queen, one of two, with points, two higher cards out" is rare. While it is learned, its weights
are the sum of its own and of those of its factors ("holds a queen", "holds a card with points", …), which it shares
with other rows. In the file that players read, each row is that sum.
"""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.players.networks.distilled.distilled_rows import (
    HELD,
    NUM_OWN,
    NUM_ROWS,
    NUM_SUIT,
    OTHERS,
    OUT,
    SCENE,
    SUIT,
    TAKEN,
)
from shengji_env.players.networks.sight import (
    BOSSES,
    BURIED,
    CARDS,
    CLASSES,
    COPIES,
    HIGHER,
    HOLDINGS,
    LENGTHS,
    OUTS,
    PAIRS,
    POINTS,
    RANKS,
    RUFFED,
    SCENES,
    SCORES,
    STAKES,
    STRENGTHS,
    VOIDS,
    WINNERS,
)

_HIGHER, _COPIES, _POINTS, _BEATS = np.unravel_index(np.arange(CLASSES), (4, COPIES, 3, 2))
"""What a class of cards is made of: higher cards out, copies, points, whether it beats what is winning."""


def make_factors() -> NDArray[np.int64]:
    """Return the factors of each row, (NUM_ROWS, F): numbers from 1 on; 0 stands for none."""
    factors = _Factors()
    for kind in range(2):
        _add_own(factors, kind * NUM_OWN)
    for block in range(3):
        _add_suit(factors, OTHERS + block * NUM_SUIT)
    return factors.as_array()


class _Factors:
    """The factors of each row, as they are found."""

    def __init__(self) -> None:
        self._of: list[list[int]] = [[] for _ in range(NUM_ROWS)]
        self._number = 0

    def share(self, first: int, labels: NDArray[np.integer]) -> None:
        """Let rows first.. that have equal labels share a factor; negative labels have none."""
        for offset, label in enumerate(labels.tolist()):
            if label >= 0:
                self._of[first + offset].append(self._number + label + 1)
        self._number += int(labels.max()) + 1

    def as_array(self) -> NDArray[np.int64]:
        """Return them as one array."""
        most = max(map(len, self._of))
        return np.array([each + [0] * (most - len(each)) for each in self._of])


def _add_own(factors: _Factors, first: int) -> None:
    """Find the factors of a kind of suit."""
    rank, of, is_boss = np.unravel_index(np.arange(RANKS * CLASSES * 2), (RANKS, CLASSES, 2))
    factors.share(first + HELD, rank)
    factors.share(first + HELD, of * 2 + is_boss)
    for flag in (
        _COPIES[of] > 0,
        _COPIES[of] > 1,
        _HIGHER[of] == 0,
        is_boss,
        _BEATS[of],
        _POINTS[of] == 1,
        _POINTS[of] == 2,
    ):
        factors.share(first + HELD, np.where(flag > 0, rank, -1))
    rank, copies, above = np.unravel_index(np.arange(RANKS * COPIES * 2), (RANKS, COPIES, 2))
    factors.share(first + OUT, rank)
    for flag in (copies > 0, copies > 1, above):
        factors.share(first + OUT, np.where(flag > 0, rank, -1))
    rank, copies = np.unravel_index(np.arange(RANKS * COPIES), (RANKS, COPIES))
    factors.share(first + TAKEN, rank)
    for more in (copies > 0, copies > 1):
        factors.share(first + TAKEN, np.where(more, rank, -1))
    _add_suit(factors, first + SUIT)
    scenes = (
        (NUM_SEATS, WINNERS, 2),
        (STAKES, BURIED),
        (SCORES, NUM_SEATS),
        (CARDS,),
        (VOIDS, OUTS),
        (HIGHER, RUFFED),
    )
    at = first + SCENE
    for size, shape in zip(SCENES, scenes, strict=True):
        _add_product(factors, at, shape)
        at += size


def _add_suit(factors: _Factors, first: int) -> None:
    """Find the factors of what a suit is as a whole."""
    _add_product(factors, first, (LENGTHS, OUTS))
    _add_product(factors, first + HOLDINGS, (BOSSES, PAIRS, POINTS))
    voids = np.arange(VOIDS)
    for bit in range(3):
        factors.share(first + HOLDINGS + STRENGTHS, np.where(voids >> bit & 1, 0, -1))


def _add_product(factors: _Factors, first: int, shape: tuple[int, ...]) -> None:
    """Find the factors of rows that stand for several numbers at once: those numbers."""
    for numbers in np.unravel_index(np.arange(int(np.prod(shape))), shape):
        factors.share(first, numbers)
