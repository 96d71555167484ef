"""The keys of a run that learns what candidates are worth, besides those of every run (`agents.config`)."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from agents.config import Config, between, one_of
from agents.toml_text import brief
from shengji_env.errors import ConfigError
from shengji_env.players.candidates import CANDIDATES_VERSION
from shengji_env.players.champion.inputs import INPUTS_VERSION
from shengji_env.rollouts.settings import HEURISTIC, MOST_NETWORK_TRICKS, POLICIES


@dataclass(frozen=True)
class RolloutsConfig:
    """[rollouts]: the labelled decisions (docs/rollouts.md)."""

    folder: str = "runs/rollouts"
    """Where shards are kept, one folder below it for each rule set, seed and shard_rounds; what is there is used."""
    rounds: int = between(80_000, 1, 10**9)
    """Rounds to learn from; 15 decisions or so of each are labelled under two_deck."""
    held_out_rounds: int = between(10_000, 1, 10**9)
    """Rounds of another seed, by which the network is measured."""
    shard_rounds: int = between(1000, 1, 100_000)
    """Rounds of a shard; both numbers above must be multiples of it."""
    workers: int = between(0, 0, 1024)
    """Processes that make them; 0: one for each core. What they make does not depend on it."""
    policy: str = HEURISTIC
    """Who plays on once a candidate has been played, and makes the positions: heuristic, champion or values:PATH."""
    network_tricks: int = between(1, 1, MOST_NETWORK_TRICKS)
    """Tricks that a network plays on for, that of the candidate included, before heuristic does."""
    opponents_share: float = between(0.0, 0, 1)
    """Share of the rounds, out of those with the policy in all seats, that have greedy opponents instead."""


@dataclass(frozen=True)
class ValueNetworkConfig:
    """[network]: the widths of its layers (`shengji_env.players.champion.network`)."""

    suit: int = between(96, 1, 4096)
    """Encoder of a plain suit."""
    trump: int = between(128, 1, 4096)
    """Encoder of the trumps."""
    hidden: int = between(256, 1, 4096)
    """First layer of a candidate."""
    last: int = between(128, 1, 4096)
    """Second layer of a candidate."""

    @property
    def widths(self) -> tuple[int, int, int, int]:
        """All widths, in this order."""
        return self.suit, self.trump, self.hidden, self.last


@dataclass(frozen=True)
class FittingConfig:
    """[fitting]: regression on the labels."""

    epochs: int = between(2, 1, 1000)
    """Passes over all labelled decisions."""
    minibatch: int = between(1024, 2, 2**20)
    """Decisions in one gradient step."""
    learning_rate: float = between(1e-3, 1e-7, 1)
    """AdamW's step size at its highest; it falls along a cosine."""
    final_share: float = between(0.02, 0, 1)
    """The part of the step size that is left in the end."""
    weight_decay: float = between(0.0, 0, 10)
    """AdamW's weight decay."""
    device: str = one_of("auto", "auto", "cpu", "cuda")
    """What learns; auto takes a GPU if there is one."""
    torch_threads: int = between(0, 0, 256)
    """Threads of torch; 0: one for each core."""


@dataclass(frozen=True)
class ValuesConfig(Config):
    """All tables of a run that learns what candidates are worth."""

    settled: ClassVar[tuple[str, ...]] = (
        *Config.settled,
        "rollouts.rounds",
        "rollouts.held_out_rounds",
        "rollouts.shard_rounds",
        "rollouts.policy",
        "rollouts.network_tricks",
        "rollouts.opponents_share",
        "fitting.epochs",
        "fitting.minibatch",
    )

    rollouts: RolloutsConfig = RolloutsConfig()
    network: ValueNetworkConfig = ValueNetworkConfig()
    fitting: FittingConfig = FittingConfig()

    def world(self) -> dict[str, Any]:
        """Return the network's widths and what it reads."""
        return {
            "widths": list(self.network.widths),
            "candidates": CANDIDATES_VERSION,
            "inputs": INPUTS_VERSION,
        }

    def check(self) -> None:
        """Check as for every run, and that the folder of shards can be one."""
        super().check()
        rollouts = self.rollouts
        if not re.fullmatch(r"[^\0]{1,1000}", rollouts.folder):
            raise ConfigError("rollouts.folder must be a path of up to 1000 characters")
        if not re.fullmatch(rf"{HEURISTIC}|champion|values:[^\0]{{1,1000}}", rollouts.policy):
            raise ConfigError(f"rollouts.policy = {brief(rollouts.policy)}: must be one of {', '.join(POLICIES)}")
        if rollouts.policy == HEURISTIC and rollouts.network_tricks > 1:
            raise ConfigError(f"rollouts.network_tricks = {rollouts.network_tricks}: rollouts.policy is no network")
        for name in ("rounds", "held_out_rounds"):
            if getattr(rollouts, name) % rollouts.shard_rounds:
                raise ConfigError(
                    f"rollouts.{name} = {getattr(rollouts, name)} must be a multiple of "
                    f"shard_rounds = {rollouts.shard_rounds}"
                )
