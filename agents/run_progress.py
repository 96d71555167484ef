"""What a run has done so far: counters and seconds of each stage, one row per update, every match-up during the run.

It is plain data, so a checkpoint can hold it as JSON, and a resumed run can continue the counts.
"""

import dataclasses
import reprlib
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.learner_protocol import Collected, Stage
from shengji_env.errors import CheckpointError
from shengji_env.support.settings import UNLIMITED

UPDATE = "update"
"""The activity whose seconds the run itself counts."""
HISTORY: dict[str, type] = {"stage": str, "seconds": float, "amount": float}
MATCHUP = HISTORY | {
    "opponent": str,
    "levels_per_round": float,
    "interval": list,
    "level_rate": float,
    "level_rate_interval": list,
    "points_interval": list,
    "win_rate_interval": list,
}
"""Entries that a row of either list must have; all others are numbers."""
MAX_SHOWN = 200
"""Most characters shown of a checkpoint's texts."""


@dataclass
class StageProgress:
    """Counters of one stage over all resumes of a run; seconds are wall-clock."""

    amount: int = 0
    """Units collected."""
    updates: int = 0
    seconds: float = 0.0
    """Seconds of learning, including the match-ups."""
    spent: dict[str, float] = field(default_factory=dict)
    """Seconds by activity, without match-ups."""

    @property
    def per_second(self) -> float:
        """Units per second, without match-ups."""
        spent = sum(self.spent.values())
        return self.amount / spent if spent else 0.0

    def shares(self) -> dict[str, float]:
        """Shares of the time, by activity; they sum to 1."""
        total = sum(self.spent.values()) or 1.0
        return {name: seconds / total for name, seconds in self.spent.items()}

    def add(self, collected: Collected, *, update: float, seconds: float) -> None:
        """Count what was collected, an update that took ``update`` seconds, and ``seconds`` for both together."""
        self.amount += collected.amount
        self.updates += 1
        self.seconds += seconds
        for name, spent in {**collected.seconds, UPDATE: update}.items():
            self.spent[name] = self.spent.get(name, 0.0) + spent

    def done(self, stage: Stage) -> float:
        """Return the part of the stage's budget that is used up, 0 to 1: of units or seconds, whichever is larger."""
        parts = [self.amount / stage.amount] if stage.amount else []
        parts += [self.seconds / stage.seconds] if stage.seconds else []
        assert parts, f"stage {stage.name!r} would never end"
        return min(1.0, max(parts))


@dataclass
class RunProgress:
    """Counters over all resumes of a run; seconds are wall-clock."""

    stages: dict[str, StageProgress] = field(default_factory=dict)
    """The stages that have begun, by name."""
    evaluation_seconds: float = 0.0
    evaluated_at: float = 0.0
    """Value of `seconds` at the last match-up."""
    checkpointed_at: float = 0.0
    """Value of `seconds` at the last checkpoint."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """One row per update, for the learning curve."""
    matchups: list[dict[str, Any]] = field(default_factory=list)
    """One row per match-up during the run."""

    def of(self, stage: Stage) -> StageProgress:
        """Return the counters of a stage, which are 0 before it begins."""
        return self.stages.setdefault(stage.name, StageProgress())

    @property
    def seconds(self) -> float:
        """Seconds of learning, including the match-ups during the run."""
        return sum(stage.seconds for stage in self.stages.values())

    @property
    def amount(self) -> int:
        """Units collected in all stages."""
        return sum(stage.amount for stage in self.stages.values())

    def row(self, stage: Stage) -> dict[str, Any]:
        """Return the beginning of a row of either list."""
        return {"stage": stage.name, "seconds": self.seconds, "amount": float(self.of(stage).amount)}

    def to_json(self) -> dict[str, Any]:
        """Return all fields as plain values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "RunProgress":
        """Read the progress that `to_json` wrote.

        Raises:
            CheckpointError: A number is missing, unknown, of another type, negative or not finite.
        """
        progress: RunProgress = _read("progress", cls, values)
        _check_rows("history", progress.history, HISTORY)
        _check_rows("matchups", progress.matchups, MATCHUP)
        return progress


def _read(what: str, kind: Any, value: Any) -> Any:
    """Read a value as what a field holds: a class, a dictionary, a number. Rows are returned as they are."""
    if kind in (int, float):
        return _checked(what, value, is_whole=kind is int)
    if typing.get_origin(kind) is list:
        return value
    if not isinstance(value, dict):
        raise CheckpointError(f"{what} in its meta.json is not an object")
    if typing.get_origin(kind) is dict:
        part = typing.get_args(kind)[1]
        return {name: _read(f"{what}.{name[:MAX_SHOWN]}", part, each) for name, each in value.items()}
    fields = {entry.name: entry.type for entry in dataclasses.fields(kind)}
    if set(value) != set(fields):
        differing = ", ".join(sorted(set(fields) ^ set(value)))
        raise CheckpointError(f"its {what} lacks, or does not know: {differing[:MAX_SHOWN]}")
    return kind(**{name: _read(f"{what}.{name}", fields[name], each) for name, each in value.items()})


def _checked(what: str, value: Any, *, is_whole: bool = False) -> Any:
    """Return a number that is not negative."""
    is_number = type(value) is int or (type(value) is float and not is_whole)
    if not is_number or not 0 <= value < UNLIMITED:
        kind = "whole number" if is_whole else "number"
        raise CheckpointError(f"{what} in its meta.json is {reprlib.repr(value)}; it must be a {kind}, 0 or more")
    return value


def _check_rows(name: str, rows: Any, needed: Mapping[str, type]) -> None:
    """Check the rows of a curve: they have all entries that are drawn, and the others are numbers."""
    if not isinstance(rows, list):
        raise CheckpointError(f"progress.{name} in its meta.json is not a list")
    for index, row in enumerate(rows):
        what = f"progress.{name}[{index}]"
        if not isinstance(row, dict) or not set(needed) <= set(row):
            raise CheckpointError(f"{what} in its meta.json has not all of {', '.join(needed)}")
        for key in ("seconds", "amount"):
            _checked(f"{what}.{key}", row[key])
        for key, value in row.items():
            if not _is_of(value, needed.get(key, float)):
                raise CheckpointError(f"{what}.{key} in its meta.json is {reprlib.repr(value)}")


def _is_of(value: Any, kind: type) -> bool:
    """Return whether a value is a text, an interval or a number, as asked for; losses may be NaN."""
    if kind is list:
        return isinstance(value, list) and len(value) == 2 and all(_is_of(end, float) for end in value)
    if kind is str:
        return isinstance(value, str) and len(value) <= MAX_SHOWN
    return type(value) is float or (type(value) is int and abs(value) < UNLIMITED)
