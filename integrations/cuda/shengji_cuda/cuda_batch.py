"""The batch environment on an NVIDIA GPU: the arrays, and what is launched on them.

Source: docs/environments/cuda.md, docs/speed.md.
"""

import contextlib
import itertools
from typing import Any, Unpack

import numpy as np
from numba import cuda
from numba.core import config as numba_config
from numpy.typing import ArrayLike, NDArray

from shengji_cuda.kernels import (
    SIMULATED,
    WARP,
    begin_kernel,
    check_kernel,
    choose_kernel,
    load_kernels,
    step_kernel,
)
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, RuleSet, RulesLike, as_rules
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.errors import ShengjiError
from shengji_env.support.arguments import (
    MAX_TABLES,
    check_flag,
    check_index,
    check_seed,
    check_tables,
    read_actions,
    seed_or_draw,
)
from shengji_env.tables.arrays import Arrays
from shengji_env.tables.illegal import illegal_action
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.settings import TableArguments, TableSettings, takes_settings
from shengji_env.tables.tables import Tables


class CudaBatchEnv:
    """`BatchEnv` with its tables on the current GPU.

    Args:
        num_envs, rules, seed, tables, episode, reward, shaping, skip_forced, start: as in `BatchEnv`.
        check: whether `step` first looks for illegal actions, which makes it wait for the GPU. Without the check, an
            illegal action leaves its table in an undefined state.

    Its arrays are those of `BatchEnv`, on the device. ``torch.as_tensor(env.observation, device="cuda")`` is a
    tensor that shares the memory: one such tensor is enough, since every step overwrites it. A device has no read-only
    arrays, but no step reads what is handed out: `action_mask` and `states` are copies, the others are only written.
    Work is queued on the default stream, as torch's.

    Raises:
        ShengjiError: there is no GPU, or what uses it is not installed; or an argument has an invalid value.
    """

    @takes_settings(TableSettings)
    def __init__(
        self,
        num_envs: int,
        rules: RulesLike = DEFAULT_RULES,
        *,
        seed: int | None = None,
        tables: ArrayLike | None = None,
        check: bool = True,
        **settings: Unpack[TableArguments],
    ) -> None:
        self._num_envs = check_index("num_envs", num_envs, 1, MAX_TABLES)
        numbers = check_tables(tables, self._num_envs)
        self._seed = seed_or_draw(seed)
        self._checks = check_flag("check", check)
        given = TableSettings(rules=as_rules(rules), autoreset=True, **settings)
        self._rules = given.rules
        _check_device()
        load_kernels()
        host = Tables(given, numbers, seed=self._seed)
        self._shared = host.shared
        # Arrays on the device: their type is not the host type that the fields declare.
        self._arrays: Any = Arrays(*(cuda.to_device(array) for array in host.arrays))
        self._addresses = self._arrays if SIMULATED else cuda.to_device(_addresses_of(self._arrays))
        self._chosen, self._given = (cuda.to_device(np.zeros(self._num_envs, np.int64)) for _ in range(2))
        self._first = cuda.to_device(np.zeros(1, np.int64))
        arrays, size = self._arrays, self._num_envs
        self._observation: Any = arrays.observations.view(np.int8).reshape(size, OBSERVATION_SIZE)
        self._masks: Any = arrays.masks.view(np.int8).reshape(size, NUM_ACTIONS)
        self._shown_masks = cuda.device_array_like(self._masks)
        self._reward: Any = arrays.rewards.view(np.float32).reshape(size, NUM_SEATS)
        self.reset()

    @property
    def num_envs(self) -> int:
        """The number of tables, N."""
        return self._num_envs

    @property
    def rules(self) -> RuleSet:
        """The rules."""
        return self._rules

    @property
    def seed(self) -> int:
        """The seed of the deals."""
        return self._seed

    @property
    def check(self) -> bool:
        """Whether `step` looks for illegal actions."""
        return self._checks

    @property
    def arrays(self) -> Any:
        """The engine's own memory on the device, for code of this package: what is written there is not checked."""
        return self._arrays

    @property
    def observation(self) -> Any:
        """What the seats to move see, (N, OBSERVATION_SIZE) int8."""
        return self._observation

    @property
    def action_mask(self) -> Any:
        """The legal actions, (N, 83) int8: a copy, which every step overwrites."""
        return self._shown_masks

    @property
    def seat(self) -> Any:
        """The seats to move, (N,) int8."""
        return self._arrays.seats

    @property
    def phase(self) -> Any:
        """The phases, (N,) int8, each a `Phase`."""
        return self._arrays.phases

    @property
    def reward(self) -> Any:
        """The rewards of the last step by seat, (N, 4) float32."""
        return self._reward

    @property
    def terminated(self) -> Any:
        """Whether the last step ended an episode, (N,) bool."""
        return self._arrays.terminated

    @property
    def states(self) -> Any:
        """The raw states, (N,) `engine.state.STATE_DTYPE`: a copy, made anew whenever it is asked for."""
        words = self._arrays.states.view(np.uint8)
        copied = cuda.device_array_like(words)
        copied.copy_to_device(words)
        return copied.view(STATE_DTYPE)

    def reset(self, seed: int | None = None) -> None:
        """Begin round 0 at every table, with another seed if one is given.

        Raises:
            ShengjiError: the seed is invalid; nothing has changed.
        """
        if seed is not None:
            self._seed = check_seed(seed)
            self._shared["seed"] = self._seed
            self._arrays.shared.copy_to_device(self._shared)
        begin_kernel[self._num_envs, WARP](self._addresses, self._chosen)
        self._step(self._chosen)

    def step(self, actions: Any) -> None:
        """Make one action at every table; -1 leaves a table as it is.

        Args:
            actions: shape (N,): contiguous int64 on the device (a Numba array, a torch tensor, anything with
                `__cuda_array_interface__`), or integers on the host, which are copied there.

        Raises:
            IllegalActionError: an action is illegal and ``check`` is set; the error names the table, and no table has
                moved.
            ShengjiError: `actions` are not N integers; no table has moved.
        """
        chosen = self._read(actions)
        if self._checks:
            self._check(chosen)
        self._step(chosen)

    def _step(self, chosen: Any) -> None:
        step_kernel[self._num_envs, WARP](self._addresses, chosen, self._shown_masks)

    def _read(self, actions: Any) -> Any:
        """Return actions as the kernels take them."""
        if hasattr(actions, "__cuda_array_interface__"):
            chosen = cuda.as_cuda_array(actions)
        elif cuda.devicearray.is_cuda_ndarray(actions):
            chosen = actions
        else:
            return cuda.to_device(read_actions(actions, self._num_envs))
        form = f"{chosen.dtype} of shape {tuple(chosen.shape)}"
        if chosen.shape != (self._num_envs,) or chosen.dtype != np.int64 or not chosen.is_c_contiguous():
            raise ShengjiError(f"actions are {form}; they must be contiguous int64 of shape ({self._num_envs},)")
        if not self._checks:
            return chosen
        self._given.copy_to_device(chosen)  # what is checked must be what is made, whoever writes to the caller's array
        return self._given

    def _check(self, actions: Any) -> None:
        self._first.copy_to_device(np.full(1, self._num_envs))
        check_kernel.forall(self._num_envs)(self._masks, actions, self._first)
        table = int(self._first.copy_to_host()[0])
        if table < self._num_envs:
            mask = self._masks.copy_to_host()[table]
            raise illegal_action(self._arrays.states[table], mask, int(actions[table]), f" (table {table})")

    def sample_actions(self) -> Any:
        """Return a uniformly random legal action for each table, shape (N,) int64 on the device.

        It is a function of (seed, table number, round, ply). The next call overwrites the array.
        """
        choose_kernel[self._num_envs, WARP](self._addresses, self._chosen)
        return self._chosen


def _addresses_of(arrays: Any) -> NDArray[np.int64]:
    """Return each device array's address and shape, as `tables/raw_arrays.py` reads them."""
    words = ((array.__cuda_array_interface__["data"][0], *array.shape) for array in arrays)
    return np.array([*itertools.chain.from_iterable(words)], np.int64)


def _check_device() -> None:
    """Check that there is a GPU, and what it takes to compile for it.

    Raises:
        ShengjiError: something is missing.
    """
    is_there = bool(numba_config.ENABLE_CUDASIM)
    with contextlib.suppress(ImportError):  # Numba's `CudaSupportError` is one
        is_there = is_there or cuda.is_available()
    if not is_there:
        raise ShengjiError(
            "CudaBatchEnv found no GPU that it can use: it needs an NVIDIA GPU with its driver, and, in a copy of the"
            " repository, pip install ./integrations/cuda; without them use shengji_env.vector.BatchEnv, the same on a"
            " CPU"
        )
