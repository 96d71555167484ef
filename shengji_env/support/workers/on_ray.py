"""Tasks on Ray (extra ``ray``): on the cores of this machine, or of a whole cluster.

Results are the same as with any other executor. If a worker or machine is lost, Ray gives its task to another.
The machines of a cluster need the same version of this package, and users' players and policies at the same paths.
"""

import logging
import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from shengji_env.errors import ShengjiError
from shengji_env.support.arguments import check_index
from shengji_env.support.extras import install_hint
from shengji_env.support.workers.jobs import MAX_WORKERS, Job, Returned, Task, Watch

MAX_DEATHS = 5
"""How often Ray restarts a task whose worker was lost."""
_SECONDS_BETWEEN_WORDS = 0.2


class OnRay(AbstractContextManager["OnRay"]):
    """Does tasks on Ray.

    Args:
        address: address of a running cluster: ``auto``, ``host:port`` or ``ray://host:port``; "": start a local Ray.
        workers: cores of the local Ray; None: all.

    Raises:
        ShengjiError: Ray is not installed, or cannot be reached.
    """

    def __init__(self, address: str, workers: int | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise ShengjiError(f"Ray is not installed: {install_hint('ray')}") from error
        self._ray: Any = ray
        if workers is not None:
            workers = check_index("workers", workers, 1, MAX_WORKERS)
        # A local Ray hides GPUs from tasks that ask for none, and warns that this will change.
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        where: dict[str, Any] = {"address": address} if address else {"address": "local", "num_cpus": workers}
        try:
            ray.init(**where, log_to_driver=False, logging_level=logging.ERROR, include_dashboard=None)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ShengjiError(f"Ray cannot be reached at {address or 'this machine'}: {error}") from error
        self._task = ray.remote(max_retries=MAX_DEATHS)(_do)

    def __exit__(self, *_: object) -> None:
        """Leave Ray; end it if it was started here."""
        self._ray.shutdown()

    def do(self, job: Job[Task, Returned], tasks: Sequence[Task], watch: Watch) -> Generator[Returned]:
        """Do tasks (`jobs.Executor.do`)."""
        pending = [self._task.remote(sys.path, job.work, task) for task in tasks]
        try:
            while pending:
                done, pending = self._ray.wait(pending, timeout=_SECONDS_BETWEEN_WORDS)
                watch(0.0)
                for reference in done:
                    yield self._ray.get(reference)
        except self._ray.exceptions.WorkerCrashedError as error:
            raise ShengjiError(f"workers died {MAX_DEATHS + 1} times at one task: {error}") from error
        finally:
            for reference in pending:
                self._ray.cancel(reference)


def _do(path: list[str], work: Callable[[Any, Watch | None], Any], task: Any) -> Any:
    """Do a task on the worker that Ray has chosen; `path` is where users' modules are found."""
    sys.path.extend(folder for folder in path if folder not in sys.path)
    return work(task, None)
