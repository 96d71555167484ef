"""The batch environment as Stable-Baselines3 wants it: one stream a table, each step whoever's turn it is.

The reward handed out is team 0's (seats 0 and 2); `agents.buffer` signs it for the seat that moved. SB3 keeps
the last observation while the next one is made, so observations alternate between two buffers.

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
from shengji_env.envs.observation import OBSERVATION_SIZE
from shengji_env.vector import ShengjiVectorEnv

PREFIX = "tables_"
"""Begins the names of the arrays that `TableVecEnv.save` makes."""


class TableVecEnv(VecEnv):
    """N tables as an SB3 environment with masks.

    Attributes:
        tables: The batch environment underneath.
        seat: (N,) int8, the seat to move.
        mover: (N,) int8, the seat whose decision the last step was.
        seconds: Time spent inside `step_wait` so far.
    """

    def __init__(self, tables: ShengjiVectorEnv, *, with_hidden: bool = True) -> None:
        """Wrap ``tables``; ``with_hidden`` appends what the critic alone may read."""
        self.tables = tables
        self.with_hidden = with_hidden
        size = OBSERVATION_SIZE + (NUM_HIDDEN if with_hidden else 0)
        space = spaces.Box(-128, 127, (size,), np.int8)
        super().__init__(tables.num_envs, space, spaces.Discrete(NUM_ACTIONS))
        self._buffers = np.zeros((2, tables.num_envs, size), np.int8)
        self._side = 0
        self._infos: list[dict[str, Any]] = [{} for _ in range(tables.num_envs)]
        self._actions: NDArray[np.int64] = np.zeros(tables.num_envs, np.int64)
        self.seat = np.zeros(tables.num_envs, np.int8)
        self.mover = np.zeros(tables.num_envs, np.int8)
        self.seconds = 0.0

    def reset(self) -> VecEnvObs:
        """Deal at every table; the observations, (N, size) int8."""
        self.tables.reset()
        return self.observe()

    def observe(self) -> NDArray[np.int8]:
        """The present observations, in the buffer that was not handed out last."""
        self._side = 1 - self._side
        observation: NDArray[np.int8] = self._buffers[self._side]
        observation[:, :OBSERVATION_SIZE] = self.tables.observation
        if self.with_hidden:
            write_hidden(self.tables.states, self.tables.rules, observation[:, OBSERVATION_SIZE:])
        self.seat[:] = self.tables.seat
        return observation

    def save(self) -> dict[str, NDArray[Any]]:
        """The tables as arrays by name."""
        return {PREFIX + name: array for name, array in self.tables.save().items()}

    def load(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Put the tables where `save` saw them.

        Raises:
            ShengjiError: The arrays are not those of such tables (`ShengjiVectorEnv.load`); nothing has changed.
        """
        self.tables.load({name.removeprefix(PREFIX): array for name, array in arrays.items()})
        self.seat[:] = self.tables.seat

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step every table; rewards are team 0's, `infos` are the same empty dictionaries each time."""
        started = time.perf_counter()
        self.mover[:] = self.seat
        self.tables.step(self._actions)
        observation = self.observe()
        rewards, ended = self.tables.reward[:, 0].copy(), self.tables.terminated.astype(np.bool_)
        self.seconds += time.perf_counter() - started
        return observation, rewards, ended, self._infos

    def action_masks(self) -> NDArray[np.int8]:
        """(N, 82) int8, overwritten by the next step."""
        return self.tables.action_mask

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Only ``action_masks``: a list of one, the masks of all tables (SB3 joins the list to an array)."""
        if method_name != "action_masks":
            raise AttributeError(f"tables have no method {method_name!r}, only 'action_masks'")
        return [self.action_masks()]

    def has_attr(self, attr_name: str) -> bool:
        """Whether SB3 may ask for ``attr_name``."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Only ``render_mode``, which is None."""
        if attr_name != "render_mode":
            raise AttributeError(f"tables have no attribute {attr_name!r}")
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refused: a table has nothing to set."""
        raise AttributeError(f"cannot set {attr_name!r} on tables")

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Never wrapped."""
        return [False] * self.num_envs

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Ignored: the deals' seed is fixed when the tables are made."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Nothing to free."""
