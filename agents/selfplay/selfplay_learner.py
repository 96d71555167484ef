"""A `Learner` by self-play: rounds of its policy with itself, labels by its own playouts, a fit; and again.

From random weights on, nothing else plays, proposes, marks or teaches: no rules of play, no network of before. With
proposals of its own, whole sets of cards are put together by shapes and prices (`networks.selfplay.own_*`); with the
program's, they are the package's candidates, among which none is marked.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch

from agents.learner_protocol import LearnerState, Stage
from agents.selfplay.selfplay_config import SelfplayConfig
from agents.selfplay.selfplay_stage import SelfplayStage
from shengji_env.datasets.selfplay.label_blocks import compile_selfplay_labels
from shengji_env.players.compiled import announce
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, SelfplayFile, write_selfplay
from shengji_env.players.networks.selfplay.selfplay_player import compile_selfplay
from shengji_env.players.registry import make_player
from shengji_env.support.announcing import Part, get_ready
from shengji_env.support.cores import num_cores
from shengji_env.vector import BatchEnv

PARTS = {
    "selfplay": Part("playing", lambda: announce("selfplay", compile_selfplay), "players"),
    "selfplay-labels": Part("making labels", compile_selfplay_labels, "datasets"),
    **{name: Part("match-ups", partial(make_player, name), "players") for name in ("greedy", "heuristic")},
    "batch": Part("match-ups", lambda: BatchEnv(1)),
}
"""What a run compiles, all of it parts of `shengji warm-up`."""


class SelfplayLearner:
    """A `Learner`, made with `fresh` or `restored`.

    Attributes:
        config: The resolved config.
        stage: Its only stage.
    """

    drawn: Mapping[str, str] = {"r2": "R² of labels not yet learned from"}
    findings: tuple[str, ...] = ()

    def __init__(self, config: SelfplayConfig) -> None:
        """Make a learner with random weights."""
        self.config = config
        torch.set_num_threads(config.fitting.torch_threads or num_cores())
        get_ready(PARTS, "what the run needs")
        self.stage = SelfplayStage(config)

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
        learner.stage.load(saved)
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
        """Return weights, their mean, optimiser and counters."""
        return self.stage.save()

    def export(self, folder: Path) -> str:
        """Write the policy as ``selfplay.npz``."""
        made = {"seed": self.config.run.seed, "rounds": self.stage.rounds, "rules": self.config.environment.rules}
        file = SelfplayFile(self.stage.fitting.network(), self.config.selfplay.proposals, made)
        write_selfplay(folder / SELFPLAY_FILE, file)
        return f"selfplay:{folder}"

    def close(self) -> None:
        """End the threads."""
        self.stage.close()
