"""Comparing: candidates are played out in more and more sampled deals, until there are enough or time is up.

Candidates are first compared after a few deals, then after twice as many, and so on. Each time, a judge
(`judging.py`) gives up those that are far behind. The search ends when one is left.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE
from shengji_env.players.player import Player
from shengji_env.players.playing import player_with_policy, policies_of
from shengji_env.players.search.judging import Judge
from shengji_env.players.search.playout import Outcomes, Playouts, play_samples
from shengji_env.players.search.sampled_deals import Sampler
from shengji_env.tables.policies import Policies

_FIRST_LOOK = 16
_FIRST_LOOK_IN_TIME = 4
"""Sampled deals before the first comparison; fewer if there is a time limit, to learn how long one takes."""
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

    def __init__(self, samples: int, seconds: float | None, threads: int, *, playouts: str | Player) -> None:
        self.samples = samples
        self.player = player_with_policy(playouts)
        self._policies = Policies(())
        self.seconds = seconds
        self.threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._process = os.getpid()
        self._at_work: list[Future[None]] = []

    def __getstate__(self) -> dict[str, Any]:
        """Without threads and the memory of playouts: a copy makes its own."""
        return {**self.__dict__, "_pool": None, "_at_work": [], "_policies": None}

    def prepare(self, rules: RuleSet) -> None:
        """Make the playout policy under some rules, for each thread.

        Raises:
            PlayerError: it cannot play under these rules.
        """
        self._policies = policies_of(self.player, rules, self.threads)

    def compare(
        self,
        start: NDArray[Any],
        candidates: Plays,
        sampling: Sampling,
        judge: Judge,
        scratch: NDArray[Any],
        began: float,
    ) -> Compared:
        """Play candidates out from an information state (1,), under the rules that were last prepared.

        Args:
            start: the state at which the decision begins.
            candidates: the C candidates.
            sampling: where sampled deals come from; its sampler is prepared for the state.
            judge: says what outcomes are worth, which candidates are given up, and which is the best.
            scratch: SCRATCH_DTYPE, one row per thread.
            began: when the decision began (`time.perf_counter`).
        """
        samples: NDArray[Any] = np.empty(self.samples, STATE_DTYPE)
        contradicts = np.zeros(self.samples, np.bool_)
        outcomes = Outcomes.zeros(len(candidates.actions), self.samples)
        is_open = judge.first_open()
        seat = int(start["seat"][0])
        cards_left = int(scratch["rules"]["hand"][0]) - int(start["played"][0, seat].sum())
        playouts = Playouts(candidates, is_open, samples, outcomes, seat % NUM_TEAMS, self._policies.packed)

        def play(thread: int, first: int, end: int) -> None:
            drawn = samples[first:end]
            contradicts[first:end] = sampling.sampler.draw(start, sampling.key, first, drawn, thread)
            play_samples(playouts, first, end, scratch, thread)

        size = num_playouts = 0
        values = np.zeros((len(is_open), 0))
        end = self._next_look(size, began)
        while end > size and is_open.sum() > 1:
            num_open = int(is_open.sum())
            self._share_out(size, end, num_open * cards_left, play)
            num_playouts += (end - size) * num_open
            size = end
            values = judge.values(outcomes.first(size), contradicts[:size])
            end = self._next_look(size, began)
            if end > size:
                judge.give_up(values, is_open, self.samples)
        return Compared(judge.choose(values, is_open), size, num_playouts)

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
