"""Compiled code: sets of cards are put together by prices, and kept if they are new."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.play import CARDS
from shengji_env.engine.rows import lowest_slot, slots_with
from shengji_env.engine.slots import order_of_slot, suit_slots
from shengji_env.engine.state import State
from shengji_env.players.networks.selfplay.decision import MAX_CHOICES, NUM_MARKS, Decision

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
def take_cheapest(s: State, d: Decision, slots: int, number: int, prices: Prices, first: int) -> int:
    """Add the cheapest cards to the set that is being put together; return how many were found.

    Args:
        s: the table.
        d: ``d.cards[d.number]`` is the set.
        slots: where cards may be taken.
        number: how many are wanted.
        prices: what cards cost.
        first: slots that come before all others, whatever they cost.
    """
    hand, cards = s.hands[s.seat], d.cards[d.number]
    left = slots
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        d.prices[slot] = _price(s, slot, prices) - (_FAR if first >> slot & 1 else 0.0)
    for taken in range(number):
        best = -1
        left = slots
        while left:
            slot = lowest_slot(left)
            left &= left - 1
            if cards[slot] < hand[slot] and (best < 0 or d.prices[slot] < d.prices[best]):
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
def add_set(d: Decision) -> None:
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
    different = 0
    for least in range(NUM_MARKS):
        different |= marks[least] ^ others[least]
    return bool(different == 0)
