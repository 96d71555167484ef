"""A `Learner` by self-play: rounds of its policy with itself, labels by its own playouts, a fit; and again.

From random weights on, nothing else plays, proposes, marks or teaches: no rules of play, no network of before. Wide
proposals put whole sets of cards together by shapes and prices (`networks.selfplay.proposed_leads` and its neighbours);
the program's are the package's candidates, among which none is marked. A config may name another network as its start,
and an opponent, to which it learns a best response.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from agents.checkpoint import count_of
from agents.learner_protocol import LearnerState, Stage
from agents.selfplay.label_source import make_critic
from agents.selfplay.selfplay_config import NO, SelfplayConfig
from agents.selfplay.selfplay_stage import SelfplayStage
from agents.selfplay.starting import check_opponent, start_of
from shengji_env.datasets.selfplay.label_blocks import compile_selfplay_labels
from shengji_env.datasets.selfplay.label_kernels import Networks
from shengji_env.errors import CheckpointError
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, SelfplayFile, write_selfplay
from shengji_env.players.networks.selfplay.selfplay_player import compile_selfplay
from shengji_env.support.announcing import get_ready
from shengji_env.support.archives import taken
from shengji_env.support.cores import num_cores
from shengji_env.support.workers.on_ray import OnRay
from shengji_env.support.workers.pools import Threads
from shengji_env.tables.tables import compile_tables

PARTS = (
    compile_selfplay, compile_selfplay_labels, GreedyPlayer.rule.compile, HeuristicPlayer.rule.compile, compile_tables,
)  # fmt: skip
"""What a run compiles, all of it parts of `shengji warm-up`."""
_CRITIC = "critic/"
"""Prefix of the names of the critic's arrays, in a checkpoint."""
_CRITIC_STEPS = "critic_steps"


class SelfplayLearner:
    """A `Learner`, made with `fresh` or `restored`.

    Attributes:
        config: The resolved config.
        critic: What labels are taken from, besides the ends of rounds; None: nothing is.
        stage: Self-play.
    """

    drawn: Mapping[str, str] = {"r2": "R² of labels not yet learned from"}
    findings: tuple[str, ...] = ()

    def __init__(self, config: SelfplayConfig, start: Networks | None = None) -> None:
        """Make a learner with the weights of ``start``, or random ones."""
        self.config = config
        torch.set_num_threads(config.fitting.torch_threads or num_cores())
        get_ready(PARTS, "what the run needs")
        table = config.selfplay
        self._executor = Threads(table.threads or num_cores()) if table.ray == NO else OnRay(table.ray)
        self.critic = make_critic(config)
        self.stage = SelfplayStage(config, self._executor, self.critic, start)

    @staticmethod
    def check(config: SelfplayConfig) -> None:
        """Check that the networks and players that the config names can be had.

        Raises:
            ConfigError: one cannot.
        """
        start_of(config)
        check_opponent(config)

    @classmethod
    def fresh(cls, config: SelfplayConfig) -> "SelfplayLearner":
        """Make a learner that has learned nothing."""
        return cls(config, start_of(config))

    @classmethod
    def restored(cls, config: SelfplayConfig, saved: LearnerState) -> "SelfplayLearner":
        """Make the learner that `save` saved, to continue under ``config``.

        Raises:
            CheckpointError: `save` could not have written a part of the state.
            ConfigError: the opponent has no policy under the rules.
        """
        check_opponent(config)
        learner = cls(config)
        arrays = dict(saved.arrays)
        critic = taken(arrays, _CRITIC)
        learner.stage.load(replace(saved, arrays=arrays))
        if learner.critic is not None:
            learner.critic.load({"steps": count_of(saved.meta, _CRITIC_STEPS)}, critic)
        done, wanted = learner.stage.rounds, config.selfplay.rounds
        if wanted < done:
            raise CheckpointError(f"selfplay.rounds={wanted} is less than the {done} rounds of self-play done")
        return learner

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Self-play."""
        return (self.stage,)

    @property
    def about(self) -> Mapping[str, Any]:
        """What learns."""
        weights = sum(weight.numel() for weight in self.stage.fitting.model.parameters())
        return {"proposals": self.config.selfplay.proposals, "weights": weights}

    def save(self) -> LearnerState:
        """Return weights, their means, optimisers and counters."""
        policy = self.stage.save()
        meta, arrays = dict(policy.meta), dict(policy.arrays)
        if self.critic is not None:
            counters, critic = self.critic.save()
            meta[_CRITIC_STEPS] = counters["steps"]
            arrays |= {_CRITIC + name: array for name, array in critic.items()}
        return LearnerState(meta, b"", arrays)

    def export(self, folder: Path) -> str:
        """Write the networks as ``selfplay.npz``."""
        table, rules = self.config.selfplay, self.config.environment.rules
        made: dict[str, Any] = {"seed": self.config.run.seed, "rounds": self.stage.rounds}
        made["rules"] = table.rules if table.draws_rules else rules
        policy, playouts = self.stage.networks()
        smaller = playouts if self.config.network.playouts else None
        file = SelfplayFile(policy, self.config.selfplay.proposals, made, smaller)
        write_selfplay(folder / SELFPLAY_FILE, file)
        return f"selfplay:{folder}"

    def close(self) -> None:
        """End the workers."""
        self.stage.close()
        self._executor.__exit__()
