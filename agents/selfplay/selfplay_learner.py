"""A `Learner` by self-play: rounds of its policy with itself, labels by its own playouts, a fit; and again.

Then, if the config asks for it, a value network learns from more such labels, and plays together with the policy.

From random weights on, nothing else plays, proposes, marks or teaches: no rules of play, no network of before. With
its own proposals, whole sets of cards are put together by shapes and prices (`networks.selfplay.proposed_leads` and its
neighbours); with the program's, they are the package's candidates, among which none is marked.
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
from agents.selfplay.value_stage import ValueStage
from shengji_env.datasets.selfplay.label_blocks import compile_selfplay_labels
from shengji_env.errors import CheckpointError
from shengji_env.players.greedy import GreedyPlayer
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.players.networks.champion.compiled_network import compile_values
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, SelfplayFile, write_selfplay
from shengji_env.players.networks.selfplay.selfplay_player import compile_selfplay
from shengji_env.players.networks.selfplay.valuing import compile_selfplay_values
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
VALUE_PARTS = (compile_selfplay_values, compile_values)
"""What it compiles besides for a value network."""
_CRITIC, _VALUES = "critic/", "values/"
"""Prefixes of the names of arrays of the critic and of the value network, in a checkpoint."""
_CRITIC_STEPS = "critic_steps"


class SelfplayLearner:
    """A `Learner`, made with `fresh` or `restored`.

    Attributes:
        config: The resolved config.
        critic: What labels are taken from, besides the ends of rounds; None: nothing is.
        stage: Self-play.
        valuing: The stage of the value network; None: there is none.
    """

    drawn: Mapping[str, str] = {"r2": "R² of labels not yet learned from"}
    findings: tuple[str, ...] = ()

    def __init__(self, config: SelfplayConfig) -> None:
        """Make a learner with random weights."""
        self.config = config
        torch.set_num_threads(config.fitting.torch_threads or num_cores())
        get_ready(PARTS + (VALUE_PARTS if config.values.rounds else ()), "what the run needs")
        table = config.selfplay
        self._executor = Threads(table.threads or num_cores()) if table.ray == NO else OnRay(table.ray)
        self.critic = make_critic(config)
        self.stage = SelfplayStage(config, self._executor, self.critic)
        self.valuing = None
        if config.values.rounds:
            self.valuing = ValueStage(config, self._executor, self.stage.networks, self.critic)

    @staticmethod
    def check(config: SelfplayConfig) -> None:
        """There is nothing that a config names and that could be missing."""

    @classmethod
    def fresh(cls, config: SelfplayConfig) -> "SelfplayLearner":
        """Make a learner that has learned nothing."""
        return cls(config)

    @classmethod
    def restored(cls, config: SelfplayConfig, saved: LearnerState) -> "SelfplayLearner":
        """Make the learner that `save` saved, to continue under ``config``.

        Raises:
            CheckpointError: `save` could not have written a part of the state.
        """
        learner = cls(config)
        arrays = dict(saved.arrays)
        critic, values = taken(arrays, _CRITIC), taken(arrays, _VALUES)
        learner.stage.load(replace(saved, arrays=arrays))
        if learner.critic is not None:
            learner.critic.load({"steps": count_of(saved.meta, _CRITIC_STEPS)}, critic)
        if learner.valuing is not None:
            learner.valuing.load(replace(saved, arrays=values))
        learner._check_rounds()
        return learner

    def _check_rounds(self) -> None:
        done, wanted = self.stage.rounds, self.config.selfplay.rounds
        if wanted < done:
            raise CheckpointError(f"selfplay.rounds={wanted} is less than the {done} rounds of self-play done")
        if wanted > done and self.valuing is not None and self.valuing.rounds:
            raise CheckpointError(f"selfplay.rounds={wanted} is more than {done}, after which its value network learns")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Self-play, and the value network."""
        return (self.stage,) if self.valuing is None else (self.stage, self.valuing)

    @property
    def about(self) -> Mapping[str, Any]:
        """What learns."""
        weights = sum(weight.numel() for weight in self.stage.fitting.model.parameters())
        about = {"proposals": self.config.selfplay.proposals, "weights": weights}
        if self.valuing is None:
            return about
        return about | {"value_weights": sum(weight.numel() for weight in self.valuing.network.weights.values())}

    def save(self) -> LearnerState:
        """Return weights, their means, optimisers and counters."""
        policy = self.stage.save()
        meta, arrays = dict(policy.meta), dict(policy.arrays)
        if self.critic is not None:
            counters, critic = self.critic.save()
            meta[_CRITIC_STEPS] = counters["steps"]
            arrays |= {_CRITIC + name: array for name, array in critic.items()}
        if self.valuing is not None:
            values = self.valuing.save()
            meta |= values.meta
            arrays |= {_VALUES + name: array for name, array in values.arrays.items()}
        return LearnerState(meta, b"", arrays)

    def export(self, folder: Path) -> str:
        """Write the networks, the value network once it has learned, as ``selfplay.npz``."""
        table, rules = self.config.selfplay, self.config.environment.rules
        made: dict[str, Any] = {"seed": self.config.run.seed, "rounds": self.stage.rounds}
        made["rules"] = table.rules if table.draws_rules else rules
        values = None
        if self.valuing is not None:
            values, made["value_rounds"] = self.valuing.values(), self.valuing.rounds
        policy, playouts = self.stage.networks()
        smaller = playouts if self.config.network.playouts else None
        file = SelfplayFile(policy, self.config.selfplay.proposals, made, values, smaller)
        write_selfplay(folder / SELFPLAY_FILE, file)
        return f"selfplay:{folder}"

    def close(self) -> None:
        """End the workers."""
        self.stage.close()
        if self.valuing is not None:
            self.valuing.close()
        self._executor.__exit__()
