"""The keys of a run that learns what candidates are worth, besides those of every run (`agents.run_config`)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.run_config import DRAWN_RULES, FRESH, OWN_RULES, Config, LearnerConfig
from shengji_env.datasets.rollouts.rollout_settings import RolloutOptions
from shengji_env.errors import ConfigError
from shengji_env.players.candidates import CANDIDATES_VERSION
from shengji_env.players.networks.champion.inputs import INPUTS_VERSION
from shengji_env.players.playing import HEURISTIC
from shengji_env.support.settings import between, one_of, settled, shares


@dataclass(frozen=True)
class RolloutsConfig(RolloutOptions):
    """[rollouts]: the labelled decisions (docs/rollouts.md)."""

    rules: str = settled(one_of(OWN_RULES, OWN_RULES, DRAWN_RULES))
    """The rules of the rounds: own, the environment's; drawn, for a network that plays all rules: every 25 rounds have
    rules of their own, presets and combinations. Its strength is measured under the environment's."""

    folder: str = "runs/rollouts"
    """Where shards are kept, one folder below it for each rule set, seed and shard_rounds; what is there is used."""
    rounds: int = settled(between(80_000, 1, 10**9))
    """Rounds to learn from; 15 decisions or so of each are labelled under two_deck."""
    held_out_rounds: int = settled(between(10_000, 1, 10**9))
    """Rounds of another seed, by which the network is measured."""
    shard_rounds: int = settled(between(1000, 1, 100_000))
    """Rounds of a shard; both numbers above must be multiples of it."""
    workers: int = between(0, 0, 1024)
    """Processes that make them; 0: one for each core. What they make does not depend on it."""
    earlier: tuple[str, ...] = settled(())
    """Folders of shards in `folder` that it learns from, too, each by a pattern such as two_deck-*-seed-1-by-1000."""

    @property
    def draws_rules(self) -> bool:
        """Whether the rules are drawn."""
        return self.rules == DRAWN_RULES


@dataclass(frozen=True)
class ValueNetworkConfig:
    """[network]: the widths of its layers (`shengji_env.players.networks.champion.compiled_network`)."""

    suit: int = between(96, 1, 4096)
    """Encoder of a plain suit."""
    trump: int = between(128, 1, 4096)
    """Encoder of the trumps."""
    hidden: int = between(256, 1, 4096)
    """First layer of a candidate."""
    last: int = between(128, 1, 4096)
    """Second layer of a candidate."""
    rules: int = between(64, 1, 4096)
    """Layer that reads the rules, where they are drawn (`rollouts.rules`)."""
    start: str = settled(FRESH)
    """What it starts from: "fresh" (random weights), "champion" or "values:PATH", of no wider layers. A network of all
    rules begins as it plays under the run's, and forgets the others, unless `rollouts.rules` is drawn."""

    @property
    def widths(self) -> tuple[int, int, int, int]:
        """All widths, in this order."""
        return self.suit, self.trump, self.hidden, self.last


@dataclass(frozen=True)
class FittingConfig:
    """[fitting]: regression on the labels."""

    epochs: int = settled(between(2, 1, 1000))
    """Passes over all labelled decisions."""
    minibatch: int = settled(between(1024, 2, 2**20))
    """Decisions in one gradient step."""
    learning_rate: float = between(1e-3, 1e-7, 1)
    """AdamW's step size at its highest; it falls along a cosine."""
    final_share: float = between(0.02, 0, 1)
    """The part of the step size that is left in the end."""
    weight_decay: float = between(0.0, 0, 10)
    """AdamW's weight decay."""
    average_share: float = settled(between(0.0, 0, 1))
    """Share of the run, its end, over which weights are averaged; the mean is exported; 0: the last weights are."""
    start_share: float = settled(between(0.0, 0, 1))
    """Share of the weights of `network.start` in the mean with those learned, which is exported; 0: none."""
    teachers: tuple[str, ...] = settled(())
    """Networks, each champion or values:PATH, whose values are learned in place of a part of the labels, under the
    rules that they play; of several that do, the first teaches."""
    teachers_share: float = settled(between(0.9, 0, 1))
    """That part."""
    teachers_factor: float = settled(between(1.0, 0, 1000))
    """How many times as much a decision that they teach counts as another."""
    weighting: str = settled(one_of("precision", "precision", "equal"))
    """What a decision counts: the more, the less is left to chance when it is made; or as much as any other."""
    auxiliary: float = settled(between(1.0, 0, 100))
    """Weight of what is learned besides and played by nobody: points, and levels that are not centred; 0: neither."""
    device: str = one_of("auto", "auto", "cpu", "cuda")
    """What learns; auto takes a GPU if there is one."""
    precision: str = settled(one_of("auto", "auto", "float32", "bfloat16"))
    """Arithmetic of the network's layers while it learns; auto takes the one that is faster on this machine."""
    torch_threads: int = between(1, 0, 256)
    """Threads of torch; 0: one for each core. More than one gain little, and labels are made on the other cores."""


@dataclass(frozen=True)
class SecondGenerationConfig:
    """[second_generation]: labels of rounds in which the fitted network plays, from whose weights they are learned."""

    rounds: int = settled(between(0, 0, 10**9))
    """Rounds, a multiple of rollouts.shard_rounds; 0 for none. The other keys of [rollouts] hold for them, too."""
    opponents: Mapping[str, float] = settled(shares(greedy=0.2, heuristic=0.25))
    """Opponents as in [rollouts], in place of those there."""
    epochs: int = settled(between(2, 1, 1000))
    """Passes over its labelled decisions."""
    learning_rate: float = between(3e-4, 1e-7, 1)
    """AdamW's step size at its highest; the other keys of [fitting] hold for it, too."""
    start_share: float = settled(between(0.25, 0, 1))
    """Share of the weights before it in the mean with those learned, which is the second generation's network."""
    deals: int = settled(between(1000, 2, 10**7))
    """Duplicate deals against the network before it, which is kept if the later one is worse beyond chance."""


@dataclass(frozen=True)
class ValuesConfig(Config):
    """All tables of a run that learns what candidates are worth."""

    learner: LearnerConfig = field(default=LearnerConfig("values"))
    rollouts: RolloutsConfig = RolloutsConfig()
    network: ValueNetworkConfig = ValueNetworkConfig()
    fitting: FittingConfig = FittingConfig()
    second_generation: SecondGenerationConfig = SecondGenerationConfig()

    @property
    def code(self) -> int:
        """Width of the network's layer that reads the rules; 0: there is none."""
        return self.network.rules if self.rollouts.draws_rules else 0

    @property
    def is_fresh(self) -> bool:
        """Whether the network starts with random weights."""
        return self.network.start == FRESH

    def compatibility(self) -> dict[str, Any]:
        """Return the network's widths and what it reads."""
        widths = [*self.network.widths, *[self.code] * self.rollouts.draws_rules]
        return {"widths": widths, "candidates": CANDIDATES_VERSION, "inputs": INPUTS_VERSION}

    def check(self) -> None:
        """Check as for every run, and that the folder of shards can be one."""
        super().check()
        rollouts, fitting, second = self.rollouts, self.fitting, self.second_generation
        if not re.fullmatch(r"[^\0]{1,1000}", rollouts.folder):
            raise ConfigError("rollouts.folder must be a path of up to 1000 characters")
        has_network = any(text.startswith(("champion", "values:")) for text in rollouts.opponents)
        if rollouts.network_tricks > 1 and second.rounds == 0 and rollouts.policy == HEURISTIC and not has_network:
            tricks = f"rollouts.network_tricks = {rollouts.network_tricks}"
            raise ConfigError(f"{tricks}: neither rollouts.policy nor an opponent is a network")
        numbers = {
            "rollouts.rounds": rollouts.rounds,
            "rollouts.held_out_rounds": rollouts.held_out_rounds,
            "second_generation.rounds": second.rounds,
        }
        for name, number in numbers.items():
            if number % (size := rollouts.shard_rounds):
                raise ConfigError(f"{name} = {number} must be a multiple of shard_rounds = {size}")
        if fitting.start_share > 0 and self.is_fresh:
            raise ConfigError(f"fitting.start_share = {fitting.start_share:g} needs a network in network.start")
