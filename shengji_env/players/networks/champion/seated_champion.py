"""Compiled code: the network answers inside the step of environments."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.players.candidates.candidate_list import candidate_play
from shengji_env.players.hiding import hide_unknown
from shengji_env.players.networks.champion.choosing import Chooser, choose_at
from shengji_env.players.seated import Seated
from shengji_env.players.whole_plays import next_action
from shengji_env.tables.arrays import Arrays
from shengji_env.tables.seat_stepping import Packed, step_on


class _Memory(NamedTuple):
    """What answering needs besides the tables."""

    chooser: Chooser
    rules: NDArray[Any]
    """(1,) RULES_DTYPE."""
    states: NDArray[Any]
    """(1,) STATE_DTYPE: what the seat to move knows."""
    best: NDArray[np.int64]
    """(1,) which of the chooser's candidates is played."""


def seated_champion(chooser: Chooser, rules: RuleSet) -> Seated:
    """Return how a network answers inside the step.

    Args:
        chooser: the network, and scratch memory that nobody else uses.
        rules: what is played.
    """
    memory = _Memory(chooser, rules.record(), np.zeros(1, STATE_DTYPE), np.zeros(1, np.int64))
    return Seated("champion", step_with_champion, memory)


@jit
def step_with_champion(packed: Packed, rows: Any, actions: Any, sits_at: Any, memory: _Memory) -> None:
    """Step tables with this player in some seats, as `seat_stepping.step_on` says."""
    step_on(_choose_at, packed, rows, actions, sits_at, memory)


@jit_inline
def _choose_at(arrays: Arrays, row: int, memory: _Memory, is_planned: bool) -> int:
    if not is_planned:
        memory.states[0] = arrays.states[row]
        hide_unknown(memory.states[0], memory.rules[0])
        memory.best[0] = choose_at(memory.states, 0, memory.chooser)
    play = candidate_play(memory.chooser.found[0], memory.best[0])
    return int(next_action(arrays.states[row : row + 1], arrays.masks[row].legal, play))
