"""What a run has done so far: counters, seconds by activity, one row an update, every match-up on the way.

It is plain data, so that a checkpoint holds it as JSON and a resumed run counts on.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.config import Config


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
    """One row an update, for the learning curve."""
    matchups: list[dict[str, Any]] = field(default_factory=list)
    """One row a match-up on the way."""

    @property
    def seconds(self) -> float:
        """Seconds of learning, match-ups on the way included."""
        return self.imitation_seconds + self.training_seconds

    @property
    def steps_per_second(self) -> float:
        """Decisions of self-play a second, match-ups left out."""
        spent = self.environment_seconds + self.inference_seconds + self.update_seconds
        return self.steps / spent if spent else 0.0

    def shares(self) -> dict[str, float]:
        """Parts of self-play's time spent in environment, inference and update; they sum to 1."""
        spent = {
            "environment": self.environment_seconds,
            "inference": self.inference_seconds,
            "update": self.update_seconds,
        }
        total = sum(spent.values()) or 1.0
        return {name: seconds / total for name, seconds in spent.items()}

    def imitation_done(self, config: Config) -> float:
        """Part of the warm start that is done, 0 to 1."""
        return _part(self.imitation_seconds, config.imitation.seconds)

    def training_done(self, config: Config) -> float:
        """Part of self-play's budget that is used up, 0 to 1: steps or seconds, whichever is further."""
        training = config.training
        parts = [_part(self.steps, training.steps)] if training.steps else []
        parts += [_part(self.training_seconds, training.seconds)] if training.seconds else []
        return max(parts)

    def to_json(self) -> dict[str, Any]:
        """All fields as plain values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Progress":
        """The progress that `to_json` wrote."""
        return cls(**values)


def _part(spent: float, budget: float) -> float:
    return min(1.0, spent / budget) if budget > 0 else 1.0
