"""Hints: what the adviser would do in a person's place, with what that person knows.

The adviser plays the decision through on a copy of the table. Players see veiled positions only, so what the copy holds
besides cannot reach them.
"""

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.masks import write_mask
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.envs.stepping import observe_seat
from shengji_env.envs.tables import Tables
from shengji_env.players.decisions import Decisions
from shengji_env.players.human.answers import Answer
from shengji_env.players.player import Player

_ROW = np.zeros(1, np.int64)


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


def advise(adviser: Player, tables: Tables) -> Answer:
    """Return what the adviser would answer to the next decision of a copied table: an action, or cards by slot."""
    cards: NDArray[np.int8] = tables.states["taken"][0].copy()
    phase = Phase(int(tables.states["phase"][0]))
    while True:
        legal = np.flatnonzero(tables.masks[0])
        action = int(legal[0] if len(legal) == 1 else adviser.decide(Decisions.at(tables, _ROW))[0])
        if phase in (Phase.BID, Phase.NAME, Phase.FORCED):
            return action
        if action < NUM_SLOTS:
            cards[action] += 1
        size = int(tables.states["taken_size"][0])
        tables.step(np.array([action]))
        if tables.states["taken_size"][0] != size + 1:
            return cards
