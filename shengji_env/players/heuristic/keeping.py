"""Keeping: what each card is worth as long as it stays in hand, in units of five points.

| card | worth |
|---|---|
| plain | it may win a trick: less for each higher card that is out; more in a long suit |
| plain pair | it may win a trick as a pair: less for each higher pair that is out |
| the only card of a plain suit | less: without it the seat can ruff |
| trump | something by itself; more if it is high, if there are many, and for jokers, level cards and pairs |
| the highest trump | more towards the end: the last trick takes the kitty |

Playing a card costs its worth, minus the points that it brings home (`set_charges`).
"""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import MAX_TOTAL
from shengji_env.engine.compile import jit
from shengji_env.engine.rows import lowest_slot, num_slots, slots_from
from shengji_env.engine.rule_record import index_of
from shengji_env.engine.slots import (
    LEVEL_SLOT,
    LITTLE_JOKER_SLOT,
    NUM_EFFECTIVE_SUITS,
    TRUMP,
    first_slot,
    order_of_slot,
    suit_slots,
)
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.counting import Plan, count_at
from shengji_env.tables.observation import ObservationRecord

_ONE_DECK_45 = index_of("result_table", "one_deck_45")


def _powers(base: float, size: int) -> NDArray[np.float64]:
    """Return the powers 0..size-1 of a number as compiled code computes them, by squaring, to the last bit."""
    powers = np.ones(size)
    for exponent in range(size):
        factor, left = base, exponent
        while left:
            if left & 1:
                powers[exponent] *= factor
            left >>= 1
            factor *= factor
    return powers


STANDING_BELOW = parameters.KEEP_STANDING * _powers(parameters.KEEP_STANDING_DECAY, MAX_TOTAL + 1)
PAIR_BELOW = parameters.KEEP_PAIR * _powers(parameters.KEEP_PAIR_DECAY, MAX_TOTAL + 1)
"""What a plain card, or one of a plain pair, is worth below so many cards, or pairs, that are out."""


@jit
def set_keep_values(seen: ObservationRecord, plan: Plan) -> None:
    """Value all cards of the hand."""
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] > 0:
            value_suit(seen, plan, suit)


@jit
def value_suit(seen: ObservationRecord, plan: Plan, suit: int) -> None:
    """Value a suit's cards, counting the higher cards and pairs that are out."""
    block = suit_slots(suit, plan.trump)
    held = plan.held[1] & block
    while held:
        slot = lowest_slot(held)
        held &= held - 1
        value = parameters.KEEP_POINTS * seen.card_points[slot]
        if suit == TRUMP:
            order = order_of_slot(slot, plan.trump)
            higher = slots_from(first_slot(order + 1, suit, plan.trump)) & block
            plan.keep[slot] = value + _trump_value(seen, plan, slot, order, plan.out[1] & higher == 0)
        else:
            plan.keep[slot] = value + _plain_value(plan, suit, slot, slots_from(slot + 1) & block)


@jit
def _plain_value(plan: Plan, suit: int, slot: int, higher: int) -> float:
    """Value a plain card, given the slots of higher cards."""
    value = STANDING_BELOW[count_at(plan.out, higher)] + parameters.KEEP_LENGTH * plan.length[suit]
    if plan.hand[slot] > 1:
        value += PAIR_BELOW[num_slots(plan.out[2] & higher)]
    if plan.length[suit] == 1 and plan.length[TRUMP] > 0:
        value -= parameters.KEEP_ONLY_CARD
    return float(value)


@jit
def _trump_value(seen: ObservationRecord, plan: Plan, slot: int, order: int, is_master: bool) -> float:
    """Value a trump; `is_master`: no higher card is out."""
    value = (
        parameters.KEEP_TRUMP + parameters.KEEP_TRUMP_ORDER * order + parameters.KEEP_TRUMP_LENGTH * plan.length[TRUMP]
    )
    if slot >= LEVEL_SLOT:
        value += parameters.KEEP_LEVEL
    if slot >= LITTLE_JOKER_SLOT:
        value += parameters.KEEP_JOKER
    if plan.hand[slot] > 1:
        value += parameters.KEEP_TRUMP_PAIR
    if is_master:
        lateness = max(0.0, 1.0 - (seen.cards_left[0] - 1) / parameters.KEEP_LAST_TRICK_CARDS)
        stake = (
            parameters.KEEP_LAST_TRICK
            + parameters.KEEP_LAST_TRICK_KITTY * seen.buried_points[0]
            + parameters.KEEP_LAST_TRICK_WINS * seen.rules[_ONE_DECK_45]
        )
        value += parameters.KEEP_MASTER + stake * lateness
    return float(value)


@jit
def set_charges(seen: ObservationRecord, plan: Plan, gain: float) -> None:
    """Charge each card its worth, minus its points times `gain` (-1 to 1: how likely the own side wins them)."""
    charge_at(seen, plan, gain, plan.held[1])


@jit
def charge_at(seen: ObservationRecord, plan: Plan, gain: float, slots: int) -> None:
    """Do the same as `set_charges` at some slots."""
    held = slots & plan.held[1]
    while held:
        slot = lowest_slot(held)
        held &= held - 1
        plan.charge[slot] = plan.keep[slot] - gain * seen.card_points[slot]
