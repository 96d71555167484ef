"""Masks: the legal actions of the seat to move, exactly.

Cards of one decision are taken in ascending slot order (in a follow the led suit before the rest), so every legal
play has exactly one sequence of actions. A card is legal if the cards at or above it can still complete a legal play.

Source: docs/rules.md §4–§9; docs/environments/actions.md.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NAME, NUM_ACTIONS, PASS, REBEL
from shengji_env.engine.bids import bid_actions
from shengji_env.engine.cards import NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.components import top_slot_of
from shengji_env.engine.deal import is_suit_dealt, random_below
from shengji_env.engine.follows import can_complete
from shengji_env.engine.lanes import num_shares, share
from shengji_env.engine.leads import extends_component, is_component
from shengji_env.engine.rows import (
    has_slot,
    highest_slot,
    lowest_slot,
    num_slots,
    slots_above,
    slots_from,
    slots_with,
    write_slots,
)
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, suit_of_slot, suit_slots
from shengji_env.engine.state import Phase, Rules, State, Workspace

NOTHING_LEGAL = -1
NUM_OTHERS = NUM_ACTIONS - NUM_SLOTS
"""Number of actions that take no card."""
_PASS_BIT = 1 << (PASS - NUM_SLOTS)
"""`pass`, and `done`."""
_REBEL_BIT = 1 << (REBEL - NUM_SLOTS)


@jit
def write_mask(s: State, r: Rules, w: Workspace, mask: NDArray[Any]) -> int:
    """Write the legal actions of the seat to move into `mask`, shape (83,); return their number."""
    slots, others = legal_actions(s, r, w)
    write_legal(mask, slots, others)
    return num_legal(slots, others)


@jit
def num_legal(slots: int, others: int) -> int:
    """Return the number of legal actions, from what `legal_actions` returns."""
    return num_slots(slots) + num_slots(others)


@jit
def first_legal(slots: int, others: int) -> int:
    """Return the first legal action, from what `legal_actions` returns; there must be one."""
    return lowest_slot(slots) if slots else NUM_SLOTS + lowest_slot(others)


@jit
def write_legal(mask: NDArray[Any], slots: int, others: int) -> None:
    """Write the actions that `legal_actions` has returned into `mask`, shape (83,)."""
    write_slots(mask, slots)
    for step in range(num_shares(NUM_OTHERS)):
        other = share(step, NUM_OTHERS)
        mask[NUM_SLOTS + other] = others >> other & 1


@jit
def legal_actions(s: State, r: Rules, w: Workspace) -> tuple[int, int]:
    """Return the legal actions of the seat to move as two sets (`rows.py`): slots, and actions from NUM_SLOTS on."""
    phase = s.phase
    if phase == Phase.FOLLOW:
        return _legal_follow(s, w), 0
    if phase == Phase.LEAD:
        return legal_lead(s, r)
    if phase == Phase.BID:
        return 0, _PASS_BIT | bid_actions(s, r)
    if phase == Phase.BURY:
        return _leaving(s, _untaken(s), r.kitty - s.taken_size), 0
    if phase == Phase.FORCED:
        return _legal_forced(s), 0
    if phase == Phase.NAME:
        return 0, legal_names(r) << (NAME - NUM_SLOTS)
    if phase == Phase.REBEL:
        return 0, _PASS_BIT | _REBEL_BIT
    return 0, 0


@jit
def legal_names(r: Rules) -> int:
    """Return the trumps that may be named without a bid, as a set: suits that are dealt, and no trump."""
    names = 1 << NO_TRUMP if r.no_trump_bids else 0
    for suit in range(NUM_SUITS):
        names |= 1 << suit if is_suit_dealt(r, suit) else 0
    return names


@jit
def is_legal(s: State, r: Rules, w: Workspace, action: int) -> bool:
    """Return whether the seat to move may make an action; any other number is not legal."""
    slots, others = legal_actions(s, r, w)
    if action < NUM_SLOTS:
        return action >= 0 and has_slot(slots, action)
    return action < NUM_ACTIONS and has_slot(others, action - NUM_SLOTS)


@jit
def _legal_forced(s: State) -> int:
    suit = suit_of_slot(s.last_slot, s.trump)
    slots = 0
    for choice in range(s.num_choices):
        slots |= 1 << int(top_slot_of(s.choices[choice], suit, s.trump))
    return slots


@jit
def _untaken(s: State) -> int:
    """Return the slots, from the last one taken on, of which the seat to move holds a card not yet taken."""
    return slots_above(s.hands[s.seat], s.taken) & slots_from(s.last_slot)


@jit
def legal_lead(s: State, r: Rules) -> tuple[int, int]:
    """Return how a lead can be continued, as `legal_actions` does; two empty sets if only `done` would be left."""
    slots = _untaken(s)
    if s.taken_size == 0:
        return slots, 0
    slots &= suit_slots(suit_of_slot(s.last_slot, s.trump), s.trump)
    if r.throws:
        return slots, _PASS_BIT if slots else 0
    hand = s.hands[s.seat]
    left = slots
    while left:
        slot = lowest_slot(left)
        left ^= 1 << slot
        if not extends_component(hand, s.taken, s.last_slot, slot, s.trump):
            slots ^= 1 << slot
    return slots, _PASS_BIT if slots and is_component(s.taken, s.last_slot) else 0


@jit
def _legal_follow(s: State, w: Workspace) -> int:
    suit = suit_slots(s.lead_suit, s.trump)
    hand = s.hands[s.seat]
    needed = s.lead_size - s.taken_size
    if not s.must_match:
        of_suit = slots_above(hand, s.taken) & suit
        if of_suit:
            return of_suit & -of_suit
        return _leaving(s, _untaken(s) & ~suit, needed)
    slots = _leaving(s, _untaken(s) & suit, needed)
    if s.num_owed == 0 or num_slots(slots) == 1:
        return slots
    left = slots
    while left:
        slot = lowest_slot(left)
        left ^= 1 << slot
        if not can_complete(s, w.packing, hand, slot):
            slots ^= 1 << slot
    return slots


@jit
def _leaving(s: State, slots: int, needed: int) -> int:
    """Return those of `slots` with at least `needed` cards left to take at and above them."""
    hand = s.hands[s.seat]
    above = slots
    left = 0
    while above:
        slot = highest_slot(above)
        left += hand[slot] - s.taken[slot]
        if left >= needed:
            return slots & ~slots_from(slot + 1)
        above ^= 1 << slot
    return 0


@jit
def random_legal(mask: NDArray[Any], key: np.uint64, counter: int) -> int:
    """Return a uniformly random legal action by a stream's word at `counter` (`deal.py`), or NOTHING_LEGAL."""
    slots, others = legal_of_mask(mask)
    return random_action(slots, others, key, counter)


@jit
def legal_of_mask(mask: NDArray[Any]) -> tuple[int, int]:
    """Return what `legal_actions` has returned, from the mask that `write_mask` has written."""
    others = 0
    for other in range(NUM_OTHERS):
        others |= int(mask[NUM_SLOTS + other]) << other
    return slots_with(mask, 1), others


@jit
def random_action(slots: int, others: int, key: np.uint64, counter: int) -> int:
    """Return a uniformly random one of two sets of legal actions, by a stream's word, or NOTHING_LEGAL."""
    num_cards = num_slots(slots)
    legal = num_legal(slots, others)
    if legal == 0:
        return NOTHING_LEGAL
    left = int(random_below(key, counter, legal))
    if left >= num_cards:
        return NUM_SLOTS + _nth(others, left - num_cards)
    return _nth(slots, left)


@jit
def _nth(slots: int, index: int) -> int:
    """Return the member of a set with `index` members below it."""
    for _ in range(index):
        slots &= slots - 1
    return lowest_slot(slots)
