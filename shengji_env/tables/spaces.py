"""The space of what a seat observes, as a dictionary: the same in every environment that returns one."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.tables.history import PLAY_SIZE, seen_from
from shengji_env.tables.observation import OBSERVATION_SIZE

Observation = dict[str, Any]
"""``{"observation": (OBSERVATION_SIZE,), "action_mask": int8 (83,)}``; with a history also ``"history": (K, 55)``."""


def observation_space(history: int, dtype: np.dtype[Any]) -> spaces.Dict:
    """Return the space of an `Observation` with a number of plays of history, 0 for none."""
    parts: dict[str, spaces.Space[Any]] = {
        "observation": vector_space(dtype),
        "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
    }
    if history:
        parts["history"] = spaces.Box(0, 127, (history, PLAY_SIZE), dtype.type)
    return spaces.Dict(parts)


def add_history(
    seen: Observation, plays: NDArray[np.int8], seats: ArrayLike, history: int, dtype: np.dtype[Any]
) -> Observation:
    """Add the last plays to what seats see, and return it; with no history, leave it as it is.

    Args:
        seen: what seats (...) see.
        plays: (..., K, PLAY_SIZE), what the tables keep.
        seats: the seats, shape (...).
        history: how many plays are seen, at most K.
        dtype: their type.
    """
    if history:
        seen["history"] = seen_from(plays, seats)[..., -history:, :].astype(dtype)
    return seen


def vector_space(dtype: np.dtype[Any]) -> spaces.Box:
    """Return the space of the plain observation, without mask and history."""
    return spaces.Box(-128, 127, (OBSERVATION_SIZE,), dtype.type)
