"""Stepping: a search looks at whole plays, an environment takes their cards one by one."""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.rows import slots_with
from shengji_env.players.search.playout import next_card


@jit
def begin_decisions(states: NDArray[Any]) -> None:
    """Put back the cards taken for the decisions under way."""
    for row in range(states.size):
        s = states[row]
        if s.taken_size > 0:
            for slot in range(s.taken.size):
                s.taken[slot] = 0
            s.taken_size = 0
            s.last_slot = 0


@jit
def next_action(states: NDArray[Any], mask: NDArray[Any], cards: NDArray[Any]) -> int:
    """The next card of a play; after the last the end of a lead."""
    action = next_card(states[0], slots_with(mask, 1), cards)
    if action == DONE and not mask[DONE]:
        # Only where another play was begun, by a search that was out of time: anything legal.
        action = 0
        while not mask[action]:
            action += 1
    return action
