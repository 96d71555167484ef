"""The kinds of learners, by the name that ``[learner] kind`` gives; each is a folder beside this module.

A learner's modules, and the libraries it needs, are imported only when one is made.
"""

from collections.abc import Callable
from dataclasses import dataclass

from agents.learner_protocol import LearnerClass
from agents.ppo.ppo_config import PPOConfig
from agents.run_config import Config
from agents.selfplay.selfplay_config import SelfplayConfig
from agents.values.value_config import ValuesConfig


@dataclass(frozen=True)
class LearnerKind:
    """A kind of learner.

    Attributes:
        help: What it is, for ``train.py --keys``.
        config: Its tables and keys.
        libraries: The distributions that affect its numbers, besides those of every run.
        load: Imports what makes its learners.
    """

    help: str
    config: type[Config]
    libraries: tuple[str, ...]
    load: Callable[[], LearnerClass]


def _load_ppo() -> LearnerClass:
    from agents.ppo.ppo_learner import PPOLearner

    return PPOLearner


def _load_values() -> LearnerClass:
    from agents.values.value_learner import ValueLearner

    return ValueLearner


def _load_selfplay() -> LearnerClass:
    from agents.selfplay.selfplay_learner import SelfplayLearner

    return SelfplayLearner


_SB3 = ("stable-baselines3", "sb3-contrib")
KINDS: dict[str, LearnerKind] = {
    "ppo": LearnerKind("self-play with MaskablePPO after imitating a player", PPOConfig, _SB3, _load_ppo),
    "values": LearnerKind("regression on what became of candidate plays in rollouts", ValuesConfig, (), _load_values),
    "selfplay": LearnerKind("self-play from random weights, by its own playouts", SelfplayConfig, (), _load_selfplay),
}


def kind_of(config: Config) -> LearnerKind:
    """Return the kind of learner that a config asks for."""
    return KINDS[config.learner.kind]
