"""Who does tasks: this process, its threads, or one worker process per core.

An outcome depends on its task alone, so results are the same for any executor; `on_ray.py` has another one. Worker
processes are spawned, never forked, and end with the process that started them, however that ends. If a worker dies,
its task is given to another.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager

from shengji_env.errors import ShengjiError
from shengji_env.support.arguments import check_index
from shengji_env.support.cores import THREADS_VARIABLE, num_cores, share_of_cores
from shengji_env.support.workers.jobs import MAX_WORKERS, Job, Returned, Task, Watch

PATIENCE = 2.0
"""Seconds after which tasks are given to workers if their number was not chosen: about what starting them takes."""
MAX_DEATHS = 3
"""Give up when workers have died this often in a row, without a finished task in between."""
_SECONDS_BETWEEN_WORDS = 0.2
_MAX_TO_END = 2.0
"""Seconds that a pool is given to end."""
_MAX_ON_WINDOWS = 61
"""Most processes that a pool can wait for on Windows."""


class InProcess(AbstractContextManager["InProcess"]):
    """Does tasks in this process, one after another."""

    def __exit__(self, *_: object) -> None:
        """Do nothing: there are no workers to end."""

    def do(self, job: Job[Task, Returned], tasks: Sequence[Task], watch: Watch) -> Generator[Returned]:
        """Do tasks (`jobs.Executor.do`)."""
        for task in tasks:
            yield job.work(task, watch)


class Threads(AbstractContextManager["Threads"]):
    """Does tasks in threads of this process: for work that is compiled, which does not hold the interpreter.

    Args:
        number: threads.
    """

    def __init__(self, number: int) -> None:
        self._pool = ThreadPoolExecutor(number, "work")

    def __exit__(self, *_: object) -> None:
        """End the threads, each after its task."""
        self._pool.shutdown(cancel_futures=True)

    def do(self, job: Job[Task, Returned], tasks: Sequence[Task], watch: Watch) -> Generator[Returned]:
        """Do tasks (`jobs.Executor.do`)."""
        left = {self._pool.submit(job.work, task, None) for task in tasks}
        try:
            while left:
                done, left = wait(left, timeout=_SECONDS_BETWEEN_WORDS, return_when=FIRST_COMPLETED)
                watch(0.0)
                for future in done:
                    yield future.result()
        finally:
            for future in left:
                future.cancel()


class Pool(AbstractContextManager["Pool"]):
    """Does tasks in spawned worker processes.

    Args:
        workers: number of processes; each uses its share of the cores.
    """

    def __init__(self, workers: int) -> None:
        self.workers = min(workers, _MAX_ON_WINDOWS) if sys.platform == "win32" else workers
        self._pool: ProcessPoolExecutor | None = None

    def __exit__(self, *_: object) -> None:
        """End the workers at once."""
        if self._pool is None:
            return
        processes = list((getattr(self._pool, "_processes", None) or {}).values())
        manager = getattr(self._pool, "_executor_manager_thread", None)
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        if manager is not None:
            manager.join(_MAX_TO_END)  # while it closes its pipe, the interpreter's exit might write to it
        self._pool = None

    def do(self, job: Job[Task, Returned], tasks: Sequence[Task], watch: Watch) -> Generator[Returned]:
        """Do tasks (`jobs.Executor.do`)."""
        left, deaths = dict(enumerate(tasks)), 0
        while left:
            try:
                for number, outcome in self._do_all(job, left, watch):
                    del left[number]
                    deaths = 0
                    yield outcome
            except BrokenProcessPool as error:
                self.__exit__()
                deaths += 1
                if deaths == MAX_DEATHS:
                    raise ShengjiError(_deaths_text(job.describe(next(iter(left.values()))))) from error

    def _do_all(self, job: Job[Task, Returned], left: dict[int, Task], watch: Watch) -> Generator[tuple[int, Returned]]:
        pool = self._pool or self._start(job.prepare)
        with _interrupts_held():
            futures: dict[Future[Returned], int] = {pool.submit(job.work, task, None): n for n, task in left.items()}
        try:
            while futures:
                done, _ = wait(futures, timeout=_SECONDS_BETWEEN_WORDS, return_when=FIRST_COMPLETED)
                watch(0.0)
                # A failed one comes last, so that the others' outcomes are not lost.
                for future in sorted(done, key=lambda each: each.exception() is not None):
                    yield futures.pop(future), future.result()
        finally:
            for future in futures:
                future.cancel()

    def _start(self, prepare: Callable[[], object]) -> ProcessPoolExecutor:
        prepare()  # otherwise each worker would compile, with a note
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
    """Does tasks in this process for as long as starting workers would take, then on all cores."""

    def __init__(self) -> None:
        self._pool = Pool(num_cores())
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        """End the workers."""
        self._pool.__exit__()

    def do(self, job: Job[Task, Returned], tasks: Sequence[Task], watch: Watch) -> Generator[Returned]:
        """Do tasks (`jobs.Executor.do`)."""
        left = list(tasks)
        while left and (len(left) == 1 or self._pool.workers == 1 or time.monotonic() - self._began < PATIENCE):
            try:
                outcome = job.work(left[0], self._watched(watch, alone=len(left) == 1))
            except _OutOfPatience:
                break
            del left[0]
            yield outcome
        yield from self._pool.do(job, left, watch)

    def _watched(self, watch: Watch, *, alone: bool) -> Watch:
        """Return the watch, extended to give up a task that workers could do faster."""

        def watched(done: float) -> None:
            watch(done)
            if not alone and self._pool.workers > 1 and time.monotonic() - self._began > PATIENCE:
                raise _OutOfPatience

        return watched


class _OutOfPatience(Exception):
    """A task takes longer than starting workers would take."""


def executor_for(workers: int | None) -> InProcess | Pool | Automatic:
    """Return the executor for a number of workers; None: one per core, once it is worth starting them.

    Raises:
        ShengjiError: the number is out of range.
    """
    if workers is None:
        return Automatic()
    workers = check_index("workers", workers, 1, MAX_WORKERS)
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


def _deaths_text(task: str) -> str:
    return (
        f"the workers died {MAX_DEATHS} times in a row; the first task left is {task}. It crashes, or memory is short:"
        " try --workers 1"
    )
