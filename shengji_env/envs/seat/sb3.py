"""The vector environments of one seat as a `VecEnv` of Stable-Baselines3: its learners on the compiled engine.

| Stable-Baselines3 | gets |
|---|---|
| observations, rewards, ends | the vector environment's own |
| ``infos[i]`` | of table i what Gymnasium's infos say, but the mask; at an end also ``"terminal_observation"`` |
| masks of sb3-contrib | ``env_method("action_masks")`` |
| ``seed(s)`` | for each table a seed of its own, which no other s gives |

Only this module imports Stable-Baselines3.

Source: docs/environments/seat.md; `stable_baselines3.common.vec_env.VecEnv`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from shengji_env.envs.seat.agent_vector import AgentVectorEnv
from shengji_env.errors import ShengjiError, show
from shengji_env.support.arguments import check_seed


class SB3VecEnv(VecEnv):
    """N tables for Stable-Baselines3, with masks for sb3-contrib.

    Args:
        envs: what ``gymnasium.make_vec("shengji/Seat-v0", N, …)`` or ``"shengji/PlaySeat-v0"`` makes, or such an
            environment in Gymnasium's vector wrappers; with the autoreset mode ``"SameStep"``.

    Raises:
        ShengjiError: it is another environment, or has another autoreset mode.
    """

    def __init__(self, envs: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
        tables = getattr(envs, "unwrapped", None)
        if not isinstance(tables, AgentVectorEnv):
            raise ShengjiError(f'{show(envs)} is not what gymnasium.make_vec("shengji/Seat-v0", N) makes')
        if tables.autoreset_mode != AutoresetMode.SAME_STEP:
            raise ShengjiError(f'autoreset_mode is {tables.autoreset_mode.value}; Stable-Baselines3 needs "SameStep"')
        self.envs, self._tables = envs, tables
        self._actions: NDArray[Any] = np.zeros(tables.num_envs, np.int64)
        super().__init__(tables.num_envs, envs.single_observation_space, envs.single_action_space)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the tables for the next `reset`, and return them: a hash of the seed and the table.

        With ``seed + i``, as Stable-Baselines3 has it, runs of neighbouring seeds would play nearly the same deals.
        """
        first = check_seed(super().seed(seed)[0])  # None: it draws one
        self._seeds = np.random.SeedSequence(first).generate_state(self.num_envs, np.uint64).tolist()
        return self._seeds

    def reset(self) -> VecEnvObs:
        """Begin an episode at every table, with the seeds and options that were set since the last time."""
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ShengjiError("options differ from table to table: set the same for all")
        seeds: Any = None if all(seed is None for seed in self._seeds) else self._seeds
        observations: VecEnvObs
        observations, infos = self.envs.reset(seed=seeds, options=options or None)
        self.reset_infos = self._infos_of(infos)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions of the next `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Step all tables; the arrays belong to the caller."""
        observations, rewards, terminations, truncations, infos = self.envs.step(self._actions)
        return observations, rewards.astype(np.float32), terminations | truncations, self._infos_of(infos)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of the vector environment that returns a value for each table, such as ``action_masks``."""
        values = getattr(self._tables, method_name)(*method_args, **method_kwargs)
        return [values[index] for index in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of the vector environment, once for each table."""
        return [getattr(self._tables, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: what tables are is settled when they are made."""
        raise AttributeError(f"cannot set {attr_name!r}: give it to gymnasium.make_vec as an argument")

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None
    ) -> list[bool]:
        """Return False: single tables are never wrapped."""
        return [False] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return the pictures of all tables, with the render mode ``"rgb_array"``."""
        return list(self._tables.render() or ())  # type: ignore[arg-type]  # asked for in this render mode alone

    def close(self) -> None:
        """Close the environment."""
        self.envs.close()

    def _infos_of(self, stacked: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return infos by table; masks are left out, which `env_method` has."""
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for name in stacked.keys() - {"action_mask", "final_obs", "final_info"}:
            if not name.startswith("_"):
                for row in np.flatnonzero(stacked[f"_{name}"]).tolist():
                    infos[row][name] = _at(stacked[name], row)
        for row in np.flatnonzero(stacked.get("_final_obs", ())).tolist():
            infos[row] |= _at(stacked["final_info"], row)
            infos[row] |= {"terminal_observation": stacked["final_obs"][row], "TimeLimit.truncated": False}
        return infos


def _at(stacked: Any, row: int) -> Any:
    """Return what is stacked for a table; values of wrappers may come without flags that say where there are any."""
    if not isinstance(stacked, dict):
        return stacked[row]
    shown = [name for name in stacked if not name.startswith("_") and name != "action_mask"]
    return {name: _at(stacked[name], row) for name in shown if f"_{name}" not in stacked or stacked[f"_{name}"][row]}
