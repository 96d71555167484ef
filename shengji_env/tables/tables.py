"""The tables of the AEC and the batch environment: their arrays, begun and stepped by compiled code.

This is the environments' own memory, for the code of this package: what is written here is not checked. Others see
read-only views and copies of it.
"""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import use_threads
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.support.announcing import part
from shengji_env.tables.arrays import MASK_DTYPE, REWARD_DTYPE, Arrays, new_arrays
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.own_arrays import Linked
from shengji_env.tables.queries import (
    choose_random,
    choose_random_parallel,
    first_illegal,
    first_illegal_row,
    prepare_observations,
)
from shengji_env.tables.settings import TableSettings, plain_settings
from shengji_env.tables.stepping import BEGIN, BEGIN_GIVEN, step_tables, step_tables_parallel


class Tables(Linked):
    """The arrays of N tables.

    Args:
        settings: what all tables have in common.
        numbers: table numbers, shape (N,): a deal is a function of (seed, table number, round).
        seed: the seed, 0..2**64-1.
        threads: how many threads a step may use; results are the same for any.

    Attributes:
        arrays: what compiled code takes: the same memory.
        vectors: the observations as rows of bytes, shape (N, OBSERVATION_SIZE): a view, copied faster than records.
    """

    _LINKS = ("arrays", "vectors")

    def __init__(self, settings: TableSettings, numbers: NDArray[np.int64], *, seed: int = 0, threads: int = 1) -> None:
        size = len(numbers)
        self.rules = settings.rules
        self.threads = threads
        arrays = new_arrays(size, threads=threads, history=settings.history, keeps_logs=settings.record)
        self.shared = arrays.shared
        for name, value in {**settings.numbers(), "seed": seed}.items():
            self.shared[name] = value
        self.states, self.progress, self.works, self.observations = (
            arrays.states, arrays.progress, arrays.works, arrays.observations,
        )  # fmt: skip
        self.progress["number"] = numbers
        self.masks = arrays.masks.view(np.int8).reshape(size, NUM_ACTIONS)
        self.seats, self.phases, self.terminated = arrays.seats, arrays.phases, arrays.terminated
        self.rewards = arrays.rewards.view(np.float32).reshape(size, NUM_SEATS)
        self.logs, self.plays = arrays.logs, arrays.plays
        prepare_observations(self.shared, self.observations)
        self._link()

    def _link(self) -> None:
        self.vectors: NDArray[np.int8] = self.observations.view(np.int8).reshape(-1, OBSERVATION_SIZE)
        self.arrays = Arrays(
            self.states, self.progress, self.shared, self.works, self.observations, self.masks.view(MASK_DTYPE)[:, 0],
            self.seats, self.phases, self.rewards.view(REWARD_DTYPE)[:, 0], self.terminated, self.logs, self.plays,
        )  # fmt: skip

    def begin(self, *, given: bool = False, round_index: int = 0) -> None:
        """Begin an episode at every table with its round `round_index`; `given` keeps the start that states hold."""
        if not given:
            self.states["round_index"] = round_index
        self.step(np.full(len(self.states), BEGIN_GIVEN if given else BEGIN))

    def step(self, actions: NDArray[np.int64]) -> None:
        """Make one action, checked by the caller, at every table; BEGIN and BEGIN_GIVEN begin an episode instead."""
        if self.threads == 1:
            step_tables(self.arrays, actions)
        else:
            use_threads(self.threads)
            step_tables_parallel(self.arrays, actions)

    def choose_random(self, chosen: NDArray[np.int64]) -> None:
        """Write a uniformly random legal action for every table into `chosen`, shape (N,)."""
        if self.threads == 1:
            choose_random(self.arrays, chosen)
        else:
            use_threads(self.threads)
            choose_random_parallel(self.arrays, chosen)


def _call_kernels(threads: int) -> None:
    tables = Tables(plain_settings(), np.zeros(threads, np.int64), threads=threads)
    tables.begin()
    chosen = np.zeros(threads, np.int64)
    tables.choose_random(chosen)
    first_illegal(tables.masks, chosen)
    first_illegal_row(tables.masks, np.arange(threads), chosen)  # the check of players' answers
    tables.step(chosen)


compile_tables = part("batch", "the engine: the batch environment, play, serve, arena, learners")(
    lambda: _call_kernels(1)
)
compile_threads = part("threads", "the engine: the batch environment with threads=2 and more")(lambda: _call_kernels(2))
