"""Jobs: what workers do with tasks, and the protocol of those who have it done."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from shengji_env.support.cores import num_cores

Task = TypeVar("Task")
Returned = TypeVar("Returned")

Watch = Callable[[float], object]
"""Called now and then with how much of a task has been done, in the job's own unit; what it raises ends the work."""

MAX_WORKERS = max(64, 4 * num_cores())
"""Most worker processes: more would only take memory and slow one another down."""


@dataclass(frozen=True)
class Job(Generic[Task, Returned]):
    """What is done with tasks: pure data in, pure data out."""

    work: Callable[[Task, Watch | None], Returned]
    """Does a task; a module's function, so that other processes find it. The outcome depends on the task alone."""
    prepare: Callable[[], object]
    """Compiles what tasks need that is not compiled yet: called before workers start, so that not all of them do."""
    describe: Callable[[Task], str]
    """Names a task in an error."""


class Executor(Protocol):
    """Does tasks."""

    def do(self, job: Job[Task, Returned], tasks: Sequence[Task], watch: Watch) -> Generator[Returned]:
        """Do tasks; yield each outcome as it is there, in any order. Whoever closes the generator drops the rest.

        Raises:
            ShengjiError: workers keep dying.
        """
        ...
