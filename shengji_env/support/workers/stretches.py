"""Rounds by number in a folder of files, a stretch of them in each: what is there, what is missing, who makes it.

A file is there only if it is whole, so a run that was killed is gone on with by making what is missing.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shengji_env.support.workers.jobs import Executor, Job, Outcome, Task

FolderWatch = Callable[[int, int, float], object]
"""Called now and then with the rounds that are there, the rounds wanted, and those made of files not finished yet."""


@dataclass(frozen=True)
class StretchFiles:
    """The files of a folder, each named after the rounds FIRST to END - 1 that it holds."""

    suffix: str
    """What their names end with, the dot included."""

    def path(self, folder: Path, first: int, end: int) -> Path:
        """Return the file of rounds first..end-1."""
        return folder / f"rounds-{first:010}-{end:010}{self.suffix}"

    def found(self, folder: Path) -> dict[Path, tuple[int, int]]:
        """Return the files that are there with their rounds, first and end, by round."""
        name = re.compile(rf"rounds-(\d{{10}})-(\d{{10}}){re.escape(self.suffix)}")
        matches = ((path, name.fullmatch(path.name)) for path in sorted(folder.iterdir()))
        return {path: (int(match[1]), int(match[2])) for path, match in matches if match}


def missing(have: Sequence[tuple[int, int]], num_rounds: int, most: int) -> list[tuple[int, int]]:
    """Return the stretches of rounds 0..num_rounds-1 that are not there, none across a multiple of `most`.

    Args:
        have: the stretches that are there, first and end, in ascending order.
        num_rounds: how many rounds are wanted.
        most: most rounds of a stretch.
    """
    stretches, done = [], 0
    for first, end in [*have, (num_rounds, num_rounds)]:
        while done < min(first, num_rounds):
            stop = min(first, num_rounds, (done // most + 1) * most)
            stretches.append((done, stop))
            done = stop
        done = max(done, end)
    return stretches


def make_stretches(
    stretches: Sequence[tuple[int, int]],
    num_rounds: int,
    job: Job[Task, Outcome],
    task_of: Callable[[int, int], Task],
    keep: Callable[[Outcome], int],
    *,
    executor: Executor,
    watch: FolderWatch,
) -> None:
    """Have the missing stretches made, and keep each as it is there.

    Args:
        stretches: what is missing.
        num_rounds: how many rounds are wanted, those that are there included.
        job: what is done with a stretch's task.
        task_of: makes the task of rounds first..end-1.
        keep: writes an outcome's file; returns its number of rounds.
        executor: who makes them.
        watch: called now and then; what it raises ends the work.
    """
    done = num_rounds - sum(end - first for first, end in stretches)

    def say(unfinished: float) -> None:
        watch(done, num_rounds, unfinished)

    say(0.0)
    for outcome in executor.do(job, [task_of(*each) for each in stretches], say):
        done += keep(outcome)
        say(0.0)
