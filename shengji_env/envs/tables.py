"""The tables that the AEC and the batch environment sit at: their arrays, begun and stepped by compiled code."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import use_threads
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE
from shengji_env.envs.arrays import LOG_DTYPE, MASK_DTYPE, PROGRESS_DTYPE, REWARD_DTYPE, SHARED_DTYPE, Arrays
from shengji_env.envs.history import PLAY_SIZE
from shengji_env.envs.observation import OBSERVATION_DTYPE
from shengji_env.envs.stepping import (
    BEGIN,
    BEGIN_GIVEN,
    choose_random,
    choose_random_parallel,
    prepare_views,
    step_tables,
    step_tables_parallel,
)


class Tables:
    """The arrays of N tables.

    Args:
        rules: the rules of all tables.
        shared: values of the other SHARED_DTYPE fields.
        numbers: table numbers, shape (N,): a deal is a function of (seed, table number, round).
        threads: how many threads a step may use; results are the same for any.
        history: how many of a round's last plays are kept (`history.py`).
    """

    def __init__(
        self,
        rules: RuleSet,
        shared: dict[str, int],
        numbers: NDArray[np.int64],
        threads: int = 1,
        history: int = 0,
    ) -> None:
        size = len(numbers)
        self.rules = rules
        self.threads = threads
        self.shared: NDArray[Any] = np.zeros(1, SHARED_DTYPE)
        self.shared["rules"] = rules.record()
        for name, value in shared.items():
            self.shared[name] = value
        self.states: NDArray[Any] = np.zeros(size, STATE_DTYPE)
        self.progress: NDArray[Any] = np.zeros(size, PROGRESS_DTYPE)
        self.progress["number"] = numbers
        self.works: NDArray[Any] = np.zeros(threads, WORKSPACE_DTYPE)
        self.views: NDArray[Any] = np.zeros(size, OBSERVATION_DTYPE)
        self.masks = np.zeros((size, NUM_ACTIONS), np.int8)
        self.seats = np.zeros(size, np.int8)
        self.phases = np.zeros(size, np.int8)
        self.rewards = np.zeros((size, NUM_SEATS), np.float32)
        self.terminated = np.zeros(size, np.bool_)
        self.logs: NDArray[Any] = np.zeros(size if shared.get("record") else 1, LOG_DTYPE)
        self.plays = np.zeros((size, history, PLAY_SIZE), np.int8)
        prepare_views(self.shared, self.views)

    @property
    def arrays(self) -> Arrays:
        """What compiled code takes."""
        return Arrays(
            self.states, self.progress, self.shared, self.works, self.views, self.masks.view(MASK_DTYPE)[:, 0],
            self.seats, self.phases, self.rewards.view(REWARD_DTYPE)[:, 0], self.terminated, self.logs, self.plays,
        )  # fmt: skip

    def begin(self, *, given: bool = False, round_index: int = 0) -> None:
        """Begin an episode at every table with its round `round_index`; `given` keeps the start in the states."""
        if not given:
            self.states["round_index"] = round_index
        self.step(np.full(len(self.states), BEGIN_GIVEN if given else BEGIN))

    def step(self, actions: NDArray[np.int64]) -> None:
        """Make one action, checked by the caller, at every table; BEGIN and BEGIN_GIVEN begin an episode there."""
        if self.threads == 1:
            step_tables(self.arrays, actions)
        else:
            use_threads(self.threads)
            step_tables_parallel(self.arrays, actions)

    def choose_random(self, chosen: NDArray[np.int64]) -> None:
        """Write a uniformly random legal action for every table into `chosen`, shape (N,)."""
        arrays = (self.states, self.progress, self.shared, self.masks, chosen)
        if self.threads == 1:
            choose_random(*arrays)
        else:
            use_threads(self.threads)
            choose_random_parallel(self.threads, *arrays)
