"""Players in compiled code: they say so when they must be compiled, as environments do; it takes a while, once."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.envs.compiling import announce_compiling
from shengji_env.envs.observation import OBSERVATION_SIZE, view

_FLOOR = "arena"


def announce(name: str, call_all: Callable[[], object]) -> None:
    """Compile a player's kernels, with words, if no earlier process has compiled them.

    Args:
        name: what the player is called; its kernels are marked as compiled by it.
        call_all: compiles them, or loads them from the cache.
    """
    announce_compiling(name, call_all, floor=_FLOOR, what=f"the {name} player")


class CompiledPlayer:
    """Decides by one compiled function, from what a seat sees.

    Args:
        name: what it is called.
        choose: ``choose(views, masks, plans, chosen)`` writes an action for each row of OBSERVATION_DTYPE.
        plan: type of `plans`, shape (1,): scratch memory.
    """

    def __init__(self, name: str, choose: Callable[..., None], plan: np.dtype[Any]) -> None:
        self.name = name
        self._choose = choose
        self._plan = plan
        announce(name, self.compile)

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Actions, shape (B,)."""
        chosen = np.empty(len(observation), np.int64)
        self._choose(view(np.ascontiguousarray(observation)), action_mask, np.zeros(1, self._plan), chosen)
        return chosen

    def compile(self) -> None:
        """Compile all that a decision takes, or load it from the cache."""
        self.act(np.zeros((0, OBSERVATION_SIZE), np.int8), np.zeros((0, NUM_ACTIONS), np.int8), np.zeros(0, np.uint64))
