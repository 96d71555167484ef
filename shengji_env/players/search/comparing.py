"""Comparing: candidates are played out in more and more sampled deals, until there are enough or time is up.

Candidates are first compared after a few deals, then after twice as many, and so on. Each time, those far behind the
best are given up; only the first, the heuristic player's, always stays. The search ends when one is left.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.play import Plays
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE
from shengji_env.errors import PlayerError
from shengji_env.players.networks.distilled.playout_policy import playout_policy
from shengji_env.players.search.playout import Playouts, play_samples
from shengji_env.players.search.sampled_deals import Sampler

_FIRST_LOOK = 16
_FIRST_LOOK_IN_TIME = 4
"""Sampled deals before the first comparison; fewer if there is a time limit, to learn how long one takes."""
_GIVE_UP = 2.0
"""A candidate is given up when it is this many standard errors behind the best."""
_CARDS_A_THREAD = 100
"""Cards of one seat, over all rounds to be played out, that are worth another thread: about 0.4 ms of work."""
_SHARE_OF_TIME = 0.8
"""Share of the time left that the next sampled deals are planned to take."""


class Sampling(NamedTuple):
    """Where the sampled deals of a decision come from."""

    sampler: Sampler
    """Prepared for the state at which the decision begins, for all threads."""
    key: int
    """Determines the sampled deals."""


class Compared(NamedTuple):
    """How a comparison ended."""

    best: int
    """Index of the candidate to play."""
    num_samples: int
    """Number of deals sampled."""
    num_playouts: int
    """Number of rounds played out in them."""


class Comparison:
    """How candidates are compared (the arguments are those of `SearchPlayer`)."""

    def __init__(
        self, samples: int, seconds: float | None, threads: int, caution: float, points_weight: float, *, playouts: str
    ) -> None:
        self.samples = samples
        self.playouts = playouts
        self.policy = playout_policy(playouts, threads, error=PlayerError)
        self.seconds = seconds
        self.threads = threads
        self.caution = caution
        self.points_weight = points_weight
        self._pool: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._at_work: list[Future[None]] = []

    def __getstate__(self) -> dict[str, Any]:
        """Without threads and the memory of playouts: a copy makes its own."""
        return {**self.__dict__, "_pool": None, "_at_work": [], "policy": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.policy = playout_policy(self.playouts, self.threads)

    def compare(
        self, start: NDArray[Any], candidates: Plays, sampling: Sampling, scratch: NDArray[Any], began: float
    ) -> Compared:
        """Play candidates out from an information state (1,).

        Args:
            start: the state at which the decision begins.
            candidates: the C candidates.
            sampling: where sampled deals come from; its sampler is prepared for the state.
            scratch: SCRATCH_DTYPE, one row per thread.
            began: when the decision began (`time.perf_counter`).
        """
        samples: NDArray[Any] = np.empty(self.samples, STATE_DTYPE)
        values = np.zeros((len(candidates.actions), self.samples))
        is_open = np.ones(len(candidates.actions), np.bool_)
        seat = int(start["seat"][0])
        cards_left = int(scratch["rules"]["hand"][0]) - int(start["played"][0, seat].sum())
        playouts = Playouts(candidates, is_open, samples, values, seat % NUM_TEAMS, self.points_weight, self.policy)

        def play(thread: int, first: int, end: int) -> None:
            sampling.sampler.draw(start, sampling.key, first, samples[first:end], thread)
            play_samples(playouts, first, end, scratch, thread)

        size = num_playouts = 0
        end = self._next_look(size, began)
        while end > size and is_open.sum() > 1:
            num_open = int(is_open.sum())
            self._share_out(size, end, num_open * cards_left, play)
            num_playouts += (end - size) * num_open
            size = end
            end = self._next_look(size, began)
            if end > size:
                give_up(values[:, :size], is_open)
        return Compared(self.choose(values[:, :size], is_open), size, num_playouts)

    def _next_look(self, size: int, began: float) -> int:
        """Return after how many sampled deals candidates are compared next; `size` if this was the last time."""
        if self.seconds is None:
            return min(self.samples, max(2 * size, _FIRST_LOOK))
        if size == 0:
            return min(self.samples, _FIRST_LOOK_IN_TIME)
        spent = time.perf_counter() - began
        more = int(_SHARE_OF_TIME * (self.seconds - spent) / spent * size)
        return min(self.samples, 2 * size, size + max(more, 0))

    def _share_out(self, first: int, end: int, cards: int, play: Callable[[int, int, int], None]) -> None:
        """Call ``play(thread, first, end)`` for each thread's share of the sampled deals first..end-1.

        `cards` is how many cards a seat plays in all rounds of one sampled deal; the number of threads depends on it.
        """
        threads = max(1, min(self.threads, end - first, (end - first) * cards // _CARDS_A_THREAD))
        edges = np.linspace(first, end, threads + 1).astype(int).tolist()
        for thread in range(1, threads):
            self._at_work.append(self._others().submit(play, thread, edges[thread], edges[thread + 1]))
        play(0, first, edges[1])
        self.wait()

    def _others(self) -> ThreadPoolExecutor:
        """Return the other threads; a forked process does not have those of its parent, so it starts its own."""
        if self._pool is None or self._process != os.getpid():
            self._pool = ThreadPoolExecutor(self.threads - 1, "search")
            self._process = os.getpid()
        return self._pool

    def wait(self) -> None:
        """Wait for busy threads: after an interrupted decision, some may still write memory that the next one reads."""
        shares = self._at_work if self._process == os.getpid() else []
        wait(shares)
        self._at_work = []
        for share in shares:
            share.result()

    def choose(self, values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
        """Choose the best candidate by `values` (C, W) if it gains more than its error over the first, or the first."""
        best = _best_of(values, is_open)
        gains = values[best] - values[0]
        return best if gains.mean() > self.caution * error_of(gains) else 0


def _best_of(values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> int:
    return int(np.where(is_open, values.mean(axis=1), -np.inf).argmax())


def error_of(gains: NDArray[np.float64]) -> float:
    """Return the standard error of the mean."""
    return float(gains.std(ddof=1) / len(gains) ** 0.5)


def give_up(values: NDArray[np.float64], is_open: NDArray[np.bool_]) -> None:
    """Give up candidates whose `values` (C, W) are far behind the best; never the first."""
    best = _best_of(values, is_open)
    for index in range(1, len(is_open)):
        behind = values[best] - values[index]
        if index != best and is_open[index] and behind.mean() >= _GIVE_UP * error_of(behind):
            is_open[index] = False
