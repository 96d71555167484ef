"""What a run asks of a learner: the interface between what every run does and what one kind of learner does.

A run goes through the learner's stages. In each it calls `Stage.collect` and `Stage.update` by turns until the stage's
budget is used up, counts what was done, shows and keeps the metrics, and plays match-ups with what `Learner.export`
wrote. `agents.kinds` makes learners, fresh or from a `LearnerState`.

| what a learner decides                              | where                                      |
|-----------------------------------------------------|--------------------------------------------|
| the keys of its config, and what may not be changed | its subclass of `agents.run_config.Config` |
| its stages and their budgets                        | `Learner.stages`                           |
| where its data come from, and what it does with it  | `Stage.collect`, `Stage.update`            |
| what a checkpoint holds of it                       | `Learner.save`, `LearnerState`             |
| how its network becomes a player                    | `Learner.export`                           |
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray


@dataclass(frozen=True)
class Collected:
    """What one call of `Stage.collect` brought.

    Attributes:
        amount: How many of the stage's units.
        seconds: How long it took, by activity, such as ``{"environment": 0.2, "inference": 0.3}``.
    """

    amount: int
    seconds: Mapping[str, float]


@dataclass(eq=False)
class Stage(ABC):
    """A part of a run, with its budget; it ends when either limit is reached. Each kind of stage is a subclass.

    Attributes:
        name: Its name on the terminal, in the report and in checkpoints, such as ``"self-play"``.
        unit: What it collects, in the plural: ``"steps"``, ``"samples"``.
        amount: How many of them it collects over all resumes; 0 for no limit.
        seconds: How many seconds of learning it lasts over all resumes, its match-ups included; 0 for no limit.
        has_matchups: Whether match-ups are played at its beginning and every ``evaluation.every_seconds`` of it.
            The last stage that has them is the run's main one.
        shown: The metrics of an update that are shown while it lasts.
        untrained: A sentence on the match-ups at its beginning, if nothing has been learned by then: what they mean.
    """

    name: str
    unit: str
    amount: int = 0
    seconds: float = 0.0
    has_matchups: bool = True
    shown: tuple[str, ...] = ()
    untrained: str = ""

    def get_ready(self) -> None:  # noqa: B027  # most stages have nothing to get ready
        """Do what is done once, when a run comes to the stage or resumes it; the clock of its rate does not run."""

    @abstractmethod
    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Collect what the next `update` learns from.

        Args:
            done: The part of the stage's budget that is used up, 0 to 1.
            check: To be called at least every second or so; raises `Interrupted` if the user asked to stop.

        Raises:
            Interrupted: From ``check``. What was collected so far is lost, and the learner can be saved as it is.
            ConfigError: Something that the config names is missing, such as a teacher's file.
        """

    def update(self, done: float) -> dict[str, float]:
        """Learn from what `collect` brought, or nothing; ``done`` is what it was called with.

        Returns:
            Metrics by name, the same names in every update of a stage; not ``stage``, ``seconds`` or ``amount``. What
            was not measured is NaN; an infinite one ends the run.
        """
        return {}


def main_stage(stages: Sequence[Stage]) -> Stage:
    """Return a run's main stage: the last that has match-ups; if none has any, the first."""
    return next((stage for stage in reversed(stages) if stage.has_matchups), stages[0])


@dataclass(frozen=True)
class LearnerState:
    """What a checkpoint holds of a learner; enough to resume it bit for bit.

    Attributes:
        meta: Plain values, written as JSON.
        model: The network and its optimiser, in the learner's own format; never unpickled.
        arrays: Arrays by name, without object arrays; a run ends instead of saving one that is not finite.
    """

    meta: dict[str, Any]
    model: bytes
    arrays: dict[str, NDArray[Any]]


class Learner(Protocol):
    """Something that learns to play, in stages. How is left open: it may play, label positions or read files."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages in their order. One that the config turns off is left out."""

    @property
    def drawn(self) -> Mapping[str, str]:
        """The metrics that are drawn over time below the match-ups, with the label of each."""

    @property
    def about(self) -> Mapping[str, Any]:
        """What the run's files say of this learner, as plain values: what it chose for this machine, for example."""

    @property
    def findings(self) -> Sequence[str]:
        """What the end of the run's report says besides its tables, in sentences."""

    def save(self) -> LearnerState:
        """Return the state between a stage's `update` and the next `collect`; `LearnerClass.restored` reads it."""

    def export(self, folder: Path) -> str:
        """Write the network into the run's folder, for players that need no torch; files are replaced as a whole.

        Returns:
            The text that names the player, as in the arena: ``policy:FOLDER``.

        Raises:
            OSError: It cannot be written.
        """

    def close(self) -> None:
        """End the processes and threads that the learner started."""


class LearnerClass(Protocol):
    """What makes learners of a kind, such as their class; configs are of that kind."""

    def check(self, config: Any) -> None:
        """Check what only a new run needs, such as the players that its config names, before its folder is made.

        Raises:
            ConfigError: Something is missing.
        """

    def fresh(self, config: Any) -> Learner:
        """Make a learner that has learned nothing.

        Raises:
            ConfigError: The config asks for something that is missing.
        """

    def restored(self, config: Any, saved: LearnerState) -> Learner:
        """Make the learner that `Learner.save` saved, to continue under ``config``.

        Raises:
            CheckpointError: No such learner could have saved the state; nothing large has been allocated for it.
        """
