"""Comparing: candidates are played out in more and more worlds, until there are enough or time is up.

The first look is taken after a few worlds, the next after twice as many, and so on. Every look gives up candidates
that are far behind the best one; the heuristic player's, the first, always stays. With one left the search ends.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.search.playout import play_worlds
from shengji_env.arena.search.worlds import Sampler
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE

_FIRST_LOOK = 16
_FIRST_LOOK_IN_TIME = 4
"""Worlds before the first look; fewer where there is a time limit, to learn how long a world takes."""
_GIVE_UP = 2.0
"""Standard errors behind the best at which a candidate is given up."""
_SHARE_OF_TIME = 0.8
"""Share of the time left that the next worlds may be expected to take."""


class Comparison:
    """How candidates are compared (the arguments are those of `SearchPlayer`)."""

    def __init__(self, worlds: int, seconds: float | None, threads: int, caution: float, points_weight: float) -> None:
        self.worlds = worlds
        self.seconds = seconds
        self.threads = threads
        self.caution = caution
        self.points_weight = points_weight
        self._pool: ThreadPoolExecutor | None = None

    def compare(
        self,
        start: NDArray[Any],
        actions: NDArray[np.int64],
        cards: NDArray[np.int8],
        sampler: Sampler,
        scratch: NDArray[Any],
        key: int,
        began: float,
    ) -> tuple[int, int, int]:
        """Play candidates out from a veiled state (1,).

        Args:
            start: where the decision begins; `sampler` is prepared for it.
            actions: (C,) candidates: actions, or CARDS for sets of cards.
            cards: (C, 54) those cards.
            sampler: draws the worlds.
            scratch: SCRATCH_DTYPE, one row a thread.
            key: worlds are a function of it.
            began: when the decision began (`time.perf_counter`).

        Returns:
            The place of the candidate to play, the number of worlds drawn and of rounds played out.
        """
        worlds: NDArray[Any] = np.empty(self.worlds, STATE_DTYPE)
        values = np.zeros((len(actions), self.worlds))
        is_open = np.ones(len(actions), np.bool_)
        team = int(start["seat"][0]) % NUM_TEAMS

        def play(thread: int, first: int, end: int) -> None:
            play_worlds(
                worlds, first, end, team, actions, cards, is_open, self.points_weight, scratch, thread, values
            )  # fmt: skip

        size = num_playouts = 0
        end = self._next_look(size, began)
        while end > size and is_open.sum() > 1:
            sampler.draw(start, key, size, worlds[size:end])
            self._share_out(size, end, play)
            num_playouts += (end - size) * int(is_open.sum())
            size = end
            end = self._next_look(size, began)
            if end > size:
                give_up(values[:, :size], is_open)
        return self.choose(values[:, :size], is_open), size, num_playouts

    def _next_look(self, size: int, began: float) -> int:
        """Number of worlds after which candidates are compared next; `size` if this was the last time."""
        if self.seconds is None:
            return min(self.worlds, max(2 * size, _FIRST_LOOK))
        if size == 0:
            return min(self.worlds, _FIRST_LOOK_IN_TIME)
        spent = time.perf_counter() - began
        more = int(_SHARE_OF_TIME * (self.seconds - spent) / spent * size)
        return min(self.worlds, 2 * size, size + max(more, 0))

    def _share_out(self, first: int, end: int, play: Callable[[int, int, int], None]) -> None:
        """Call ``play(thread, first, end)`` for each thread's share of the worlds first..end-1."""
        if self.threads == 1:
            play(0, first, end)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, "search")
        edges = np.linspace(first, end, self.threads + 1).astype(int).tolist()
        list(self._pool.map(play, range(self.threads), edges[:-1], edges[1:]))

    def choose(self, values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
        """The best candidate by `values` (C, W), if it gains more than its error over the first; else the first."""
        best = _best_of(values, is_open)
        gains = values[best] - values[0]
        return best if gains.mean() > self.caution * error_of(gains) else 0


def _best_of(values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
    return int(np.where(is_open, values.mean(axis=1), -np.inf).argmax())


def error_of(gains: NDArray[np.float64]) -> float:
    """Standard error of a mean."""
    return float(gains.std(ddof=1) / len(gains) ** 0.5)


def give_up(values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> None:
    """Give up candidates whose `values` (C, W) are far behind the best; never the first."""
    best = _best_of(values, is_open)
    for place in range(1, len(is_open)):
        behind = values[best] - values[place]
        if place != best and is_open[place] and behind.mean() >= _GIVE_UP * error_of(behind):
            is_open[place] = False
