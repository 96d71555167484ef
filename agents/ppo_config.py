"""The keys of a run of MaskablePPO, which `train.py` hands over to `agents.sb3_single_file`.

All other settings have the defaults of that file, whose command line has them.
"""

from dataclasses import dataclass, field

from agents.run_config import Config, LearnerConfig
from shengji_env.errors import ConfigError
from shengji_env.support.settings import between

_OTHERS = (("evaluation", "every_seconds"), ("evaluation", "ablation_deals"), ("evaluation", "seed"),
           ("checkpoint", "every_seconds"))  # fmt: skip


@dataclass(frozen=True)
class TrainingConfig:
    """[training]: self-play with MaskablePPO."""

    steps: int = between(2_500_000, 1)
    """Decisions of the learner's seat over all resumes; 1 or more."""


@dataclass(frozen=True)
class PPOConfig(Config):
    """The tables of a run of MaskablePPO."""

    learner: LearnerConfig = field(default=LearnerConfig("ppo"))
    training: TrainingConfig = TrainingConfig()

    def check(self) -> None:
        """Check as for every run, and that no key is changed that is not read here."""
        super().check()
        for table, key in _OTHERS:
            own = getattr(self, table)
            if getattr(own, key) != getattr(type(own)(), key):
                raise ConfigError(f'{table}.{key} is not read by [learner] kind = "ppo": leave it out')
