"""Shards are made while others are learned from: by workers, in the order in which they are needed.

Learning hardly gains from a second core, so that making labels beside it costs no time as long as a core is left. What
is learned depends on none of this, only on the order of shards. On a single core, whoever needs shards makes them.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from agents.values.labels import Labels
from shengji_env.support.workers.pools import InProcess

_ROUNDS_AHEAD = 100_000
"""Most rounds made ahead of those that are needed, so that a slow learner does not wait for a core."""
_SECONDS_BETWEEN_CHECKS = 0.2


class Making:
    """Makes the shards of some labels, from the first call of `wait_for` on."""

    def __init__(self, labels: Labels) -> None:
        """Make nothing yet."""
        self._labels = labels
        self._thread = ThreadPoolExecutor(1, "rollouts")
        self._work: Future[None] | None = None
        self._news = threading.Condition()
        self._needed = 0
        self._is_over = False

    def wait_for(self, made: int, check: Callable[[], None]) -> None:
        """Return once as many rounds have been made.

        Args:
            made: rounds, as `Labels.made` counts them.
            check: called now and then; what it raises ends the waiting, not the making.

        Raises:
            ShengjiError: a worker met an error, or the workers keep dying.
        """
        if isinstance(self._labels.executor, InProcess):
            while self._labels.made < made:
                self._labels.make_some(check)
            return
        with self._news:
            self._needed = max(self._needed, made)
            self._news.notify_all()
        if self._work is None and self._labels.are_missing:
            self._work = self._thread.submit(self._make_all)
        while self._labels.made < made:
            check()
            assert self._work is not None
            if self._work.done():
                self._work.result()
            with self._news:
                self._news.wait(_SECONDS_BETWEEN_CHECKS)

    def close(self) -> None:
        """Stop at once; whole shards stay."""
        with self._news:
            self._is_over = True
            self._news.notify_all()
        self._thread.shutdown(wait=True)

    def _make_all(self) -> None:
        try:
            while self._labels.are_missing:
                self._check()
                self._labels.make_some(self._check)
                with self._news:
                    self._news.notify_all()
                    self._news.wait_for(lambda: self._is_over or self._labels.made < self._needed + _ROUNDS_AHEAD)
        except _Over:
            pass

    def _check(self) -> None:
        if self._is_over:
            raise _Over


class _Over(Exception):
    """The run has ended."""
