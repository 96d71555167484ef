"""Plans of whole plays, for the greedy player: which cards it wants to play, and how dear each of its cards is.

A **run** is `length` adjacent orders with at least `width` identical cards at each: any component.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.components import component_code, has_higher
from shengji_env.engine.slots import (
    NUM_SLOTS,
    TRUMP,
    first_slot,
    num_equal,
    num_orders,
    order_of_slot,
    suit_end,
    suit_start,
)

PLAN_DTYPE = np.dtype(
    (
        np.record,
        [
            ("hand", np.int16, (NUM_SLOTS,)),
            ("want", np.int16, (NUM_SLOTS,)),
            ("cost", np.int16, (NUM_SLOTS,)),
            ("rivals", np.int16, (NUM_SLOTS,)),
        ],
    )
)
"""Scratch memory of one decision, in slots.

`hand` holds the cards when it began, `want` those of the play, `cost` says how dear one card is, `rivals` is what other
seats may hold.
"""

NEVER = 10_000
"""A cost above all costs."""
NEXT, PARTNER, PREVIOUS = 1, 2, 3
_ORDER_COST = 2
_LENGTH_COST = 5
_TRUMP_COST = 40
_POINT_COST = 16
_PAIR_COST = 16
_POINT_GIFT = 30


@jit
def count_block(counts: NDArray[Any], suit: int, trump: int) -> int:
    """Cards of an effective suit."""
    total = 0
    for slot in range(suit_start(suit, trump), suit_end(suit, trump)):
        total += counts[slot]
    return total


@jit
def set_costs(o: np.record, plan: np.record, trump: int, gives_points: bool) -> None:
    """Say how dear cards are: low plain cards of short suits are cheap, points dear or (`gives_points`) cheapest."""
    for suit in range(TRUMP + 1):
        length = count_block(plan.hand, suit, trump)
        for slot in range(suit_start(suit, trump), suit_end(suit, trump)):
            cost = _ORDER_COST * order_of_slot(slot, trump) + _LENGTH_COST * length
            if plan.hand[slot] > 1:
                cost += _PAIR_COST
            if suit == TRUMP:
                cost += _TRUMP_COST
            cost += int(o.card_points[slot]) * (-_POINT_GIFT if gives_points else _POINT_COST)
            plan.cost[slot] = cost


@jit
def set_rivals(o: np.record, plan: np.record, is_next_only: bool) -> None:
    """Say which cards the next seat, or any other seat, may hold."""
    for slot in range(NUM_SLOTS):
        plan.rivals[slot] = o.unseen[slot] + o.known[NEXT - 1, slot]
        if not is_next_only:
            plan.rivals[slot] += o.known[PARTNER - 1, slot] + o.known[PREVIOUS - 1, slot]


@jit
def add_cheapest(plan: np.record, low: int, high: int, number: int) -> None:
    """Want the cheapest `number` cards of slots low..high-1 that are not wanted yet."""
    for _ in range(number):
        best = -1
        for slot in range(low, high):
            if plan.hand[slot] > plan.want[slot] and (best < 0 or plan.cost[slot] < plan.cost[best]):
                best = slot
        if best >= 0:
            plan.want[best] += 1


@jit
def slot_for(plan: np.record, order: int, suit: int, trump: int, width: int) -> int:
    """The slot of an order with `width` cards not wanted yet, the cheapest of several; -1 if there is none."""
    best = -1
    slot = first_slot(order, suit, trump)
    for equal in range(slot, slot + num_equal(order, suit, trump)):
        if plan.hand[equal] - plan.want[equal] >= width and (best < 0 or plan.cost[equal] < plan.cost[best]):
            best = equal
    return best


@jit
def find_run(plan: np.record, suit: int, trump: int, width: int, length: int, above: int) -> int:
    """Top order of the cheapest run whose top is higher than `above`; -1 if there is none."""
    best = -1
    lowest = NEVER
    for top in range(max(above + 1, length - 1), num_orders(suit, trump)):
        cost = 0
        for order in range(top - length + 1, top + 1):
            slot = slot_for(plan, order, suit, trump, width)
            cost += plan.cost[slot] * width if slot >= 0 else NEVER
        if cost < lowest:
            lowest = cost
            best = top
    return best


@jit
def add_run(plan: np.record, suit: int, trump: int, width: int, length: int, top: int) -> None:
    """Want the cards of a run."""
    for order in range(top - length + 1, top + 1):
        plan.want[slot_for(plan, order, suit, trump, width)] += width


@jit
def is_unbeaten(plan: np.record, suit: int, trump: int, width: int, length: int, top: int) -> bool:
    """Whether no rival can hold a run of this shape with a higher top."""
    return not has_higher(plan.rivals, component_code(width, length, top, 0), suit, trump)
