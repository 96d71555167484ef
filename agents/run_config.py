"""The keys that every run has: one dataclass for each table of the TOML file, with a line under each field.

A learner adds tables of its own in a subclass of `Config`. `agents.config_files` reads and writes them.
"""

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

from agents.toml_text import brief
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import ConfigError, RuleSetError
from shengji_env.support.settings import between, settled

OWN_RULES, DRAWN_RULES = "own", "drawn"
"""Rules of a learner's rounds: the environment's, or many."""
FRESH = "fresh"
"""Random weights, as a network's start."""


@dataclass(frozen=True)
class RunConfig:
    """[run]: name and randomness."""

    name: str = "selfplay"
    """The run's folder is ``runs/<name>-<timestamp>``; up to 100 characters: letters, digits, "-", "_" and "."."""
    seed: int = settled(between(1, 0, 2**31 - 1))
    """Seed of deals, network and minibatches; 0 to 2147483647."""


@dataclass(frozen=True)
class LearnerConfig:
    """[learner]: what learns."""

    kind: str = settled("selfplay")
    """The kind of learner, which also decides which tables there are besides those of every run."""


@dataclass(frozen=True)
class EnvironmentConfig:
    """[environment]: what is played."""

    rules: str = "two_deck"
    """A rule set: a name, or a name with options such as "two_deck(throws=False)"."""


@dataclass(frozen=True)
class EvaluationConfig:
    """[evaluation]: duplicate match-ups."""

    every_seconds: float = between(120.0, 0)
    """Seconds of learning between two match-ups, in stages that have them; 0 for none before the end."""
    deals: int = between(200, 2, 10**7)
    """Duplicate deals of a match-up during the run; 2 to 10000000."""
    final_deals: int = between(1000, 2, 10**7)
    """Duplicate deals of each match-up at the end; 2 to 10000000."""
    ablation_deals: int = between(1000, 2, 10**7)
    """Duplicate deals of each ablation at the end; 2 to 10000000."""
    seed: int = between(20_000, 0, 2**31 - 1)
    """Seed of the deals played in match-ups; 0 to 2147483647."""


@dataclass(frozen=True)
class CheckpointConfig:
    """[checkpoint]: what a crash may cost."""

    every_seconds: float = between(60.0, 0)
    """Seconds of learning between two checkpoints; 0 for one after every update."""


@dataclass(frozen=True)
class Config:
    """The tables of every run; each kind of learner has a subclass with its own."""

    run: RunConfig = RunConfig()
    learner: LearnerConfig = LearnerConfig()
    environment: EnvironmentConfig = EnvironmentConfig()
    evaluation: EvaluationConfig = EvaluationConfig()
    checkpoint: CheckpointConfig = CheckpointConfig()

    def to_json(self) -> dict[str, Any]:
        """Return the resolved values as nested plain dictionaries, readable by `config_from`."""
        tables = dataclasses.asdict(self)
        return {name: {k: _plain(v) for k, v in table.items()} for name, table in tables.items()}

    def compatibility(self) -> dict[str, Any]:
        """Return what of the learner must be equal for saved weights to have the same meaning, as plain values."""
        return {}

    def check(self) -> None:
        """Check the texts, and conditions on several keys at once.

        Raises:
            ConfigError: A value is impossible.
        """
        if not re.fullmatch(r"[A-Za-z0-9][\w.-]{0,99}", self.run.name, re.ASCII):
            raise ConfigError(
                f"run.name = {brief(self.run.name)}: must begin with a letter or digit "
                "and have up to 100 characters: letters, digits, '-', '_' and '.'"
            )
        try:
            parse_rules(self.environment.rules)
        except RuleSetError as error:
            raise ConfigError(f"environment.rules: {error}") from None


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
