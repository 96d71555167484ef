"""Compiled code of positions: actions made in a copy, decisions listed, and made again in another deal.

A **decision** is what a seat has decided, its cards taken together. To one observer, the passes of other seats are no
decisions, since nobody sees that they are asked, and the cards of another seat's BURY are hidden.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, PASS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.game import apply_action, begin_round
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.opening import DRAWING
from shengji_env.engine.rows import ALL_SLOTS, has_slot, lowest_slot
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS, suit_slots
from shengji_env.engine.state import NOBODY, Phase, Rules, State, Workspace
from shengji_env.tables.history import clear_plays
from shengji_env.tables.rewards import add_reward

Decision: TypeAlias = np.record

ILLEGAL = -1
CONTRADICTED = -1
SEAT_BITS = 7
"""Bits of a status that hold the seat to move; NUM_SEATS stands for nobody."""
PHASE_SHIFT = 3
REDEALT = 64
"""Flag of a status: nobody has bid, and the cards have been dealt again."""
CARDS = -1
"""The action of a decision about cards."""

DECISION_DTYPE = record_type(
    [
        ("phase", np.int8),
        ("seat", np.int8),
        ("drawn", np.int16),  # cards drawn when it was made
        ("is_circle", np.int8),  # for a bid: 1 after the last card was drawn
        ("action", np.int8),  # the action of a BID, NAME or FORCED; otherwise CARDS
        ("cards", np.int8, (NUM_SLOTS,)),  # the cards buried, led (as attempted) or followed with, by slot
    ]
)
"""One decision."""

_SEED, _TABLE = np.uint64(0), 0  # where deals are given, neither is used


@jit
def status_of(s: State) -> int:
    """Return the seat to move and the phase as one number."""
    seat = NUM_SEATS if s.seat == NOBODY else int(s.seat)
    return seat | int(s.phase) << PHASE_SHIFT


@jit
def begin_given(states: NDArray[Any], shared: NDArray[Any], works: NDArray[Any], redeals: int) -> bool:
    """Begin a round with the given deal, dealt after `redeals` others; return whether that is possible."""
    s = states[0]
    given = s.deal_given
    s.deal_given = 1
    begin_round(s, shared[0].rules, works[0], _SEED, _TABLE)
    s.deal_given = given
    # A deal in which nobody can bid is dealt again at once, as often as the rules allow.
    is_possible: bool = s.redeals == redeals or (s.redeals == 0 and s.phase == Phase.BID)
    s.redeals = redeals
    return is_possible


@jit
def make_action(
    before: NDArray[Any],
    after: NDArray[Any],
    shared: NDArray[Any],
    works: NDArray[Any],
    seed: np.uint64,
    table: int,
    action: int,
) -> int:
    """Make an action of 0..81 in a copy of a state; return the new status, or ILLEGAL."""
    after[0] = before[0]
    s, r, w = after[0], shared[0].rules, works[0]
    if not _is_legal(s, r, w, action):
        return ILLEGAL
    redeals = s.redeals
    apply_action(s, r, w, seed, table, action)
    return status_of(s) | (REDEALT if s.redeals != redeals else 0)


@jit
def _is_legal(s: State, r: Rules, w: Workspace, action: int) -> bool:
    slots, others = legal_actions(s, r, w)
    is_legal: bool = has_slot(slots, action) if action < NUM_SLOTS else has_slot(others, action - NUM_SLOTS)
    return is_legal


@jit
def list_legal(states: NDArray[Any], shared: NDArray[Any], works: NDArray[Any], actions: NDArray[Any]) -> int:
    """Write the legal actions, ascending, into `actions`, shape (82,); return their number."""
    slots, others = legal_actions(states[0], shared[0].rules, works[0])
    number = 0
    while slots:
        actions[number] = lowest_slot(slots)
        slots &= slots - 1
        number += 1
    while others:
        actions[number] = NUM_SLOTS + lowest_slot(others)
        others &= others - 1
        number += 1
    return number


@jit
def write_returns(states: NDArray[Any], shared: NDArray[Any], scheme: int, returns: NDArray[Any]) -> None:
    """Write what the round that is over is worth to each seat into `returns`, shape (4,)."""
    for seat in range(NUM_SEATS):
        returns[seat] = 0.0
    add_reward(states[0], shared[0].rules, scheme, False, returns)


@jit
def list_decisions(
    origin: NDArray[Any],
    shared: NDArray[Any],
    works: NDArray[Any],
    actions: NDArray[Any],
    observer: int,
    again: NDArray[Any],
    decisions: NDArray[Any],
    plays: NDArray[Any],
) -> tuple[int, int]:
    """Make actions from the state `origin` on in `again`; list the decisions and the plays.

    Args:
        origin: (1,) STATE_DTYPE.
        shared: (1,) SHARED_DTYPE.
        works: (1,) WORKSPACE_DTYPE.
        actions: (n,) uint8, of one deal.
        observer: the seat for which decisions are listed; NOBODY lists all of them.
        again: (1,) written: the state after the actions.
        decisions: (MAX_LOG,) DECISION_DTYPE, written.
        plays: (K, 55) int8, written as in `tables/history.py`, oldest first; all plays fit.

    Returns:
        The number of decisions, and the number of actions that make them up; the others belong to a decision under way.
    """
    again[0] = origin[0]
    s, r, w = again[0], shared[0].rules, works[0]
    clear_plays(plays)
    number = 0
    num_plays = 0
    begun = 0
    for ply in range(actions.size):
        phase, seat, action = int(s.phase), int(s.seat), int(actions[ply])
        d = decisions[number]
        _note(s, action, d)
        apply_action(s, r, w, _SEED, _TABLE, action)
        if d.action == CARDS and s.phase == phase and s.seat == seat:
            continue
        begun = ply + 1
        if phase == Phase.FOLLOW:
            _note_play(seat, d.cards, plays[num_plays])
            num_plays += 1
        elif s.phase == Phase.FOLLOW:
            _note_play(s.leader, s.trick[s.leader], plays[num_plays])
            num_plays += 1
        is_hidden = observer != NOBODY and observer != seat
        if not (is_hidden and phase == Phase.BID and action == PASS):
            number += 1
        if is_hidden and phase == Phase.BURY:
            for slot in range(NUM_SLOTS):
                d.cards[slot] = 0
    return number, begun


@jit
def _note(s: State, action: int, d: Decision) -> None:
    """Note an action, with the cards taken before it."""
    is_set = s.phase == Phase.BURY or s.phase == Phase.LEAD or s.phase == Phase.FOLLOW
    d.phase = s.phase
    d.seat = s.seat
    d.drawn = s.drawn
    d.is_circle = s.circle_left != DRAWING
    d.action = CARDS if is_set else action
    for slot in range(NUM_SLOTS):
        d.cards[slot] = s.taken[slot] if is_set else 0
    if is_set and action != DONE:
        d.cards[action] += 1


@jit
def _note_play(seat: int, cards: NDArray[Any], play: NDArray[Any]) -> None:
    play[0] = 1 + seat
    for slot in range(NUM_SLOTS):
        play[1 + slot] = cards[slot]


@jit
def decide_again(
    origin: NDArray[Any],
    shared: NDArray[Any],
    works: NDArray[Any],
    decisions: NDArray[Any],
    number: int,
    observer: int,
    buried: NDArray[Any],
    again: NDArray[Any],
    actions: NDArray[Any],
) -> int:
    """Make an observer's decisions from the beginning of another deal on.

    Other seats pass whenever they are asked for a bid that the observer has not heard.

    Args:
        origin: (1,) the state in which the other deal begins.
        shared: (1,) SHARED_DTYPE.
        works: (1,) WORKSPACE_DTYPE.
        decisions: (MAX_LOG,) DECISION_DTYPE, as `list_decisions` lists them for the observer.
        number: how many there are.
        observer: the seat to move after them.
        buried: (54,) what a declarer buries who is not the observer, by slot.
        again: (1,) written: the state after the decisions.
        actions: (MAX_LOG,) uint8, written: the actions that make them up.

    Returns:
        The number of actions, or CONTRADICTED if the decisions cannot be made in this deal.
    """
    again[0] = origin[0]
    s, r, w = again[0], shared[0].rules, works[0]
    size = 0
    place = 0
    while size >= 0:
        is_heard = place < number and _is_next(s, decisions[place])
        if is_heard:
            d = decisions[place]
            place += 1
            if d.action != CARDS:
                size = _make(s, r, w, d.action, actions, size)
            elif d.phase == Phase.BURY and d.seat != observer:
                size = _take(s, r, w, buried, actions, size)
            else:
                size = _take(s, r, w, d.cards, actions, size)
        elif s.phase == Phase.BID and s.seat != observer:
            size = _make(s, r, w, PASS, actions, size)
        else:
            break
        if s.redeals != origin[0].redeals:
            return CONTRADICTED
    return size if place == number else CONTRADICTED


@jit
def _is_next(s: State, d: Decision) -> bool:
    """Return whether a decision may be the one to be made now."""
    if d.phase != s.phase or d.seat != s.seat or d.drawn != s.drawn:
        return False
    is_same_time: bool = d.phase != Phase.BID or (d.is_circle != 0) == (s.circle_left != DRAWING)
    return is_same_time


@jit
def _make(s: State, r: Rules, w: Workspace, action: int, actions: NDArray[Any], size: int) -> int:
    """Make an action and append it; return the new number of actions, or CONTRADICTED if it is not legal."""
    if size < 0 or size >= actions.size or not _is_legal(s, r, w, action):
        return CONTRADICTED
    apply_action(s, r, w, _SEED, _TABLE, action)
    actions[size] = action
    return size + 1


@jit
def _take(s: State, r: Rules, w: Workspace, cards: NDArray[Any], actions: NDArray[Any], size: int) -> int:
    """Take the cards of a decision in their order, and end it; return what `_make` does."""
    phase, seat = int(s.phase), int(s.seat)
    first = suit_slots(s.lead_suit, s.trump) if phase == Phase.FOLLOW else ALL_SLOTS
    for slots in (first, ALL_SLOTS & ~first):
        for slot in range(NUM_SLOTS):
            if has_slot(slots, slot):
                for _ in range(cards[slot]):
                    if s.phase != phase or s.seat != seat:
                        return CONTRADICTED
                    size = _make(s, r, w, slot, actions, size)
    if size >= 0 and s.phase == Phase.LEAD and phase == Phase.LEAD and s.seat == seat:
        size = _make(s, r, w, DONE, actions, size)
    return size
