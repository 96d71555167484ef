"""Burying: make suits void, keep winners, pairs and trumps, and bury points only at a price.

Each card has a price. Every set of plain suits that fits into the kitty is tried, filled up with the cheapest of the
other cards; each suit emptied earns a bonus.

| card | price |
|---|---|
| all | the higher, the dearer; pairs; points, the weaker the trumps, since attackers who win the last trick take them |
| plain | less for every higher card that is out; more in a long suit |
| trump | a lot |
"""

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_options import MultiplierCode
from shengji_env.engine.slots import (
    NO_TRUMP,
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    TRUMP,
    order_of_slot,
    suit_end,
    suit_of_slot,
    suit_start,
)
from shengji_env.players.heuristic.plans import NEVER, clear_want

_RIVALS = 3

_VOID = 5.4
_POINT = 0.6
_POINT_STRONG = 0.08
_TRUMP = 8.9
_STANDING = 2.6
_STANDING_DECAY = 0.3
_PAIR = 1.28
_LENGTH = 0.2
_ORDER = 0.046


@jit
def plan_bury(o: np.record, plan: np.record) -> None:
    """Want the cheapest cards in the kitty."""
    set_prices(o, plan)
    size = sort_slots(plan)
    suits = NO_TRUMP if plan.trump == NO_TRUMP else NO_TRUMP - 1
    best = 0
    lowest = NEVER
    sets = 1 << suits
    for step in range(sets + 1):
        chosen = step if step < sets else best
        cost = want_suits(o, plan, chosen, size)
        if cost < lowest:
            lowest = cost
            best = chosen


@jit
def set_prices(o: np.record, plan: np.record) -> None:
    """Price each card into ``plan.charge``."""
    point = 0.0
    if not o.rule_kitty_multiplier[MultiplierCode.NONE]:
        point = _POINT - _POINT_STRONG * (plan.length[TRUMP] - plan.hidden[TRUMP] / _RIVALS)
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] == 0:
            continue
        higher = 0
        for slot in range(suit_end(suit, plan.trump) - 1, suit_start(suit, plan.trump) - 1, -1):
            price = _ORDER * order_of_slot(slot, plan.trump) + point * o.card_points[slot]
            if suit == TRUMP:
                price += _TRUMP
            elif plan.hand[slot] > 0:
                price += _STANDING * _STANDING_DECAY**higher + _LENGTH * plan.length[suit]
            plan.charge[slot] = price + _PAIR if plan.hand[slot] > 1 else price
            higher += plan.rivals[slot]


@jit
def sort_slots(plan: np.record) -> int:
    """Put the slots held into ``plan.best``, the cheapest first; returns their number."""
    size = 0
    for slot in range(NUM_SLOTS):
        if plan.hand[slot] > 0:
            place = size
            while place > 0 and plan.charge[plan.best[place - 1]] > plan.charge[slot]:
                plan.best[place] = plan.best[place - 1]
                place -= 1
            plan.best[place] = slot
            size += 1
    return size


@jit
def want_suits(o: np.record, plan: np.record, chosen: int, size: int) -> float:
    """Want whole suits, bit by bit in `chosen`, and then the cheapest cards; returns the price, NEVER if too many."""
    clear_want(plan)
    left = int(o.rule_kitty[0])
    cost = 0.0
    for suit in range(NO_TRUMP):
        if chosen >> suit & 1:
            if plan.length[suit] == 0 or plan.length[suit] > left:
                return NEVER
            left -= plan.length[suit]
            cost -= _VOID
            for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
                plan.want[slot] = plan.hand[slot]
                cost += plan.hand[slot] * plan.charge[slot]
    for place in range(size):
        slot = plan.best[place]
        suit = suit_of_slot(slot, plan.trump)
        if suit == TRUMP or not chosen >> suit & 1:
            taken = min(left, int(plan.hand[slot]))
            plan.want[slot] = taken
            cost += taken * plan.charge[slot]
            left -= taken
    return cost
