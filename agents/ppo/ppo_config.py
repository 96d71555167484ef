"""The keys of a run of MaskablePPO, besides those of every run (`agents.run_config`)."""

from dataclasses import dataclass, field
from typing import Any

from agents.hidden import HIDDEN_VERSION
from agents.run_config import Config, EnvironmentConfig, LearnerConfig, between, one_of, settled
from shengji_env.errors import ConfigError
from shengji_env.players.networks.policy.suit_network import Widths
from shengji_env.tables.rewards import REWARDS, SHAPINGS, RewardScheme, Shaping


@dataclass(frozen=True)
class TablesConfig(EnvironmentConfig):
    """[environment]: what is played."""

    tables: int = between(512, 1, 65536)
    """Tables played at once; 1 to 65536."""
    reward: RewardScheme = field(default="levels", metadata={"options": REWARDS, "settled": True})
    """Reward of a round."""
    shaping: Shaping = field(default="none", metadata={"options": SHAPINGS, "settled": True})
    """Rewards during a round."""


@dataclass(frozen=True)
class NetworkConfig:
    """[network]: sizes and arithmetic."""

    kind: str = one_of("layers", "layers", "suits")
    """The policy's network: layers on the whole observation, or encoders that all plain suits share."""
    policy: tuple[int, ...] = (256, 128)
    """Widths of the policy's hidden layers, ReLU between them, if its kind is layers; each 1 to 4096."""
    suits: tuple[int, ...] = (96, 128, 256, 128, 64)
    """The same if its kind is suits: encoder of a plain suit, of trumps, pooled, context, heads; each 1 to 4096."""
    critic: tuple[int, ...] = (256, 128)
    """Widths of the critic's hidden layers; each 1 to 4096."""
    critic_sees: str = one_of("all", "all", "own")
    """What the critic sees in training: every hand, or only what the player (and the policy) sees."""
    precision: str = settled(one_of("auto", "auto", "float32", "bfloat16"))
    """Arithmetic of the hidden layers; auto takes the one that is faster on this machine."""

    @property
    def suit_widths(self) -> Widths | None:
        """The widths of a policy whose plain suits share encoders; None for one of layers."""
        return Widths(*self.suits) if self.kind == "suits" else None

    @property
    def policy_layers(self) -> list[int] | dict[str, int]:
        """The policy's widths, as plain values."""
        return list(self.policy) if self.suit_widths is None else self.suit_widths._asdict()


@dataclass(frozen=True)
class ImitationConfig:
    """[imitation]: the warm start by imitating another player."""

    teacher: str = "heuristic"
    """The player that is imitated, named as in the arena; it must need only observations, so not `search`."""
    seconds: float = between(200.0, 0)
    """Seconds spent imitating; 0 turns it off."""
    steps: int = between(0, 0)
    """Decisions imitated at most; 0 for no limit but the seconds."""
    learning_rate: float = between(1e-3, 1e-7, 1)
    """Adam's step size while imitating; 1e-7 to 1."""
    epochs: int = between(1, 1, 100)
    """Passes over each collected batch; 1 to 100 (fresh rounds of a fast teacher cost little)."""
    entropy: float = between(0.01, 0, 10)
    """Weight of the entropy bonus, which keeps the imitating policy exploring; 0 to 10."""


@dataclass(frozen=True)
class TrainingConfig:
    """[training]: self-play with MaskablePPO."""

    seconds: float = between(480.0, 0)
    """Seconds of self-play, its match-ups included, over all resumes; 0 for no limit."""
    steps: int = between(0, 0)
    """Decisions of self-play over all resumes; 0 for no limit."""
    rollout_steps: int = between(128, 1, 65536)
    """Steps of every table between two updates; 1 to 65536."""
    minibatch: int = between(4096, 2, 2**24)
    """Decisions in one gradient step; 2 to 16777216."""
    epochs: int = between(2, 1, 100)
    """Passes over each rollout; 1 to 100."""
    learning_rate: float = between(2e-4, 1e-7, 1)
    """Adam's step size at the start; 1e-7 to 1."""
    final_learning_rate: float = between(2e-5, 0, 1)
    """Adam's step size at the end of the budget, reached linearly; 0 to 1."""
    clip: float = between(0.2, 1e-3, 10)
    """How far one update may move a probability ratio from 1; 0.001 to 10."""
    entropy: float = between(0.001, 0, 10)
    """Weight of the entropy bonus; 0 to 10."""
    value_weight: float = between(0.5, 0, 100)
    """Weight of the critic's loss; 0 to 100."""
    max_gradient_norm: float = between(0.5, 1e-6, 1e6)
    """Gradients are scaled down to this norm; 1e-6 to 1e6."""
    gamma: float = between(1.0, 0, 1)
    """Discount per decision of the same seat; 0 to 1 (the reward comes once, at the end of the round)."""
    gae_lambda: float = between(0.95, 0, 1)
    """Lambda of the advantage estimate along one seat's decisions; 0 to 1."""
    torch_threads: int = between(1, 1, 256)
    """Threads of torch; 1 to 256; not more than there are idle cores."""


@dataclass(frozen=True)
class PPOConfig(Config):
    """All tables of a run of MaskablePPO."""

    learner: LearnerConfig = field(default=LearnerConfig("ppo"))
    environment: TablesConfig = TablesConfig()
    network: NetworkConfig = NetworkConfig()
    imitation: ImitationConfig = ImitationConfig()
    training: TrainingConfig = TrainingConfig()

    def compatibility(self) -> dict[str, Any]:
        """Return the sizes of network and tables, and what the critic sees."""
        return {
            "hidden_layout": HIDDEN_VERSION,
            "policy_layers": self.network.policy_layers,
            "critic_layers": list(self.network.critic),
            "critic_sees": self.network.critic_sees,
            "tables": self.environment.tables,
        }

    def check(self) -> None:
        """Check as for every run, and that the run ends and its rollouts fill a minibatch."""
        super().check()
        training, environment = self.training, self.environment
        if len(self.network.suits) != len(Widths._fields):
            raise ConfigError(f"network.suits must be {len(Widths._fields)} widths: {', '.join(Widths._fields)}")
        if training.seconds == 0 and training.steps == 0:
            raise ConfigError("training.seconds and training.steps are both 0, so the run would never end")
        if training.minibatch > environment.tables * training.rollout_steps:
            raise ConfigError(
                f"training.minibatch = {training.minibatch} is more than "
                f"{environment.tables} tables collect in {training.rollout_steps} rollout_steps"
            )
