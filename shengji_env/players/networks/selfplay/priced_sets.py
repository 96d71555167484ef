"""Compiled code: sets of cards are put together by prices, and kept if they are new."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.play import CARDS
from shengji_env.engine.rows import lowest_slot, slots_with, write_slots
from shengji_env.engine.slots import TRUMP, order_of_slot, suit_slots
from shengji_env.engine.state import State
from shengji_env.players.networks.selfplay.decision import MAX_CHOICES, NUM_MARKS, DecisionRecord

_FAR, _NEVER = 10_000, 1 << 30
"""More than anything that makes a card dear, and than any price."""
_SLOT_BITS = 6
"""The lowest bits of a price are the slot."""


class Prices(NamedTuple):
    """What makes a card dear, in tenths; cheap ones are taken first, of equal ones that of the lowest slot."""

    height: int
    """For each order of its suit."""
    points: int
    """For five points."""
    pair: int
    """If there is another copy of it."""
    trump: int
    """If it is a trump."""


@jit
def take_cheapest(s: State, d: DecisionRecord, slots: int, number: int, prices: Prices, first: int) -> int:
    """Add the cheapest cards to the set that is being put together; return how many were found.

    Args:
        s: the table.
        d: ``d.cards[d.number]`` is the set.
        slots: where cards may be taken.
        number: how many are wanted.
        prices: what cards cost.
        first: slots that come before all others, whatever they cost.
    """
    hand, cards, missing = s.hands[s.seat], d.cards[d.number], number
    _set_prices(s, d, slots, prices, first)
    while missing > 0 and slots:
        slot = _cheapest(d, slots)
        slots ^= 1 << slot
        taken = min(int(hand[slot]) - int(cards[slot]), missing)
        cards[slot] += taken
        missing -= taken
    return number - missing


@jit
def _set_prices(s: State, d: DecisionRecord, slots: int, prices: Prices, first: int) -> None:
    """Write what the cards of some slots cost; no two prices are equal."""
    trumps, pairs = suit_slots(TRUMP, s.trump), slots_with(s.hands[s.seat], 2)
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        price = prices.height * order_of_slot(slot, s.trump) + prices.points * (int(s.slot_points[slot]) // 5)
        price += prices.pair * (pairs >> slot & 1) + prices.trump * (trumps >> slot & 1) - _FAR * (first >> slot & 1)
        d.prices[slot] = (price << _SLOT_BITS) + slot


@jit
def _cheapest(d: DecisionRecord, slots: int) -> int:
    """Return the cheapest of some slots."""
    least = _NEVER
    while slots:
        least = min(least, d.prices[lowest_slot(slots)])
        slots &= slots - 1
    return int(least & ((1 << _SLOT_BITS) - 1))


@jit
def add_copies(d: DecisionRecord, slot: int, copies: int) -> None:
    """Keep a set of copies of one card, which has not been found before, if there is room."""
    number = d.number
    write_slots(d.cards[number], 1 << slot)
    d.cards[number, slot] = copies
    for least in range(NUM_MARKS):
        d.marks[number, least] = 1 << slot if least < copies else 0
    d.actions[number] = CARDS
    if number < MAX_CHOICES:
        d.number += 1


@jit
def add_set(d: DecisionRecord) -> None:
    """Keep the set ``d.cards[d.number]``, unless it has been found before or there is no room."""
    number = d.number
    cards, marks = d.cards[number], d.marks[number]
    for least in range(NUM_MARKS):
        marks[least] = slots_with(cards, least + 1)
    for other in range(number):
        if _is_same(marks, d.marks[other]):
            return
    d.actions[number] = CARDS
    if number < MAX_CHOICES:
        d.number += 1


@jit
def _is_same(marks: NDArray[np.int64], others: NDArray[np.int64]) -> bool:
    least = 0
    while least < NUM_MARKS and marks[least] == others[least]:
        least += 1
    return least == NUM_MARKS
