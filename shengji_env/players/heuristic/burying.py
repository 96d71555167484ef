"""Burying: become void in suits, keep winners, pairs and trumps, and bury points only at a price.

Each card has a price. Every set of plain suits that fits into the kitty is tried, filled up with the cheapest other
cards. Each suit that becomes void earns a bonus.

| card | price |
|---|---|
| all | more for high cards, for pairs, and for points if trumps are few: attackers who win the last trick take them |
| plain | less for each higher card that is out; more in a long suit |
| trump | a lot |
"""

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_record import index_of
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
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.counting import Plan
from shengji_env.players.heuristic.plans import NEVER, clear_want
from shengji_env.tables.observation import ObservationRecord

_KITTY = index_of("kitty")
_NOTHING_FOR_KITTY = index_of("kitty_multiplier", "none")


@jit
def plan_bury(seen: ObservationRecord, plan: Plan) -> None:
    """Choose the cheapest cards for the kitty."""
    set_prices(seen, plan)
    size = sort_slots(plan)
    suits = NO_TRUMP if plan.trump == NO_TRUMP else NO_TRUMP - 1
    best = 0
    lowest = NEVER
    sets = 1 << suits
    for step in range(sets + 1):
        chosen = step if step < sets else best
        cost = want_suits(seen, plan, chosen, size)
        if cost < lowest:
            lowest = cost
            best = chosen


@jit
def set_prices(seen: ObservationRecord, plan: Plan) -> None:
    """Price each card into ``plan.charge``."""
    point = 0.0
    if not seen.rules[_NOTHING_FOR_KITTY]:
        point = parameters.BURY_POINT - parameters.BURY_POINT_STRONG * (
            plan.length[TRUMP] - plan.hidden[TRUMP] / parameters.NUM_RIVALS
        )
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] == 0:
            continue
        higher = 0
        for slot in range(suit_end(suit, plan.trump) - 1, suit_start(suit, plan.trump) - 1, -1):
            price = parameters.BURY_ORDER * order_of_slot(slot, plan.trump) + point * seen.card_points[slot]
            if suit == TRUMP:
                price += parameters.BURY_TRUMP
            elif plan.hand[slot] > 0:
                price += (
                    parameters.BURY_STANDING * parameters.BURY_STANDING_DECAY**higher
                    + parameters.BURY_LENGTH * plan.length[suit]
                )
            plan.charge[slot] = price + parameters.BURY_PAIR if plan.hand[slot] > 1 else price
            higher += plan.rivals[slot]


@jit
def sort_slots(plan: Plan) -> int:
    """Write the slots of the hand into ``plan.best``, the cheapest first; return their number."""
    size = 0
    for slot in range(NUM_SLOTS):
        if plan.hand[slot] > 0:
            rank = size
            while rank > 0 and plan.charge[plan.best[rank - 1]] > plan.charge[slot]:
                plan.best[rank] = plan.best[rank - 1]
                rank -= 1
            plan.best[rank] = slot
            size += 1
    return size


@jit
def want_suits(seen: ObservationRecord, plan: Plan, chosen: int, size: int) -> float:
    """Choose the suits in `chosen` (bits), then the cheapest cards; return the price, NEVER if they are too many."""
    clear_want(plan)
    left = int(seen.rules[_KITTY])
    cost = 0.0
    for suit in range(NO_TRUMP):
        if chosen >> suit & 1:
            if plan.length[suit] == 0 or plan.length[suit] > left:
                return NEVER
            left -= plan.length[suit]
            cost -= parameters.BURY_VOID
            for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
                plan.want[slot] = plan.hand[slot]
                cost += plan.hand[slot] * plan.charge[slot]
    for rank in range(size):
        slot = plan.best[rank]
        suit = suit_of_slot(slot, plan.trump)
        if suit == TRUMP or not chosen >> suit & 1:
            taken = min(left, int(plan.hand[slot]))
            plan.want[slot] = taken
            cost += taken * plan.charge[slot]
            left -= taken
    return cost
