"""MaskablePPO as a learner: imitates a player, if the config asks for it, and then plays against itself."""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from agents.checkpoint import part_of
from agents.export import write_policy
from agents.learner_protocol import LearnerState, Stage
from agents.ppo.generators import TORCH_GENERATOR, set_shuffler, set_torch_generator
from agents.ppo.maskable_ppo import buffer_of, make_ppo, make_tables, policy_of
from agents.ppo.ppo_config import PPOConfig
from agents.ppo.ppo_stages import ImitationStage, SelfPlayStage
from agents.ppo.ppo_weights import check_size, load_weights
from agents.ppo.sb3_private import NOT_SAVED
from agents.ppo.teacher import teacher_of
from agents.precision import PRECISION, resolve_precision, saved_precision
from shengji_env.players.networks.policy import POLICY_FILE


class PPOLearner:
    """A `Learner`, made with `fresh` or `restored`.

    Attributes:
        config: The resolved config.
        precision: The arithmetic of the hidden layers, chosen when the run started.
        env: The tables.
        ppo: MaskablePPO.
    """

    drawn: Mapping[str, str] = {"entropy": "entropy of the policy"}
    findings: tuple[str, ...] = ()

    def __init__(self, config: PPOConfig, precision: str) -> None:
        """Make fresh tables and a fresh network."""
        self.config, self.precision = config, precision
        self.env = make_tables(config)
        self.ppo = make_ppo(config, self.env, precision)
        self._imitation = ImitationStage(config, self.ppo, self.env)
        self._self_play = SelfPlayStage(config, self.ppo, self.env)

    @staticmethod
    def check(config: PPOConfig) -> None:
        """Check that there is a teacher, if one is imitated."""
        if config.imitation.seconds > 0:
            teacher_of(config)

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
        arrays = dict(saved.arrays)
        torch_state = arrays.pop(TORCH_GENERATOR, None)
        learner.env.load(arrays)
        set_torch_generator(torch_state)
        set_shuffler(buffer_of(learner.ppo).generator.bit_generator, shuffler)
        return learner

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The warm start, unless it is turned off, and self-play."""
        return (self._imitation, self._self_play) if self.config.imitation.seconds > 0 else (self._self_play,)

    @property
    def about(self) -> Mapping[str, Any]:
        """The precision."""
        return {PRECISION: self.precision}

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
