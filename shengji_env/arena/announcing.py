"""Players that must be compiled say so when they are made, as environments do: it takes a while, once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.envs.observation import OBSERVATION_SIZE
from shengji_env.envs.start import announce_compiling

_FLOOR = "arena"


def announce(name: str, call_all: Callable[[], object]) -> None:
    """Compile a player's kernels, with words, if no earlier process has compiled them.

    Args:
        name: what the player is called; its kernels are marked as compiled by it.
        call_all: compiles them, or loads them from the cache.
    """
    announce_compiling(name, call_all, floor=_FLOOR, what=f"the {name} player")


def ask_nothing(act: Callable[..., Any]) -> None:
    """Ask a player for no decision at all: what it calls is compiled then."""
    act(np.zeros((0, OBSERVATION_SIZE), np.int8), np.zeros((0, NUM_ACTIONS), np.int8), np.zeros(0, np.uint64))
