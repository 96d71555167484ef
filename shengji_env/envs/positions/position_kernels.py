"""Compiled code of positions: actions made in a copy, decisions listed, and made again in another deal.

A **decision** is what a seat has decided, its cards taken together. To one observer, the passes of other seats are no
decisions, since nobody sees that they are asked (for a bid or a rebellion), and the cards of another seat's BURY
are hidden. Where nobody sees what a failed throw was (``failed_throw=lowest_card``), another seat's LEAD has the cards
that are led.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, PASS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.deal import SAME_CARDS, Deals
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.opening import DRAWING, begin_given
from shengji_env.engine.play import CARDS, ILLEGAL, make_legal, take_cards, take_play
from shengji_env.engine.rows import copy_row, fill_row, lowest_slot
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_record import RULES_DTYPE
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NOBODY, WORKSPACE_DTYPE, Phase, Rules, State, Workspace
from shengji_env.tables.history import clear_plays
from shengji_env.tables.rewards import add_reward

LoggedDecision: TypeAlias = np.record

_LOWEST_CARD = code_of("failed_throw", "lowest_card")
CONTRADICTED = -1
SEAT_BITS = 7
"""Bits of a status that hold the seat to move; NUM_SEATS stands for nobody."""
PHASE_SHIFT = 3
REDEALT = 64
"""Flag of a status: nobody has bid, or a seat has rebelled, and the cards have been dealt again."""
DECISION_DTYPE = record_type(
    [
        ("phase", np.int8),
        ("seat", np.int8),
        ("drawn", np.int16),  # cards drawn when it was made
        ("is_circle", np.int8),  # for a bid: 1 after the last card was drawn
        ("trump", np.int8),  # what was trumps then, 0..4; -1 before they were named
        ("action", np.int8),  # the action of a BID, NAME, FORCED or REBEL; otherwise CARDS
        (
            "cards",
            np.int8,
            (NUM_SLOTS,),
        ),  # the cards buried, led (as attempted) or followed with, by slot with these trumps
    ]
)
"""One decision."""


MEMORY_DTYPE = record_type([("rules", RULES_DTYPE), ("work", WORKSPACE_DTYPE)])
"""The rules, and scratch memory."""


class DecisionArrays(NamedTuple):
    """Actions made again: the rules, and what is written."""

    memory: NDArray[Any]
    """(1,) MEMORY_DTYPE."""
    states: NDArray[Any]
    """(1,) STATE_DTYPE: the state after the actions."""
    decisions: NDArray[Any]
    """(MAX_LOG,) DECISION_DTYPE."""
    plays: NDArray[np.int8]
    """(K, 55) as in `tables/history.py`, but the oldest first; all plays of a round fit."""
    actions: NDArray[np.uint8]
    """(MAX_LOG,)."""


@jit
def status_of(s: State) -> int:
    """Return the seat to move and the phase as one number."""
    seat = NUM_SEATS if s.seat == NOBODY else int(s.seat)
    return seat | int(s.phase) << PHASE_SHIFT


@jit
def begin_at_deal(states: NDArray[Any], memory: NDArray[Any], redeals: int, rebellions: int) -> bool:
    """Begin a state (1,) with its deal, as `begin_given`, which says whether it can; ``deal_given`` stays as it is."""
    s, own = states[0], memory[0]
    given = s.deal_given
    is_possible: bool = begin_given(s, own.rules, redeals, rebellions)
    s.deal_given = given
    return is_possible


@jit
def make_action(states: NDArray[Any], memory: NDArray[Any], seed: np.uint64, table: int, action: int) -> int:
    """Make an action in a state (1,); return the new status, or ILLEGAL."""
    s, own = states[0], memory[0]
    redeals = s.redeals
    if not make_legal(s, own.rules, own.work, Deals(seed, table), action):
        return ILLEGAL
    return status_of(s) | (REDEALT if s.redeals != redeals else 0)


@jit
def take_left(
    states: NDArray[Any], memory: NDArray[Any], cards: NDArray[Any], is_whole: bool, log: NDArray[Any]
) -> int:
    """Take cards in a state (1,).

    Args:
        states: the state.
        memory: (1,) MEMORY_DTYPE.
        cards: (54,) the cards by slot, without those that are already taken.
        is_whole: whether the decision must end with them.
        log: (MAX_LOG,) written: the actions.

    Returns:
        The number of actions, or ILLEGAL.
    """
    s, own = states[0], memory[0]
    return take_play(s, own.rules, own.work, cards, log) if is_whole else take_cards(s, own.rules, own.work, cards, log)


@jit
def list_legal(states: NDArray[Any], memory: NDArray[Any], actions: NDArray[Any]) -> int:
    """Write the legal actions, ascending, into `actions`, shape (83,); return their number."""
    slots, others = legal_actions(states[0], memory[0].rules, memory[0].work)
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
def write_returns(states: NDArray[Any], memory: NDArray[Any], scheme: int, returns: NDArray[Any]) -> None:
    """Write what the round that is over is worth to each seat into `returns`, shape (4,)."""
    for seat in range(NUM_SEATS):
        returns[seat] = 0.0
    add_reward(states[0], memory[0].rules, scheme, False, returns)


@jit
def list_decisions(
    start: NDArray[Any], replay: DecisionArrays, actions: NDArray[Any], observer: int
) -> tuple[int, int]:
    """Make actions from a state on; write the decisions, the plays and the state after them into the memory.

    Args:
        start: (1,) STATE_DTYPE.
        replay: memory, written.
        actions: (n,) uint8, of one deal.
        observer: the seat for which decisions are listed; NOBODY lists all of them.

    Returns:
        The number of decisions, and the number of actions that make them up; the others belong to a decision under way.
    """
    replay.states[0] = start[0]
    s, r, w, plays = replay.states[0], replay.memory[0].rules, replay.memory[0].work, replay.plays
    clear_plays(plays)
    number = 0
    num_plays = 0
    num_complete = 0
    for step in range(actions.size):
        phase, seat, action = int(s.phase), int(s.seat), int(actions[step])
        decision = replay.decisions[number]
        _note(s, action, decision)
        apply_action(s, r, w, SAME_CARDS, action)
        if decision.action == CARDS and s.phase == phase and s.seat == seat:
            continue
        num_complete = step + 1
        if phase == Phase.FOLLOW:
            _note_play(seat, decision.cards, plays[num_plays])
            num_plays += 1
        elif s.phase == Phase.FOLLOW:
            _note_play(s.leader, s.trick[s.leader], plays[num_plays])
            num_plays += 1
        is_hidden = observer != NOBODY and observer != seat
        is_asked = phase == Phase.BID or phase == Phase.REBEL
        if not (is_hidden and is_asked and action == PASS):
            number += 1
        if is_hidden and phase == Phase.BURY:
            fill_row(decision.cards, 0)
        if is_hidden and phase == Phase.LEAD and r.failed_throw == _LOWEST_CARD:
            copy_row(decision.cards, s.trick[seat])
    return number, num_complete


@jit
def _note(s: State, action: int, decision: LoggedDecision) -> None:
    """Note an action, with the cards taken before it."""
    is_set = s.phase == Phase.BURY or s.phase == Phase.LEAD or s.phase == Phase.FOLLOW
    decision.phase = s.phase
    decision.seat = s.seat
    decision.drawn = s.drawn
    decision.trump = s.trump
    decision.is_circle = s.circle_left != DRAWING
    decision.action = CARDS if is_set else action
    for slot in range(NUM_SLOTS):
        decision.cards[slot] = s.taken[slot] if is_set else 0
    if is_set and action != DONE:
        decision.cards[action] += 1


@jit
def _note_play(seat: int, cards: NDArray[Any], play: NDArray[Any]) -> None:
    play[0] = 1 + seat
    for slot in range(NUM_SLOTS):
        play[1 + slot] = cards[slot]


@jit
def decide_again(start: NDArray[Any], replay: DecisionArrays, number: int, observer: int, buried: NDArray[Any]) -> int:
    """Make an observer's decisions from the start of another deal on; write actions and state into the memory.

    Other seats pass whenever they are asked for a bid or a rebellion that the observer has not seen.

    Args:
        start: (1,) the state in which the other deal begins.
        replay: memory; its decisions are those that `list_decisions` lists for the observer.
        number: how many there are.
        observer: the seat to move after them.
        buried: (B, 54) what is buried each time by seats that are not the observer, by slot with the trumps of then.

    Returns:
        The number of actions, or CONTRADICTED if the decisions cannot be made in this deal.
    """
    replay.states[0] = start[0]
    s, r, w = replay.states[0], replay.memory[0].rules, replay.memory[0].work
    size = 0
    index = 0
    while True:
        if index < number and _is_next(s, replay.decisions[index]):
            decision = replay.decisions[index]
            index += 1
            if decision.action != CARDS:
                made = _make(s, r, w, decision.action, replay.actions[size:])
            elif decision.phase == Phase.BURY and decision.seat != observer:
                made = take_play(s, r, w, buried[s.num_takers - 1], replay.actions[size:])
            else:
                made = take_play(s, r, w, decision.cards, replay.actions[size:])
        elif (s.phase == Phase.BID or s.phase == Phase.REBEL) and s.seat != observer:
            made = _make(s, r, w, PASS, replay.actions[size:])
        else:
            return size if index == number else CONTRADICTED
        size += made
        if made == ILLEGAL or size > replay.actions.size or s.redeals != start[0].redeals:
            return CONTRADICTED


@jit
def _make(s: State, r: Rules, w: Workspace, action: int, log: NDArray[Any]) -> int:
    """Make an action if it is legal, and note it; return the number of actions made, or ILLEGAL."""
    if log.size == 0 or not make_legal(s, r, w, SAME_CARDS, action):
        return ILLEGAL
    log[0] = action
    return 1


@jit
def _is_next(s: State, decision: LoggedDecision) -> bool:
    """Return whether a decision may be the one to be made now."""
    if decision.phase != s.phase or decision.seat != s.seat or decision.drawn != s.drawn:
        return False
    is_same_time: bool = decision.phase != Phase.BID or (decision.is_circle != 0) == (s.circle_left != DRAWING)
    return is_same_time
