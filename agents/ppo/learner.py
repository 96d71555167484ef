"""MaskablePPO as a learner: imitates a player, if the config asks for it, and then plays against itself."""

import io
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.checkpoint import part_of
from agents.export import write_policy
from agents.learner import Collected, LearnerState, Stage
from agents.ppo.config import PPOConfig
from agents.ppo.generators import TORCH_GENERATOR, set_shuffler, set_torch_generator
from agents.ppo.imitation import collect_imitation, learn_imitation
from agents.ppo.maskable_ppo import buffer_of, make_ppo, make_tables, policy_of
from agents.ppo.sb3_private import NOT_SAVED, roll_out, update
from agents.ppo.teacher import teacher_of
from agents.ppo.weights import check_size, load_weights
from agents.precision import PRECISION, resolve_precision, saved_precision
from shengji_env.players import Player
from shengji_env.players.networks.policy import POLICY_FILE

IMITATION, SELF_PLAY = "imitation", "self-play"


class PPOLearner:
    """A `Learner`, made with `fresh` or `restored`.

    Attributes:
        config: The resolved config.
        precision: The arithmetic of the hidden layers, chosen when the run started.
        env: The tables.
        ppo: MaskablePPO.
    """

    drawn: Mapping[str, str] = {"entropy": "entropy of the policy"}

    def __init__(self, config: PPOConfig, precision: str) -> None:
        """Make fresh tables and a fresh network."""
        self.config, self.precision = config, precision
        self.env = make_tables(config)
        self.ppo = make_ppo(config, self.env, precision)

    @classmethod
    def fresh(cls, config: PPOConfig) -> "PPOLearner":
        """Make a learner that has learned nothing."""
        torch.set_num_threads(config.training.torch_threads)
        return cls(config, resolve_precision(config.network.precision))

    @classmethod
    def restored(cls, config: PPOConfig, saved: LearnerState) -> "PPOLearner":
        """Make the learner that `save` saved, to continue under ``config``.

        Raises:
            CheckpointError: `save` could not have written a part of the state.
        """
        precision = saved_precision(saved.meta)
        shuffler = part_of(saved.meta, "shuffler", dict)
        check_size(saved.model, config)
        learner = cls(config, precision)
        load_weights(saved.model, learner.ppo)
        learner._load_arrays(saved.arrays)
        set_shuffler(buffer_of(learner.ppo).generator.bit_generator, shuffler)
        return learner

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The warm start, unless it is turned off, and self-play."""
        imitation, training = self.config.imitation, self.config.training
        play = Stage(
            SELF_PLAY,
            unit="steps",
            amount=training.steps,
            seconds=training.seconds,
            shown=("loss", "entropy", "explained_variance"),
        )
        if imitation.seconds == 0:
            return (play,)
        shown = ("loss", "entropy", "agreement")
        warm_start = Stage(
            IMITATION,
            unit="steps",
            amount=imitation.steps,
            seconds=imitation.seconds,
            has_matchups=False,
            shown=shown,
        )
        return warm_start, play

    @property
    def findings(self) -> tuple[str, ...]:
        """Nothing."""
        return ()

    @property
    def about(self) -> Mapping[str, Any]:
        """The precision."""
        return {PRECISION: self.precision}

    def collect(self, stage: Stage, done: float, check: Callable[[], None]) -> Collected:
        """Play `training.rollout_steps` at every table: the teacher in all seats, or the network."""
        started, environment_before = time.perf_counter(), self.env.seconds
        if stage.name == IMITATION:
            collect_imitation(self.ppo, self.env, self._teacher, check)
            decisions = "teacher"
        else:
            roll_out(self.ppo, self.env, done=done, check=check)
            decisions = "inference"
        in_environment = self.env.seconds - environment_before
        in_decisions = time.perf_counter() - started - in_environment
        return Collected(buffer_of(self.ppo).actions.size, {"environment": in_environment, decisions: in_decisions})

    def update(self, stage: Stage, done: float) -> dict[str, float]:
        """Take the gradient steps of one rollout."""
        if stage.name == IMITATION:
            return learn_imitation(self.ppo, self.config, remaining=1 - done)
        return update(self.ppo)

    def save(self) -> LearnerState:
        """Return SB3's archive, the tables, and the state of both generators."""
        archive = io.BytesIO()
        self.ppo.save(archive, exclude=NOT_SAVED)
        meta = {PRECISION: self.precision, "shuffler": buffer_of(self.ppo).generator.bit_generator.state}
        arrays = {TORCH_GENERATOR: torch.get_rng_state().numpy(), **self.env.save()}
        return LearnerState(meta, archive.getvalue(), arrays)

    def export(self, folder: Path) -> str:
        """Write the policy without the critic as ``policy.npz``."""
        write_policy(policy_of(self.ppo).export(), folder / POLICY_FILE, rules=self.config.environment.rules)
        return f"policy:{folder}"

    def close(self) -> None:
        """Do nothing: there is no process or thread to end."""

    @cached_property
    def _teacher(self) -> Player:
        return teacher_of(self.config)

    def _load_arrays(self, saved: Mapping[str, np.ndarray]) -> None:
        """Restore tables and torch's generator."""
        arrays = dict(saved)
        torch_state = arrays.pop(TORCH_GENERATOR, None)
        self.env.load(arrays)
        set_torch_generator(torch_state)
