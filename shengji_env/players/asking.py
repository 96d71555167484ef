"""Asking a player for a whole decision: its cards are taken one by one at a table that is used up."""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.players.answers import Answer
from shengji_env.players.decisions import Decisions
from shengji_env.players.player import Player
from shengji_env.tables.tables import Tables

_ROW = np.zeros(1, np.int64)


def ask_whole(player: Player, tables: Tables) -> Answer:
    """Return what a player answers to the next decision of table 0: an action, or cards by slot.

    It is asked only where it has a choice, as in the arena. The table goes on to the decision after.
    """
    cards: NDArray[np.int8] = tables.states["taken"][0].copy()
    phase = Phase(int(tables.states["phase"][0]))
    while True:
        legal = np.flatnonzero(tables.masks[0])
        action = int(legal[0] if len(legal) == 1 else player.decide(Decisions.at(tables, _ROW))[0])
        if phase in (Phase.BID, Phase.NAME, Phase.FORCED):
            return action
        if action < NUM_SLOTS:
            cards[action] += 1
        size = int(tables.states["taken_size"][0])
        tables.step(np.array([action]))
        if tables.states["taken_size"][0] != size + 1:
            return cards
