"""Masks: the legal actions of the seat to move, exactly.

Cards of one decision are taken in ascending slot order (in a follow the led suit before the rest), so every legal
play has one sequence of actions. A card is legal if what lies at or above it still completes a legal play.

Source: docs/rules.md §4–§9; docs/environment.md.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NAME, NUM_ACTIONS, PASS
from shengji_env.engine.bids import mask_bids
from shengji_env.engine.cards import NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.components import top_slot_of
from shengji_env.engine.deal import random_below
from shengji_env.engine.follows import can_complete
from shengji_env.engine.leads import extends_component, is_component
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, suit_end, suit_of_slot, suit_start
from shengji_env.engine.state import Phase, Rules, State, Workspace

NOTHING_LEGAL = -1


@jit
def write_mask(s: State, r: Rules, w: Workspace, mask: NDArray[Any]) -> int:
    """Write the legal actions of the seat to move into `mask`, shape (82,); returns their number."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    phase = s.phase
    if phase == Phase.FOLLOW:
        return _mask_follow(s, w, mask)
    if phase == Phase.LEAD:
        return mask_lead(s, r, mask)
    if phase == Phase.BID:
        mask[PASS] = 1
        return 1 + mask_bids(s, r, mask)
    if phase == Phase.BURY:
        return _mask_ascending(s, 0, NUM_SLOTS, s.last_slot, r.kitty - s.taken_size, -1, mask)
    if phase == Phase.FORCED:
        return _mask_forced(s, mask)
    if phase == Phase.NAME:
        return _mask_names(r, mask)
    return 0


@jit
def _mask_names(r: Rules, mask: NDArray[Any]) -> int:
    names = NO_TRUMP + 1 if r.no_trump_bids else NUM_SUITS
    for trump in range(names):
        mask[NAME + trump] = 1
    return names


@jit
def _mask_forced(s: State, mask: NDArray[Any]) -> int:
    suit = suit_of_slot(s.last_slot, s.trump)
    for choice in range(s.num_choices):
        mask[top_slot_of(s.choices[choice], suit, s.trump)] = 1
    return s.num_choices


@jit
def mask_lead(s: State, r: Rules, mask: NDArray[Any]) -> int:
    """Mark what a lead may go on with; nothing if only `done` would be left."""
    hand = s.hands[s.seat]
    low = s.last_slot if s.taken_size else 0
    high = suit_end(suit_of_slot(s.last_slot, s.trump), s.trump) if s.taken_size else NUM_SLOTS
    legal = 0
    for slot in range(low, high):
        if hand[slot] <= s.taken[slot]:
            continue
        if s.taken_size and not r.throws and not extends_component(hand, s.taken, s.last_slot, slot, s.trump):
            continue
        mask[slot] = 1
        legal += 1
    if s.taken_size and legal and (r.throws or is_component(s.taken, s.last_slot)):
        mask[DONE] = 1
        legal += 1
    return legal


@jit
def _mask_follow(s: State, w: Workspace, mask: NDArray[Any]) -> int:
    low = suit_start(s.lead_suit, s.trump)
    high = suit_end(s.lead_suit, s.trump)
    needed = s.lead_size - s.taken_size
    hand = s.hands[s.seat]
    if not s.must_match:
        for slot in range(low, high):
            if hand[slot] > s.taken[slot]:
                mask[slot] = 1
                return 1
        return _mask_ascending(s, 0, NUM_SLOTS, s.last_slot, needed, s.lead_suit, mask)
    legal = _mask_ascending(s, low, high, s.last_slot, needed, -1, mask)
    if s.num_owed == 0 or legal == 1:
        return legal
    for slot in range(low, high):
        if mask[slot] and not can_complete(s, w, hand, slot):
            mask[slot] = 0
            legal -= 1
    return legal


@jit
def _mask_ascending(
    s: State, low: int, high: int, last: int, needed: int, skipped_suit: int, mask: NDArray[Any]
) -> int:
    """Mark the slots from `last` on that leave enough cards at or above them; `skipped_suit` is left out (-1: none)."""
    hand = s.hands[s.seat]
    skip_low = suit_start(skipped_suit, s.trump) if skipped_suit >= 0 else NUM_SLOTS
    skip_high = suit_end(skipped_suit, s.trump) if skipped_suit >= 0 else NUM_SLOTS
    legal = 0
    left = 0
    for slot in range(high - 1, max(low, last) - 1, -1):
        if skip_low <= slot < skip_high:
            continue
        here = hand[slot] - s.taken[slot]
        left += here
        if here > 0 and left >= needed:
            mask[slot] = 1
            legal += 1
    return legal


@jit
def random_legal(mask: NDArray[Any], key: np.uint64, counter: int) -> int:
    """A uniformly random legal action, by a stream's word at `counter` (`deal.py`); NOTHING_LEGAL if there is none."""
    legal = 0
    for action in range(NUM_ACTIONS):
        legal += mask[action]
    if legal == 0:
        return NOTHING_LEGAL
    left = random_below(key, counter, legal)
    action = 0
    while left > 0 or not mask[action]:
        left -= mask[action]
        action += 1
    return action
