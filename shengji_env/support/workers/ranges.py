"""Rounds by number in a folder of files, a range of them in each: what is there, what is missing, who makes it.

A file is there only if it is whole, so a run that was killed is resumed by making what is missing.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from shengji_env.errors import RecordError
from shengji_env.support.text_files import parse_json
from shengji_env.support.workers.jobs import Executor, Job, Returned
from shengji_env.support.workers.pools import InProcess

Settings = TypeVar("Settings")
FolderWatch = Callable[[int, int, float], object]
"""Called now and then with the rounds that are there, the rounds wanted, and those made of files not finished yet."""


@dataclass(frozen=True)
class RoundRange(Generic[Settings]):
    """A file to be made: rounds first..end-1."""

    settings: Settings
    """What its rounds are made of."""
    first: int
    end: int

    def describe(self) -> str:
        """Name it, in an error."""
        return f"rounds {self.first} to {self.end - 1}"


@dataclass(frozen=True)
class RangeFiles:
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

    def lacking(self, folder: Path, settings: Settings, num_rounds: int, most: int) -> list[RoundRange[Settings]]:
        """Return the files that a folder lacks of the rounds 0..num_rounds-1, with at most `most` rounds each."""
        ranges = missing(list(self.found(folder).values()), num_rounds, most)
        return [RoundRange(settings, *each) for each in ranges]


def fill(
    ranges: Sequence[RoundRange[Settings]],
    num_rounds: int,
    job: Job[RoundRange[Settings], Returned],
    keep: Callable[[Returned], int],
    *,
    executor: Executor | None,
    watch: FolderWatch | None,
) -> None:
    """Have the files made that a folder lacks, and keep each as soon as it is finished.

    Args:
        ranges: the files, of a folder that the caller has locked (`RangeFiles.lacking`).
        num_rounds: how many rounds are wanted, those that are there included.
        job: what is done with a file.
        keep: writes an outcome's file; returns its number of rounds.
        executor: who makes them; None: this process.
        watch: called now and then; what it raises ends the work.
    """
    done = num_rounds - sum(each.end - each.first for each in ranges)

    def say(unfinished: float) -> None:
        if watch is not None:
            watch(done, num_rounds, unfinished)

    say(0.0)
    for outcome in (executor or InProcess()).do(job, ranges, say):
        done += keep(outcome)
        say(0.0)


def missing(have: Sequence[tuple[int, int]], num_rounds: int, most: int) -> list[tuple[int, int]]:
    """Return the ranges of rounds 0..num_rounds-1 that are not there, none across a multiple of `most`.

    Args:
        have: the ranges that are there, first and end, in ascending order.
        num_rounds: how many rounds are wanted.
        most: most rounds of a range.
    """
    ranges, done = [], 0
    for first, end in [*have, (num_rounds, num_rounds)]:
        while done < min(first, num_rounds):
            stop = min(first, num_rounds, (done // most + 1) * most)
            ranges.append((done, stop))
            done = stop
        done = max(done, end)
    return ranges


def read_settings(path: Path, form: str) -> dict[str, Any]:
    """Read a folder's file of settings.

    Raises:
        RecordError: it is not a JSON object, or does not say that it has this format.
        OSError: it cannot be read.
    """
    header = parse_json(path.read_bytes(), RecordError)
    if not isinstance(header, dict) or header.get("format") != form:
        raise RecordError(f"it does not say {form}")
    return header
