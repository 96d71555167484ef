"""Chunks as tasks of Ray (extra ``ray``): on the cores of this machine, or of a whole cluster.

A task is a chunk, so results are those of any other executor. Ray gives a task whose worker or machine was lost to
another. Machines of a cluster need the same version of this package, and users' players and policies at the same
paths.
"""

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from shengji_env.arena.chunks import Chunk, Played, play_chunk
from shengji_env.arena.ranges import MOST_WORKERS, check_range
from shengji_env.arena.workers import Watch
from shengji_env.errors import ShengjiError

MAX_DEATHS = 5
"""Times that Ray starts a chunk again whose worker was lost."""
_SECONDS_BETWEEN_WORDS = 0.2


class OnRay(AbstractContextManager["OnRay"]):
    """Plays chunks on Ray.

    Args:
        address: of a running cluster: ``auto``, ``host:port`` or ``ray://host:port``; "": a Ray of its own is started.
        workers: cores of the Ray that is started; None: all.

    Raises:
        ShengjiError: Ray is not installed, or cannot be reached.
    """

    def __init__(self, address: str, workers: int | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise ShengjiError("Ray is not installed: pip install 'shengji-env[ray]'") from error
        self._ray: Any = ray
        if workers is not None:
            check_range("workers", workers, 1, MOST_WORKERS)
        # A local Ray hides GPUs from tasks that ask for none, and warns that it soon will not.
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        where: dict[str, Any] = {"address": address} if address else {"address": "local", "num_cpus": workers}
        try:
            ray.init(**where, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=None)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ShengjiError(f"Ray cannot be reached at {address or 'this machine'}: {error}") from error
        self._task = ray.remote(max_retries=MAX_DEATHS)(_play)

    def __exit__(self, *_: object) -> None:
        """Leave Ray; one that was started here ends."""
        self._ray.shutdown()

    def play(self, chunks: Sequence[Chunk], watch: Watch) -> Iterator[Played]:
        """Play chunks (`workers.Executor.play`)."""
        pending = [self._task.remote(sys.path, chunk) for chunk in chunks]
        try:
            while pending:
                done, pending = self._ray.wait(pending, timeout=_SECONDS_BETWEEN_WORDS)
                watch(0.0)
                for reference in done:
                    yield self._ray.get(reference)
        except self._ray.exceptions.WorkerCrashedError as error:
            raise ShengjiError(f"workers died {MAX_DEATHS + 1} times at one chunk: {error}") from error
        finally:
            for reference in pending:
                self._ray.cancel(reference)


def _play(path: list[str], chunk: Chunk) -> Played:
    """Play a chunk where Ray has sent it; users' modules are found where they were."""
    sys.path.extend(folder for folder in path if folder not in sys.path)
    return play_chunk(chunk)
