"""The step of some of many tables on behalf of one agent at each, compiled: others' moves are sorted from its own."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.rows import first_set
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NOBODY
from shengji_env.tables.arrays import STAND_STILL, Arrays, MaskRecord
from shengji_env.tables.prefetch import prefetch_mask, prefetch_observation, prefetch_state
from shengji_env.tables.stepping import BEGIN_GIVEN, step_range, without_refcounts

OTHERS = 0
OWN = 1
ENDED = 2
"""Indices into `SeatArrays.counts` and `SeatArrays.rows`."""
_LISTS = 3
_NOWHERE: NDArray[np.bool_] = np.zeros(NUM_SEATS - 1, np.bool_)
_NOTHING: NDArray[np.int8] = np.zeros(0, np.int8)


class SeatArrays(NamedTuple):
    """What is kept for the agents at N tables; the lists grow with every step until their reader sets the counts to 0.

    | list | tables at which |
    |---|---|
    | OTHERS | another seat is to move |
    | OWN | the agent is to move, and has taken cards for its play already |
    | ENDED | an episode has ended |
    """

    seat: NDArray[np.int8]
    """(N,) the agents' seats."""
    reward: NDArray[np.float64]
    """(N,) what the agents were paid; the caller sets it to 0."""
    has_result: NDArray[np.bool_]
    """(N,) where a round has ended; the caller sets it to False."""
    rows: NDArray[np.int64]
    """(3, N) the lists."""
    counts: NDArray[np.int64]
    """(3,) how long they are."""


def make_seat_arrays(size: int) -> SeatArrays:
    """Make arrays of zeros for `size` tables."""
    return SeatArrays(
        np.zeros(size, np.int8), np.zeros(size), np.zeros(size, np.bool_), np.zeros((_LISTS, size), np.int64),
        np.zeros(_LISTS, np.int64),
    )  # fmt: skip


ASK = BEGIN_GIVEN - 1
"""Passed instead of an action where another seat is to move: its player is asked for one."""


@jit
def step_rows(
    arrays: Arrays, rows: NDArray[Any], actions: NDArray[Any], of_seats: SeatArrays, chosen: NDArray[Any]
) -> None:
    """Make one action at some tables, or begin an episode there, and sort the tables into the lists.

    Args:
        arrays: the tables.
        rows: (B,) indices of tables that are in no list, which has room for each table once.
        actions: (B,), checked by the caller; BEGIN and BEGIN_GIVEN begin an episode.
        of_seats: what is kept for the agents.
        chosen: (N,) scratch memory.
    """
    step_on(_ask_nobody, arrays, rows, actions, of_seats, chosen, _NOWHERE, _NOTHING)


@jit
def _ask_nobody(arrays: Arrays, row: int, memory: NDArray[Any]) -> int:
    return STAND_STILL


@jit_inline
def step_on(
    choose: Callable[[Arrays, int, NDArray[Any]], int],
    arrays: Arrays,
    rows: NDArray[Any],
    actions: NDArray[Any],
    of_seats: SeatArrays,
    chosen: NDArray[Any],
    sits_at: NDArray[np.bool_],
    memory: NDArray[Any],
) -> None:
    """Make one action at some tables, and those of a compiled player after it; sort the tables into the lists.

    Args:
        choose: the player: ``choose(arrays, row, memory)`` returns its action at a table where it has a choice.
        arrays, rows, of_seats, chosen: as `step_rows` says.
        actions: likewise; also ASK, where the player is to move.
        sits_at: (3,), whether it sits in the next, partner and previous seats, seen from the agent's.
        memory: its scratch memory.
    """
    bare = without_refcounts(arrays)
    last = rows.size - 1
    for index in range(rows.size):
        row, ahead = rows[index], rows[min(index + 1, last)]
        prefetch_state(bare.states, ahead)
        prefetch_observation(bare.observations, ahead)
        prefetch_mask(bare.masks, ahead)
        s = bare.states[row]
        seat = of_seats.seat[row]
        action = actions[index]
        while True:
            if action == ASK:
                action = _only_action(bare.masks[row])
                if action == STAND_STILL:
                    action = choose(bare, row, memory)
            chosen[row] = action
            round_index = s.round_index
            step_range(row, row + 1, bare, bare.works[0], chosen)
            of_seats.reward[row] += bare.rewards[row].of_seat[seat]
            if bare.terminated[row]:
                of_seats.has_result[row] = True
                _append(of_seats, ENDED, row)
            elif s.round_index != round_index:
                of_seats.has_result[row] = True
            if s.seat == NOBODY or s.seat == seat or not sits_at[(s.seat - seat) % NUM_SEATS - 1]:
                break
            action = ASK
        if s.seat != NOBODY and s.seat != seat:
            _append(of_seats, OTHERS, row)
        elif s.seat != NOBODY and s.taken_size > 0:
            _append(of_seats, OWN, row)


@jit
def _only_action(mask: MaskRecord) -> int:
    """Return the only legal action, or STAND_STILL if there are several."""
    legal = 0
    for action in range(NUM_ACTIONS):
        legal += mask.legal[action]
    return first_set(mask.legal) if legal == 1 else STAND_STILL


@jit
def _append(of_seats: SeatArrays, which: int, row: int) -> None:
    of_seats.rows[which, of_seats.counts[which]] = row
    of_seats.counts[which] += 1
