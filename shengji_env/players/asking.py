"""Asking a player for a whole decision: its cards are taken one by one at a table that is used up."""

import numpy as np

from shengji_env.players.answers import Answer
from shengji_env.players.decisions import Decisions
from shengji_env.players.player import Player
from shengji_env.players.whole_plays import choose_whole
from shengji_env.tables.tables import Tables

_ROW = np.zeros(1, np.int64)


def decide_whole(player: Player, tables: Tables) -> Answer:
    """Return what a player answers to the next decision of table 0: an action, or cards by slot.

    It is asked only where it has a choice, as in the arena. The table goes on to the decision after.
    """

    def choose() -> int:
        legal = np.flatnonzero(tables.masks[0])
        return int(legal[0] if len(legal) == 1 else player.decide(Decisions.at(tables, _ROW))[0])

    return choose_whole(tables, choose)
