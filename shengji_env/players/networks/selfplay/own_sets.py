"""Compiled code: sets of cards are put together by prices, and kept if they are new."""

from typing import Any, NamedTuple

from shengji_env.engine.compile import jit
from shengji_env.engine.play import CARDS
from shengji_env.engine.rows import lowest_slot, slots_with
from shengji_env.engine.slots import order_of_slot, suit_slots
from shengji_env.engine.state import State

MAX_CHOICES = 64
"""Most choices of a decision."""
NUM_MARKS = 4
"""Sets of slots that tell two sets of cards apart: with one card, two, three, four."""
_FAR = 1000.0
"""More than any price."""


class Prices(NamedTuple):
    """What makes a card dear; cheap ones are taken first."""

    height: float
    """For each order of its suit."""
    points: float
    """For five points."""
    pair: float
    """If there is another copy of it."""
    trump: float
    """If it is a trump."""


@jit
def take_cheapest(s: State, own: Any, slots: int, number: int, prices: Prices, first: int) -> int:
    """Add the cheapest cards to the set that is being put together; return how many were found.

    Args:
        s: the table.
        own: ``own.cards[own.number]`` is the set.
        slots: where cards may be taken.
        number: how many are wanted.
        prices: what cards cost.
        first: slots that come before all others, whatever they cost.
    """
    hand, cards = s.hands[s.seat], own.cards[own.number]
    left = slots
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        own.prices[slot] = _price(s, slot, prices) - (_FAR if first >> slot & 1 else 0.0)
    for taken in range(number):
        best = -1
        left = slots
        while left:
            slot = lowest_slot(left)
            left &= left - 1
            if cards[slot] < hand[slot] and (best < 0 or own.prices[slot] < own.prices[best]):
                best = slot
        if best < 0:
            return taken
        cards[best] += 1
    return number


@jit
def _price(s: State, slot: int, prices: Prices) -> float:
    is_trump = suit_slots(4, s.trump) >> slot & 1
    price = prices.height * order_of_slot(slot, s.trump) + prices.points * (s.slot_points[slot] // 5)
    return float(price + prices.pair * (s.hands[s.seat, slot] > 1) + prices.trump * is_trump)


@jit
def add_set(own: Any) -> None:
    """Keep the set ``own.cards[own.number]``, unless it has been found before or there is no room."""
    number = own.number
    cards, marks = own.cards[number], own.marks[number]
    for least in range(NUM_MARKS):
        marks[least] = slots_with(cards, least + 1)
    for other in range(number):
        if _is_same(marks, own.marks[other]):
            return
    own.actions[number] = CARDS
    if number < MAX_CHOICES:
        own.number += 1


@jit
def _is_same(marks: Any, others: Any) -> bool:
    different = 0
    for least in range(NUM_MARKS):
        different |= marks[least] ^ others[least]
    return bool(different == 0)
