"""What a run has done so far: counters, seconds by activity, one row per update, every match-up during the run.

It is plain data, so a checkpoint can hold it as JSON, and a resumed run can continue the counts.
"""

import dataclasses
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.config import UNLIMITED, Config
from shengji_env.errors import CheckpointError

HISTORY = {"seconds": float, "steps": float, "entropy": float}
MATCHUP = {
    "seconds": float,
    "steps": float,
    "opponent": str,
    "levels_per_round": float,
    "interval": list,
    "level_rate": float,
    "level_rate_interval": list,
    "points_interval": list,
    "win_rate_interval": list,
}
"""Entries that a row of either list must have; all others are numbers."""
MOST_SHOWN = 200
"""Most characters shown of a checkpoint's texts."""


@dataclass
class Progress:
    """Counters over all resumes of a run; seconds are wall-clock."""

    imitation_seconds: float = 0.0
    imitation_steps: int = 0
    training_seconds: float = 0.0
    steps: int = 0
    updates: int = 0
    environment_seconds: float = 0.0
    inference_seconds: float = 0.0
    update_seconds: float = 0.0
    evaluation_seconds: float = 0.0
    evaluated_at: float = 0.0
    """Value of `training_seconds` at the last match-up."""
    checkpointed_at: float = 0.0
    """Value of `seconds` at the last checkpoint."""
    history: list[dict[str, float]] = field(default_factory=list)
    """One row per update, for the learning curve."""
    matchups: list[dict[str, Any]] = field(default_factory=list)
    """One row per match-up during the run."""

    @property
    def seconds(self) -> float:
        """Seconds of learning, including the match-ups during the run."""
        return self.imitation_seconds + self.training_seconds

    @property
    def steps_per_second(self) -> float:
        """Decisions of self-play per second, without match-ups."""
        spent = self.environment_seconds + self.inference_seconds + self.update_seconds
        return self.steps / spent if spent else 0.0

    def shares(self) -> dict[str, float]:
        """Shares of self-play's time in environment, inference and update; they sum to 1."""
        spent = {
            "environment": self.environment_seconds,
            "inference": self.inference_seconds,
            "update": self.update_seconds,
        }
        total = sum(spent.values()) or 1.0
        return {name: seconds / total for name, seconds in spent.items()}

    def imitation_done(self, config: Config) -> float:
        """Return the part of the warm start that is done, 0 to 1."""
        return _part(self.imitation_seconds, config.imitation.seconds)

    def training_done(self, config: Config) -> float:
        """Return the part of self-play's budget that is used up, 0 to 1: of steps or seconds, whichever is larger."""
        training = config.training
        parts = [_part(self.steps, training.steps)] if training.steps else []
        parts += [_part(self.training_seconds, training.seconds)] if training.seconds else []
        return max(parts)

    def to_json(self) -> dict[str, Any]:
        """Return all fields as plain values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Progress":
        """Read the progress that `to_json` wrote.

        Raises:
            CheckpointError: A figure is missing, unknown, of another type, negative or not finite.
        """
        fields = {entry.name: entry for entry in dataclasses.fields(cls)}
        if set(values) != set(fields):
            differing = ", ".join(sorted(set(fields) ^ set(values)))
            raise CheckpointError(f"its progress lacks, or does not know: {differing[:MOST_SHOWN]}")
        for name, value in values.items():
            if fields[name].type in (int, float):
                _check_figure(f"progress.{name}", value, fields[name].type is int)
        _check_rows("history", values["history"], HISTORY)
        _check_rows("matchups", values["matchups"], MATCHUP)
        return cls(**values)


def _check_figure(name: str, value: Any, is_whole: bool = False) -> None:
    is_number = type(value) is int or (type(value) is float and not is_whole)
    if not is_number or not 0 <= value < UNLIMITED:
        kind = "whole number" if is_whole else "number"
        raise CheckpointError(f"{name} in its meta.json is {reprlib.repr(value)}; it must be a {kind}, 0 or more")


def _check_rows(name: str, rows: Any, needed: Mapping[str, type]) -> None:
    """Check the rows of a curve: they have all entries that are drawn, and the others are numbers."""
    if not isinstance(rows, list):
        raise CheckpointError(f"progress.{name} in its meta.json is no list")
    for place, row in enumerate(rows):
        what = f"progress.{name}[{place}]"
        if not isinstance(row, dict) or not set(needed) <= set(row):
            raise CheckpointError(f"{what} in its meta.json has not all of {', '.join(needed)}")
        for figure in ("seconds", "steps"):
            _check_figure(f"{what}.{figure}", row[figure])
        for figure, value in row.items():
            if not _is_of(value, needed.get(figure, float)):
                raise CheckpointError(f"{what}.{figure} in its meta.json is {reprlib.repr(value)}")


def _is_of(value: Any, kind: type) -> bool:
    """Return whether a value is a text, an interval or a number, as asked for; losses may be NaN."""
    if kind is list:
        return isinstance(value, list) and len(value) == 2 and all(_is_of(end, float) for end in value)
    if kind is str:
        return isinstance(value, str) and len(value) <= MOST_SHOWN
    return type(value) is float or (type(value) is int and abs(value) < UNLIMITED)


def _part(spent: float, budget: float) -> float:
    return min(1.0, spent / budget) if budget > 0 else 1.0
