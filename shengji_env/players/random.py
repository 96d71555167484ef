"""The random player: uniform over the legal actions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.masks import random_action, random_legal
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Rules, State
from shengji_env.players.fast_player import policy_part
from shengji_env.players.player import ObservationPlayer
from shengji_env.tables.own_arrays import writable
from shengji_env.tables.policies import Policy


class RandomPlayer(ObservationPlayer):
    """A player that takes a uniformly random legal action, drawn from the decision's key alone."""

    name = "random"

    def policy(self, rules: RuleSet) -> Policy | None:
        """Return its policy."""
        return Policy("policy-random", next_randomly, ())

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
def next_randomly(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: Any) -> int:
    """Return a uniformly random legal action, as `tables.policies` says."""
    return random_action(slots, others, key, 0)


policy_part("policy-random", "the policy of random: inside the step, and in playouts", next_randomly)
