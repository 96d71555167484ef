"""The stages of a run of MaskablePPO: the warm start, unless it is turned off, and self-play."""

import time
from collections.abc import Callable
from functools import cached_property

from sb3_contrib import MaskablePPO

from agents.learner_protocol import Collected, Stage
from agents.ppo.imitation import collect_imitation, learn_imitation
from agents.ppo.maskable_ppo import buffer_of
from agents.ppo.ppo_config import PPOConfig
from agents.ppo.sb3_private import roll_out, update
from agents.ppo.table_vec_env import TableVecEnv
from agents.ppo.teacher import teacher_of
from shengji_env.players import Player


class ImitationStage(Stage):
    """The teacher plays in all seats, and the network learns to do as it does."""

    def __init__(self, config: PPOConfig, ppo: MaskablePPO, env: TableVecEnv) -> None:
        """Let ``ppo`` learn at the tables ``env``."""
        budget = config.imitation
        super().__init__(
            "imitation",
            "steps",
            budget.steps,
            budget.seconds,
            has_matchups=False,
            shown=("loss", "entropy", "agreement"),
        )
        self._config, self._ppo, self._env = config, ppo, env

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Let the teacher play `training.rollout_steps` at every table."""

        def play() -> None:
            collect_imitation(self._ppo, self._env, self._teacher, check)

        return timed(self._ppo, self._env, play, decided_by="teacher")

    def update(self, done: float) -> dict[str, float]:
        """Take the gradient steps of one batch."""
        return learn_imitation(self._ppo, self._config, remaining=1 - done)

    @cached_property
    def _teacher(self) -> Player:
        return teacher_of(self._config)


class SelfPlayStage(Stage):
    """The network plays in all seats, and learns from the rounds' results."""

    def __init__(self, config: PPOConfig, ppo: MaskablePPO, env: TableVecEnv) -> None:
        """Let ``ppo`` learn at the tables ``env``."""
        budget = config.training
        super().__init__(
            "self-play", "steps", budget.steps, budget.seconds, shown=("loss", "entropy", "explained_variance")
        )
        self._ppo, self._env = ppo, env

    def collect(self, done: float, check: Callable[[], None]) -> Collected:
        """Let the network play `training.rollout_steps` at every table."""
        return timed(self._ppo, self._env, lambda: roll_out(self._ppo, self._env, done=done, check=check))

    def update(self, done: float) -> dict[str, float]:
        """Take the gradient steps of one rollout."""
        return update(self._ppo)


def timed(ppo: MaskablePPO, env: TableVecEnv, play: Callable[[], None], decided_by: str = "inference") -> Collected:
    """Call ``play``, which fills the rollout buffer; return how much it holds, and how long that took.

    Args:
        ppo: Owns the buffer.
        env: The tables.
        play: Fills the buffer.
        decided_by: What the time outside the tables is called.
    """
    started, environment_before = time.perf_counter(), env.seconds
    play()
    in_environment = env.seconds - environment_before
    in_decisions = time.perf_counter() - started - in_environment
    return Collected(buffer_of(ppo).actions.size, {"environment": in_environment, decided_by: in_decisions})
