"""What a run asks of a learner: the seam between what every run does and what one kind of learner does.

A run goes through the learner's stages. In each it calls `Learner.collect` and `Learner.update` by turns until the
stage's budget is used up, counts what was done, shows and keeps the figures, and plays match-ups with what
`Learner.export` wrote. `agents.kinds` makes learners, fresh or from a `LearnerState`.

| what a learner decides                              | where                                  |
|-----------------------------------------------------|----------------------------------------|
| the keys of its config, and what may not be changed | its subclass of `agents.config.Config` |
| its stages and their budgets                        | `Learner.stages`                       |
| where its data come from, and what it does with it  | `Learner.collect`, `Learner.update`    |
| what a checkpoint holds of it                       | `Learner.save`, `LearnerState`         |
| how its network becomes a player                    | `Learner.export`                       |
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray


@dataclass(frozen=True)
class Stage:
    """A part of a run, with its budget; it ends when either limit is reached.

    Attributes:
        name: Its name on the terminal, in the report and in checkpoints, such as ``"self-play"``.
        unit: What it collects, in the plural: ``"steps"``, ``"samples"``.
        amount: How many of them it collects over all resumes; 0 for no limit.
        seconds: How many seconds of learning it lasts over all resumes, its match-ups included; 0 for no limit.
        has_matchups: Whether match-ups are played at its beginning and every ``evaluation.every_seconds`` of it.
            The last stage that has them is the run's main one.
        shown: The figures of an update that are shown while it lasts.
    """

    name: str
    unit: str
    amount: int = 0
    seconds: float = 0.0
    has_matchups: bool = True
    shown: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that the stage ends."""
        assert self.amount > 0 or self.seconds > 0, f"stage {self.name!r} would never end"


def main_stage(stages: Sequence[Stage]) -> Stage:
    """Return a run's main stage: the last that has match-ups; if none has any, the first."""
    return next((stage for stage in reversed(stages) if stage.has_matchups), stages[0])


@dataclass(frozen=True)
class Collected:
    """What one call of `Learner.collect` brought.

    Attributes:
        amount: How many of the stage's units.
        seconds: How long it took, by activity, such as ``{"environment": 0.2, "inference": 0.3}``.
    """

    amount: int
    seconds: Mapping[str, float]


@dataclass(frozen=True)
class LearnerState:
    """What a checkpoint holds of a learner; enough to go on bit for bit.

    Attributes:
        meta: Plain values, written as JSON.
        model: The network and its optimiser, in the learner's own format; never unpickled.
        arrays: Arrays by name, without object arrays.
    """

    meta: dict[str, Any]
    model: bytes
    arrays: dict[str, NDArray[Any]]


class Learner(Protocol):
    """Something that learns to play, in stages. Nothing is said of how: it may play, label positions or read files."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages in their order. One that the config turns off is left out."""

    @property
    def drawn(self) -> Mapping[str, str]:
        """The figures that are drawn over time below the match-ups, with the label of each."""

    @property
    def about(self) -> Mapping[str, Any]:
        """What the run's files say of this learner, as plain values: what it chose for this machine, for example."""

    @property
    def findings(self) -> Sequence[str]:
        """What the end of the run's report says besides its tables, in sentences."""

    def collect(self, stage: Stage, done: float, check: Callable[[], None]) -> Collected:
        """Collect what the next `update` learns from.

        Args:
            stage: One of `stages`.
            done: The part of the stage's budget that is used up, 0 to 1.
            check: To be called at least every second or so; raises `Interrupted` if the user asked to stop.

        Raises:
            Interrupted: From ``check``. What was collected so far is lost, and the learner can be saved as it is.
            ConfigError: Something that the config names is missing, such as a teacher's file.
        """

    def update(self, stage: Stage, done: float) -> dict[str, float]:
        """Learn from what `collect` brought; ``stage`` and ``done`` are those it was called with.

        Returns:
            Figures by name, the same names in every update of a stage; not ``stage``, ``seconds`` or ``amount``. They
            may be NaN.
        """

    def save(self) -> LearnerState:
        """Return the state between an `update` and the next `collect`, from which `agents.kinds` restores it."""

    def export(self, folder: Path) -> str:
        """Write the network into the run's folder, for players that need no torch; files are replaced as a whole.

        Returns:
            The text that names the player, as in the arena: ``policy:FOLDER``.

        Raises:
            OSError: It cannot be written.
        """

    def close(self) -> None:
        """End the processes and threads that the learner started."""
