"""The kinds of learners, by the name that ``[learner] kind`` gives; each is a folder beside this module.

A learner's modules, and the libraries it needs, are imported only when one is made.
"""

from collections.abc import Callable
from dataclasses import dataclass

from agents.config import Config
from agents.learner import Learner, LearnerState
from agents.ppo.config import PPOConfig
from agents.values.config import ValuesConfig


@dataclass(frozen=True)
class LearnerKind:
    """A kind of learner.

    Attributes:
        help: What it is, for ``train.py --keys``.
        config: Its tables and keys.
        libraries: The distributions that affect its numbers, besides those of every run.
        make: Makes a fresh learner, or one that goes on from what `Learner.save` returned. Raises `ConfigError` if the
            config asks for something that is missing, and `CheckpointError` if no such learner could have saved the
            state; then nothing large has been allocated for it.
    """

    help: str
    config: type[Config]
    libraries: tuple[str, ...]
    make: Callable[[Config, LearnerState | None], Learner]


def _make_ppo(config: Config, saved: LearnerState | None) -> Learner:
    from agents.ppo.learner import PPOLearner

    assert isinstance(config, PPOConfig)
    return PPOLearner.fresh(config) if saved is None else PPOLearner.restored(config, saved)


def _make_values(config: Config, saved: LearnerState | None) -> Learner:
    from agents.values.learner import ValueLearner

    assert isinstance(config, ValuesConfig)
    return ValueLearner.fresh(config) if saved is None else ValueLearner.restored(config, saved)


KINDS: dict[str, LearnerKind] = {
    "ppo": LearnerKind(
        "self-play with MaskablePPO after imitating a player",
        PPOConfig,
        ("stable-baselines3", "sb3-contrib"),
        _make_ppo,
    ),
    "values": LearnerKind(
        "regression on what became of candidate plays in rollouts",
        ValuesConfig,
        ("stable-baselines3", "sb3-contrib"),
        _make_values,
    ),
}


def kind_of(config: Config) -> LearnerKind:
    """Return the kind of learner that a config asks for."""
    return KINDS[config.learner.kind]
