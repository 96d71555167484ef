"""The step of some of many tables on behalf of one agent at each, compiled: others' moves are sorted from its own.

All functions take the tables as `Seating.packed`: the addresses of their arrays (`raw_arrays.py`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.compiler import IS_PLAIN
from shengji_env.engine.masks import first_legal, legal_of_mask, num_legal
from shengji_env.engine.play import Plays, next_of_play, play_at
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NOBODY, State
from shengji_env.engine.words import player_word
from shengji_env.support.announcing import part
from shengji_env.tables.arrays import Arrays, RewardRecord, new_arrays
from shengji_env.tables.observation import OBSERVATION_DTYPE
from shengji_env.tables.observing import write_observation
from shengji_env.tables.own_arrays import Linked
from shengji_env.tables.policies import NO_POLICIES, PackedPolicies, next_of, uses_key
from shengji_env.tables.prefetch import prefetch_mask, prefetch_observation, prefetch_state
from shengji_env.tables.raw_arrays import addresses_of, reading
from shengji_env.tables.settings import plain_settings
from shengji_env.tables.stepping import (
    BEGIN,
    BEGIN_GIVEN,
    TableRecords,
    clear_reward,
    make_action,
    show_table,
    table_at,
)
from shengji_env.tables.tables import Tables

OTHERS = 0
ENDED = 1
"""Indices into `SeatArrays.counts` and `SeatArrays.rows`."""
_LISTS = 2
_NO_DECISION = -1


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
    """(N, 4) what seats were paid in this episode; the caller sets it to 0."""
    has_result: NDArray[np.bool_]
    """(N,) where a round of this episode has ended; the caller sets it to False."""
    rows: NDArray[np.int64]
    """(2, N) the lists."""
    counts: NDArray[np.int64]
    """(2,) how long they are."""
    seen: NDArray[Any]
    """(N,) OBSERVATION_DTYPE, what `observe_agents` has written."""
    plays: Plays
    """N, what agents play where their action is OWN_PLAY; none where agents choose card by card."""


def make_seat_arrays(size: int, *, has_plays: bool = False) -> SeatArrays:
    """Make arrays of zeros for `size` tables."""
    num_plays = size if has_plays else 0
    return SeatArrays(
        np.zeros(size, np.int8), np.zeros((size, NUM_SEATS)), np.zeros(size, np.bool_),
        np.zeros((_LISTS, size), np.int64), np.zeros(_LISTS, np.int64), np.zeros(size, OBSERVATION_DTYPE),
        Plays(np.zeros(num_plays, np.int64), np.zeros((num_plays, NUM_SLOTS), np.int8)),
    )  # fmt: skip


class _SeatedArrays(NamedTuple):
    arrays: Arrays
    of_seats: SeatArrays


Packed = Any
"""`Seating.packed`: the addresses of `_SeatedArrays`, int64; with the JIT off, the arrays themselves."""

seated_at = reading(lambda: _SeatedArrays(new_arrays(1, threads=1, history=0, keeps_logs=True), make_seat_arrays(1)))
"""Make `Arrays` and `SeatArrays` from `Packed`, inside compiled code."""


class Seating(Linked):
    """N tables, and what is kept for an agent at each.

    Args:
        tables: the tables.
        has_plays: whether agents make whole plays.

    Attributes:
        tables: the tables.
        of_seats: what is kept.
        packed: what compiled code takes: the same memory.
    """

    _LINKS = ("packed",)

    def __init__(self, tables: Tables, *, has_plays: bool = False) -> None:
        _compile()
        self.tables = tables
        self.of_seats = make_seat_arrays(len(tables.seats), has_plays=has_plays)
        self._link()

    def _link(self) -> None:
        arrays = _SeatedArrays(self.tables.arrays, self.of_seats)
        self.packed: Packed = arrays if IS_PLAIN else addresses_of(arrays)


BEGIN_NEXT = BEGIN_GIVEN - 1
"""Passed instead of an action: begin an episode with the table's next round; nothing has been paid in it."""
ASK = BEGIN_NEXT - 1
"""Passed instead of an action where another seat is to move: its player is asked for one."""
OWN_PLAY = ASK - 1
"""Passed instead of an action: the agent makes the whole play that `SeatArrays.plays` holds for it, card by card."""


@jit
def step_rows(
    packed: Packed,
    rows: NDArray[Any],
    actions: NDArray[Any],
    sits_at: NDArray[np.int64],
    policies: PackedPolicies,
) -> None:
    """Make one action or whole play at some tables, or begin an episode there, and sort the tables into the lists.

    Args:
        packed: the tables.
        rows: (B,) indices of tables that are in no list, which has room for each table once.
        actions: (B,), checked by the caller; BEGIN_GIVEN and BEGIN_NEXT begin an episode, and ASK asks a policy.
        sits_at: (4,) which policy sits in the agent's, next, partner and previous seats; NOBODY: none. They go on until
            it is another one's turn.
        policies: the policies, `Policies.packed`.
    """
    arrays, of_seats = seated_at(packed)
    last = rows.size - 1
    for index in range(rows.size):
        row, ahead = rows[index], rows[min(index + 1, last)]
        prefetch_state(arrays.states, ahead)
        prefetch_observation(arrays.observations, ahead)
        prefetch_mask(arrays.masks, ahead)
        table = table_at(row, arrays, arrays.works[0])
        s, mask, seat = table.s, table.mask, of_seats.seat[row]
        action = _first_action(of_seats, row, s, actions[index])
        slots, others = legal_of_mask(mask.legal)
        is_over = False
        planned = _NO_DECISION
        while True:
            if action == OWN_PLAY:
                action = next_of_play(play_at(of_seats.plays, row), s.taken, slots)
            elif action == ASK and num_legal(slots, others) == 1:
                action = first_legal(slots, others)
            elif action == ASK:
                decision = _number_of_decision(s, table.progress.ply)
                of_seat = sits_at[(s.seat - seat) % NUM_SEATS]
                key = _key_at(table, policies, of_seat)
                is_new = decision != planned
                action = next_of(policies, of_seat, s, table.shared.rules, slots, others, is_new, key)
                planned = decision
            round_index = s.round_index
            clear_reward(table.reward)
            has_ended, slots, others = make_action(table, action)
            is_over |= has_ended
            _note(of_seats, row, table.reward, has_ended or s.round_index != round_index)
            if s.seat == NOBODY:
                break
            if sits_at[(s.seat - seat) % NUM_SEATS] != NOBODY:
                action = ASK
            elif s.seat == seat and s.taken_size > 0 and of_seats.plays.actions.size > 0:
                action = OWN_PLAY
            else:
                break
        show_table(row, arrays, table, slots, others)
        arrays.terminated[row] = is_over
        if s.seat != seat:
            _append(of_seats, ENDED if s.seat == NOBODY else OTHERS, row)


@jit
def _key_at(table: TableRecords, policies: PackedPolicies, policy: int) -> np.uint64:
    """Return a policy's random word for the next action of a table; 0 if it reads none."""
    if not uses_key(policies, policy):
        return np.uint64(0)
    progress = table.progress
    return player_word(table.shared.seed, progress.number, table.s.round_index, progress.ply)


@jit
def _first_action(of_seats: SeatArrays, row: int, s: State, action: int) -> int:
    """Return the action to make at a table; where an episode begins, prepare for it."""
    if action != BEGIN_NEXT and action != BEGIN_GIVEN:
        return action
    for seat in range(NUM_SEATS):
        of_seats.reward[row, seat] = 0
    of_seats.has_result[row] = False
    if action == BEGIN_NEXT:
        s.round_index += 1
    return BEGIN if action == BEGIN_NEXT else BEGIN_GIVEN


@jit
def _number_of_decision(s: State, ply: int) -> int:
    """Return a number that is the same at all cards of a play, and another at any other decision of the table."""
    return (int(s.round_index) << 40) + (int(s.redeals) << 20) + int(ply) - int(s.taken_size)


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


@jit
def pay_agents(packed: Packed, rows: NDArray[Any], is_paid: NDArray[Any], paid: NDArray[Any]) -> None:
    """Write what the agents of some tables have been paid since this was last done.

    Args:
        packed: the tables.
        rows: (B,) their indices.
        is_paid: (N,) bool, the tables to leave out.
        paid: (N,) float64, written.
    """
    _, of_seats = seated_at(packed)
    for index in range(rows.size):
        row = rows[index]
        if not is_paid[row]:
            seat = of_seats.seat[row]
            paid[row] = of_seats.reward[row, seat]
            of_seats.reward[row, seat] = 0


@jit
def observe_agents(packed: Packed, rows: NDArray[Any]) -> None:
    """Write what the agents of some tables see, to move or not, one after the other into `SeatArrays.seen`."""
    arrays, of_seats = seated_at(packed)
    for index in range(rows.size):
        row = rows[index]
        of_seats.seen[index] = arrays.observations[row]
        write_observation(arrays.states[row], arrays.shared[0].rules, of_seats.seat[row], of_seats.seen[index])


@part("seats", "the engine: one seat among other players, gymnasium.make")
def _compile() -> None:
    seating, inside = Seating(Tables(plain_settings(), np.zeros(1, np.int64))), np.full(NUM_SEATS, NOBODY, np.int64)
    step_rows(seating.packed, np.zeros(1, np.int64), np.full(1, BEGIN_NEXT), inside, NO_POLICIES)
