"""Hints: what the adviser would do in a person's place, with what that person knows.

The adviser plays the decision through on a copy of the table (`players.asking`). Players see veiled positions only, so
what the copy holds besides cannot reach them.
"""

import copy
from typing import Any

from shengji_env.engine.masks import write_mask
from shengji_env.engine.state import Phase
from shengji_env.tables.stepping import observe_seat
from shengji_env.tables.tables import Tables


def copy_of(tables: Tables) -> Tables:
    """Return a copy of a table, for the adviser to play on."""
    return copy.deepcopy(tables)


def copy_for_bid(tables: Tables, state: Any) -> Tables:
    """Return a copy of a table at which the seat to move of a state is asked for a bid."""
    copied = copy.deepcopy(tables)
    copied.states[0] = state
    copied.seats[0], copied.phases[0] = state["seat"], Phase.BID
    write_mask(copied.states[0], copied.shared[0]["rules"], copied.works[0], copied.masks[0])
    observe_seat(copied.states, copied.shared, 0, int(state["seat"]), copied.observations)
    return copied
