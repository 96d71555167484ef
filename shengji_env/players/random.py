"""The random player: uniform over the legal actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.masks import random_legal
from shengji_env.players.player import ObservationPlayer
from shengji_env.tables.own_arrays import writable


class RandomPlayer(ObservationPlayer):
    """A player that takes a uniformly random legal action, drawn from the decision's key alone."""

    name = "random"

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Choose actions, shape (B,)."""
        chosen = np.empty(len(key), np.int64)
        choose_uniformly(writable(action_mask), writable(key), chosen)
        return chosen


@jit
def choose_uniformly(masks: NDArray[Any], keys: NDArray[Any], chosen: NDArray[Any]) -> None:
    """Choose a legal action for each row, as a function of its mask and key."""
    for row in range(keys.size):
        chosen[row] = random_legal(masks[row], keys[row], 0)
