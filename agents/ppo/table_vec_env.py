"""The batch environment as a Stable-Baselines3 environment: one stream per table, each step by the seat to move.

The reward is team 0's (seats 0 and 2); `agents.ppo.buffer` gives it the sign of the seat that moved. SB3 keeps the last
observation while the next one is made, so observations alternate between two buffers.

| columns of the observation     | who reads them   |
|--------------------------------|------------------|
| the player's own, first        | policy, critic   |
| `agents.hidden`, after them    | critic           |
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from agents.hidden import NUM_HIDDEN, write_hidden
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.vector import BatchEnv

PREFIX = "tables_"
"""Prefix of the names of the arrays that `TableVecEnv.save` makes."""


class TableVecEnv(VecEnv):
    """N tables as an SB3 environment with masks, one stream for each; each step is made by the seat to move.

    Attributes:
        tables: The batch environment underneath.
        seat: (N,) int8, the seat to move.
        mover: (N,) int8, the seat that made the last step.
        seconds: Time spent inside `step_wait` so far.
    """

    def __init__(self, tables: BatchEnv, *, with_hidden: bool = True) -> None:
        """Wrap ``tables``; ``with_hidden`` appends the columns that only the critic may read."""
        self.tables, self.with_hidden = tables, with_hidden
        num_tables, num_columns = tables.num_envs, OBSERVATION_SIZE + (NUM_HIDDEN if with_hidden else 0)
        space = spaces.Box(-128, 127, (num_columns,), np.int8)
        super().__init__(num_tables, space, spaces.Discrete(NUM_ACTIONS))
        self._buffers = np.zeros((2, num_tables, num_columns), np.int8)
        self._side = 0
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_tables)]
        self._actions: NDArray[np.int64] = np.zeros(num_tables, np.int64)
        self.seat = np.zeros(num_tables, np.int8)
        self.mover = np.zeros(num_tables, np.int8)
        self.seconds = 0.0

    def observe(self) -> NDArray[np.int8]:
        """Return the present observations, in the buffer that was not returned last."""
        self._side = 1 - self._side
        observation: NDArray[np.int8] = self._buffers[self._side]
        observation[:, :OBSERVATION_SIZE] = self.tables.observation
        if self.with_hidden:
            write_hidden(self.tables.tables.states, self.tables.rules, observation[:, OBSERVATION_SIZE:])
        self.seat[:] = self.tables.seat
        return observation

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks, (N, actions) int8; the next step overwrites them."""
        return self.tables.action_mask

    def reset(self) -> VecEnvObs:
        """Deal at every table; return the observations, (N, columns) int8."""
        self.tables.reset()
        return self.observe()

    def save(self) -> dict[str, NDArray[Any]]:
        """Return the tables as arrays by name."""
        return {PREFIX + name: array for name, array in self.tables.save().items()}

    def load(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the tables to what `save` returned.

        Raises:
            ShengjiError: The arrays do not belong to such tables (their own `load`); nothing has changed.
        """
        self.tables.load({name.removeprefix(PREFIX): array for name, array in arrays.items()})
        self.seat[:] = self.tables.seat

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step every table; rewards are team 0's, `infos` are always the same empty dictionaries."""
        started = time.perf_counter()
        self.mover[:] = self.seat
        self.tables.step(self._actions)
        rewards, ended = self.tables.reward[:, 0].copy(), self.tables.terminated.astype(np.bool_)
        observation = self.observe()
        self.seconds += time.perf_counter() - started
        return observation, rewards, ended, self._infos

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call ``action_masks``, the only method; return all masks in a list (SB3 makes an array of it)."""
        if method_name != "action_masks":
            raise AttributeError(f"tables have no method {method_name!r}, only 'action_masks'")
        return [self.action_masks()]

    def has_attr(self, attr_name: str) -> bool:
        """Return whether SB3 may ask for ``attr_name``."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return ``render_mode``, the only attribute, which is None."""
        if attr_name != "render_mode":
            raise AttributeError(f"tables have no attribute {attr_name!r}")
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: a table has nothing to set."""
        raise AttributeError(f"cannot set {attr_name!r} on tables")

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return False: tables are never wrapped."""
        return [False] * self.num_envs

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Do nothing: the seed of the deals is fixed when the tables are made."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Do nothing: there is nothing to free."""
