"""The kinds of learners, by the name that ``[learner] kind`` gives; a learner is a folder beside this module.

A learner's modules, and the libraries it needs, are imported only when one is made. ``ppo`` is no learner of these
runs, but a program of its own, to which `train.py` hands over.
"""

from collections.abc import Callable
from dataclasses import dataclass

from agents.learner_protocol import LearnerClass
from agents.ppo_config import PPOConfig
from agents.run_config import Config
from agents.selfplay.selfplay_config import SelfplayConfig
from shengji_env.errors import ConfigError


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
    raise ConfigError('[learner] kind = "ppo" is learned by python -m agents.sb3_single_file')


def _load_selfplay() -> LearnerClass:
    from agents.selfplay.selfplay_learner import SelfplayLearner

    return SelfplayLearner


KINDS: dict[str, LearnerKind] = {
    "ppo": LearnerKind("self-play with MaskablePPO, in a file of its own", PPOConfig, (), _load_ppo),
    "selfplay": LearnerKind("self-play from random weights, by its own playouts", SelfplayConfig, (), _load_selfplay),
}

GONE = {"values": "the value learner is gone, train with self-play; commit ae115e50 has it"}
"""Why kinds of learners of before are no more."""


def kind_of(config: Config) -> LearnerKind:
    """Return the kind of learner that a config asks for."""
    return KINDS[config.learner.kind]
