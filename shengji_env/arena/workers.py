"""What plays the chunks of a tournament: this process, or one worker process per core.

An executor takes chunks and yields their outcomes, in any order. An outcome depends on its chunk alone, so results are
the same for any executor; `ray_workers.py` has another one. Worker processes are spawned, never forked, and end with
the process that started them, however that ends. If a worker dies, its chunk is given to another.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from typing import Protocol

from shengji_env.arena.chunks import Chunk, PlayedChunk, play_chunk
from shengji_env.arena.deal_batch import BatchWatch
from shengji_env.arena.limits import MOST_WORKERS
from shengji_env.engine.compile import is_compiled
from shengji_env.envs.arguments import check_index
from shengji_env.envs.batch import ShengjiVectorEnv
from shengji_env.errors import ShengjiError
from shengji_env.players.cores import THREADS_VARIABLE, num_cores, share_of_cores

PATIENCE = 2.0
"""Seconds after which chunks are given to workers if their number was not chosen: about what starting them takes."""
MAX_DEATHS = 3
"""Give up when workers have died this often in a row, without a finished chunk in between."""
_SECONDS_BETWEEN_WORDS = 0.2
_MOST_ON_WINDOWS = 61
"""Most processes that a pool can wait for on Windows."""


class Executor(Protocol):
    """Plays chunks."""

    def play(self, chunks: Sequence[Chunk], watch: BatchWatch) -> Iterator[PlayedChunk]:
        """Play chunks; yield each as it is finished.

        Raises:
            ShengjiError: workers keep dying.
        """
        ...


class InProcess(AbstractContextManager["InProcess"]):
    """Plays chunks in this process, one after another."""

    def __exit__(self, *_: object) -> None:
        """Do nothing: there are no workers to end."""

    def play(self, chunks: Sequence[Chunk], watch: BatchWatch) -> Iterator[PlayedChunk]:
        """Play chunks (`Executor.play`)."""
        for chunk in chunks:
            yield play_chunk(chunk, watch)


class Pool(AbstractContextManager["Pool"]):
    """Plays chunks in spawned worker processes.

    Args:
        workers: number of processes; each uses its share of the cores.
    """

    def __init__(self, workers: int) -> None:
        self.workers = min(workers, _MOST_ON_WINDOWS) if sys.platform == "win32" else workers
        self._pool: ProcessPoolExecutor | None = None

    def __exit__(self, *_: object) -> None:
        """End the workers at once."""
        if self._pool is None:
            return
        processes = list((getattr(self._pool, "_processes", None) or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        self._pool = None

    def play(self, chunks: Sequence[Chunk], watch: BatchWatch) -> Iterator[PlayedChunk]:
        """Play chunks (`Executor.play`)."""
        left, deaths = dict(enumerate(chunks)), 0
        while left:
            try:
                for number, played in self._play_all(left, watch):
                    del left[number]
                    deaths = 0
                    yield played
            except BrokenProcessPool as error:
                self.__exit__()
                deaths += 1
                if deaths == MAX_DEATHS:
                    raise ShengjiError(_deaths_text(list(left.values()))) from error

    def _play_all(self, left: dict[int, Chunk], watch: BatchWatch) -> Iterator[tuple[int, PlayedChunk]]:
        pool = self._pool or self._start()
        with _interrupts_held():
            futures: dict[Future[PlayedChunk], int] = {pool.submit(play_chunk, chunk): n for n, chunk in left.items()}
        while futures:
            done, _ = wait(futures, timeout=_SECONDS_BETWEEN_WORDS, return_when=FIRST_COMPLETED)
            watch(0.0)
            # A failed one comes last, so that the others' chunks are not lost.
            for future in sorted(done, key=lambda each: each.exception() is not None):
                yield futures.pop(future), future.result()

    def _start(self) -> ProcessPoolExecutor:
        if not is_compiled("batch"):
            ShengjiVectorEnv(1)  # otherwise each worker would compile, with a note; players have been made before
        context = multiprocessing.get_context("spawn")
        before = os.environ.get(THREADS_VARIABLE)
        os.environ[THREADS_VARIABLE] = str(min(share_of_cores(), max(1, num_cores() // self.workers)))
        try:
            self._pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_begin_work)
            # Workers start with the first tasks, and inherit the environment variables at that moment.
            with _interrupts_held():
                started = [self._pool.submit(os.getpid) for _ in range(self.workers)]
            wait(started)
        finally:
            if before is None:
                del os.environ[THREADS_VARIABLE]
            else:
                os.environ[THREADS_VARIABLE] = before
        return self._pool


class Automatic(AbstractContextManager["Automatic"]):
    """Plays chunks in this process for as long as starting workers would take, then on all cores."""

    def __init__(self) -> None:
        self._pool = Pool(num_cores())
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        """End the workers."""
        self._pool.__exit__()

    def play(self, chunks: Sequence[Chunk], watch: BatchWatch) -> Iterator[PlayedChunk]:
        """Play chunks (`Executor.play`)."""
        left = list(chunks)
        while left and (len(left) == 1 or self._pool.workers == 1 or time.monotonic() - self._began < PATIENCE):
            try:
                played = play_chunk(left[0], self._watched(watch, alone=len(left) == 1))
            except _OutOfPatience:
                break
            del left[0]
            yield played
        yield from self._pool.play(left, watch)

    def _watched(self, watch: BatchWatch, *, alone: bool) -> BatchWatch:
        """Return the watch, extended to give up a chunk that workers could play faster."""

        def watched(deals: float) -> None:
            watch(deals)
            if not alone and self._pool.workers > 1 and time.monotonic() - self._began > PATIENCE:
                raise _OutOfPatience

        return watched


class _OutOfPatience(Exception):
    """A chunk takes longer than starting workers would take."""


def executor_for(workers: int | None) -> InProcess | Pool | Automatic:
    """Return the executor for a number of workers; None: one per core, once it is worth starting them.

    Raises:
        ShengjiError: the number is out of range.
    """
    if workers is None:
        return Automatic()
    workers = check_index("workers", workers, 1, MOST_WORKERS)
    return InProcess() if workers == 1 else Pool(workers)


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C in the block; processes started in it never receive Ctrl-C, even while they still import modules."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_work() -> None:
    """Ignore interrupts, which are for the process that started this one, and end when that process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _deaths_text(left: list[Chunk]) -> str:
    first = left[0]
    meeting = " against ".join(first.players[:2])
    return (
        f"the workers died {MAX_DEATHS} times in a row; the first chunk left is {meeting}, deals {first.first} to "
        f"{first.end - 1}. A player crashes, or memory is short: try --workers 1"
    )
