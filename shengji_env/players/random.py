"""The random player: uniform over the legal actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.masks import random_legal
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.words import player_word
from shengji_env.players.player import ObservationPlayer
from shengji_env.players.seated import Seated
from shengji_env.tables.arrays import Arrays
from shengji_env.tables.own_arrays import writable
from shengji_env.tables.seat_stepping import Packed, step_on

_NO_MEMORY: NDArray[np.int8] = np.zeros(0, np.int8)


class RandomPlayer(ObservationPlayer):
    """A player that takes a uniformly random legal action, drawn from the decision's key alone."""

    name = "random"

    def seated(self, rules: RuleSet) -> Seated | None:
        """Return how it answers inside the step of environments; None for subclasses, which may do otherwise."""
        return Seated(self.name, step_with_random, _NO_MEMORY) if type(self) is RandomPlayer else None

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


@jit
def step_with_random(packed: Packed, rows: Any, actions: Any, sits_at: Any, memory: Any) -> None:
    """Step tables with this player in some seats, as `seat_stepping.step_on` says."""
    step_on(_choose_at, packed, rows, actions, sits_at, memory)


@jit_inline
def _choose_at(arrays: Arrays, row: int, memory: NDArray[Any], is_planned: bool) -> int:
    table = arrays.progress[row]
    key = player_word(arrays.shared[0].seed, table.number, arrays.states[row].round_index, table.ply)
    return int(random_legal(arrays.masks[row].legal, key, 0))
