"""Compiled code: whole plays made at tables, candidate by candidate."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.players.candidates.listing import (
    Candidates,
    Lister,
    find_at,
    list_all,
    list_some,
    make_candidates,
    make_lister,
    write_found,
)
from shengji_env.players.candidates.playing import CARDS
from shengji_env.players.whole_plays import next_card
from shengji_env.tables.arrays import STAND_STILL, Arrays
from shengji_env.tables.stepping import step_range

__all__ = [
    "Candidates",
    "Lister",
    "list_all",
    "list_some",
    "make_candidates",
    "make_lister",
    "next_cards",
    "step_plays",
]


@jit
def next_cards(
    states: NDArray[Any], masks: NDArray[Any], rows: NDArray[Any], cards: NDArray[Any], actions: NDArray[Any]
) -> None:
    """Write the next actions of legal plays under way, or of plays that begin.

    Args:
        states: the tables, (N,).
        masks: (N, 82), what is legal at them.
        rows: tables, (B,).
        cards: (N, 54), the cards of their plays by slot.
        actions: (B,), written: a card, or DONE after the last one.
    """
    for place in range(rows.size):
        row = rows[place]
        actions[place] = next_card(states[row].taken, slots_with(masks[row], 1), cards[row])


@jit
def step_plays(
    a: Arrays, choices: NDArray[Any], skips_forced: bool, actions: NDArray[Any], lister: Lister, c: Candidates
) -> None:
    """Make the chosen candidate at every table, and go on to its next decision; write that one's candidates.

    Args:
        a: the tables, with autoreset; rewards and ends are those of all cards of the play, and of the plays skipped.
        choices: (N,) candidates, or STAND_STILL.
        skips_forced: whether decisions with one candidate are made too.
        actions: (N,) scratch memory.
        lister: scratch memory.
        c: the candidates, read and written.
    """
    sums = np.zeros(NUM_SEATS, np.float32)
    for table in range(choices.size):
        sums[:] = 0
        ended = False
        if choices[table] != STAND_STILL:
            choice = choices[table]
            ended = _play(a, table, c.actions[table, choice], c.cards[table, choice], actions, sums)
            number = find_at(a.states, table, lister, c)
            found = lister.memory[0].found
            while number == 1 and skips_forced:
                ended |= _play(a, table, found.actions[0], found.cards[0], actions, sums)
                number = find_at(a.states, table, lister, c)
            write_found(table, number, lister, c)
        for seat in range(NUM_SEATS):
            a.rewards[table].of_seat[seat] = sums[seat]
        a.terminated[table] = ended


@jit
def _play(a: Arrays, table: int, action: int, cards: NDArray[Any], actions: NDArray[Any], sums: NDArray[Any]) -> bool:
    """Make a whole play at a table, add its rewards, and return whether an episode has ended."""
    s = a.states[table]
    ended = False
    while True:
        is_set = action == CARDS
        actions[table] = next_card(s.taken, slots_with(a.masks[table].legal, 1), cards) if is_set else action
        step_range(table, table + 1, a, a.works[0], actions)
        ended |= a.terminated[table]
        for seat in range(NUM_SEATS):
            sums[seat] += a.rewards[table].of_seat[seat]
        if not is_set or s.taken_size == 0:
            return bool(ended)
