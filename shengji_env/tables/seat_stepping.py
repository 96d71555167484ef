"""The step of some of many tables on behalf of one agent at each, compiled: others' moves are sorted from its own."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.play import Plays, next_of_play, play_at
from shengji_env.engine.rows import first_set, slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NOBODY, State
from shengji_env.tables.arrays import STAND_STILL, Arrays, MaskRecord, RewardRecord
from shengji_env.tables.prefetch import prefetch_mask, prefetch_observation, prefetch_state
from shengji_env.tables.stepping import BEGIN_GIVEN, step_table, without_refcounts

OTHERS = 0
ENDED = 1
"""Indices into `SeatArrays.counts` and `SeatArrays.rows`."""
_LISTS = 2
_NO_DECISION = -1
_NOWHERE: NDArray[np.bool_] = np.zeros(NUM_SEATS, np.bool_)
_NOTHING: NDArray[np.int8] = np.zeros(0, np.int8)


class SeatArrays(NamedTuple):
    """What is kept for the agents at N tables; the lists grow with every step until their reader sets the counts to 0.

    | list | tables at which |
    |---|---|
    | OTHERS | another seat is to move |
    | ENDED | nobody is to move: an episode has ended, and none has begun |
    """

    seat: NDArray[np.int8]
    """(N,) the agents' seats."""
    reward: NDArray[np.float64]
    """(N, 4) what seats were paid; the caller sets it to 0."""
    has_result: NDArray[np.bool_]
    """(N,) where a round has ended; the caller sets it to False."""
    rows: NDArray[np.int64]
    """(2, N) the lists."""
    counts: NDArray[np.int64]
    """(2,) how long they are."""
    plays: Plays
    """N, what agents play where their action is OWN_PLAY; none where agents choose card by card."""


def make_seat_arrays(size: int, *, has_plays: bool = False) -> SeatArrays:
    """Make arrays of zeros for `size` tables."""
    num_plays = size if has_plays else 0
    return SeatArrays(
        np.zeros(size, np.int8), np.zeros((size, NUM_SEATS)), np.zeros(size, np.bool_),
        np.zeros((_LISTS, size), np.int64), np.zeros(_LISTS, np.int64),
        Plays(np.zeros(num_plays, np.int64), np.zeros((num_plays, NUM_SLOTS), np.int8)),
    )  # fmt: skip


ASK = BEGIN_GIVEN - 1
"""Passed instead of an action where another seat is to move: its player is asked for one."""
OWN_PLAY = ASK - 1
"""Passed instead of an action: the agent makes the whole play that `SeatArrays.plays` holds for it, card by card."""


@jit
def step_rows(arrays: Arrays, rows: NDArray[Any], actions: NDArray[Any], of_seats: SeatArrays) -> None:
    """Make one action or whole play at some tables, or begin an episode there, and sort the tables into the lists.

    Args:
        arrays: the tables.
        rows: (B,) indices of tables that are in no list, which has room for each table once.
        actions: (B,), checked by the caller; BEGIN and BEGIN_GIVEN begin an episode.
        of_seats: what is kept for the agents.
    """
    step_on(_ask_nobody, arrays, rows, actions, of_seats, _NOWHERE, _NOTHING)


@jit
def _ask_nobody(arrays: Arrays, row: int, memory: NDArray[Any], is_planned: bool) -> int:
    return STAND_STILL


@jit_inline
def step_on(
    choose: Callable[[Arrays, int, Any, bool], int],
    arrays: Arrays,
    rows: NDArray[Any],
    actions: NDArray[Any],
    of_seats: SeatArrays,
    sits_at: NDArray[np.bool_],
    memory: Any,
) -> None:
    """Make one action or whole play at some tables, and those of a compiled player after it; sort the tables.

    Args:
        choose: the player: ``choose(arrays, row, memory, is_planned)`` returns its action at a table where it has a
            choice; `is_planned`: `memory` holds what it has planned at an earlier card of this decision.
        arrays, rows, of_seats: as `step_rows` says.
        actions: likewise; also ASK, where the player is to move.
        sits_at: (4,), whether it sits in the agent's, next, partner and previous seats.
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
        is_over = False
        planned = _NO_DECISION
        while True:
            if action == OWN_PLAY:
                action = next_of_play(play_at(of_seats.plays, row), s.taken, slots_with(bare.masks[row].legal, 1))
            elif action == ASK:
                action = _only_action(bare.masks[row])
                if action == STAND_STILL:
                    decision = _number_of_decision(s, bare.progress[row].ply)
                    action = choose(bare, row, memory, decision == planned)
                    planned = decision
            round_index = s.round_index
            step_table(row, bare, bare.works[0], action)
            is_over |= bare.terminated[row]
            _note(of_seats, row, bare.rewards[row], bare.terminated[row] or s.round_index != round_index)
            if s.seat == NOBODY:
                break
            if sits_at[(s.seat - seat) % NUM_SEATS]:
                action = ASK
            elif s.seat == seat and s.taken_size > 0 and of_seats.plays.actions.size > 0:
                action = OWN_PLAY
            else:
                break
        bare.terminated[row] = is_over
        if s.seat != seat:
            _append(of_seats, ENDED if s.seat == NOBODY else OTHERS, row)


@jit
def _number_of_decision(s: State, ply: int) -> int:
    """Return a number that is the same at all cards of a play, and another at any other decision of the table."""
    return (int(s.round_index) << 40) + (int(s.redeals) << 20) + ply - int(s.taken_size)


@jit
def _only_action(mask: MaskRecord) -> int:
    """Return the only legal action, or STAND_STILL if there are several."""
    legal = 0
    for action in range(NUM_ACTIONS):
        legal += mask.legal[action]
    return first_set(mask.legal) if legal == 1 else STAND_STILL


@jit
def _note(of_seats: SeatArrays, row: int, reward: RewardRecord, has_result: bool) -> None:
    """Note what seats were paid, and whether a round has ended."""
    for seat in range(NUM_SEATS):
        of_seats.reward[row, seat] += reward.of_seat[seat]
    of_seats.has_result[row] |= has_result


@jit
def _append(of_seats: SeatArrays, which: int, row: int) -> None:
    of_seats.rows[which, of_seats.counts[which]] = row
    of_seats.counts[which] += 1
