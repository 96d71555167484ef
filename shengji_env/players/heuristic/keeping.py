"""Keeping: what each card is worth as long as it stays in hand, in units of five points.

| card | worth |
|---|---|
| plain | that it may win a trick: less for every higher card that is out; more in a long suit |
| plain pair | that it may win one as a pair: less for every higher pair that is out |
| the only card of a plain suit | less: without it the seat can ruff |
| trump | something by itself, more the higher it is and the more there are; jokers, level cards and pairs still more |
| the highest trump | still more towards the end: the last trick takes the kitty |

Playing a card costs this, less the points that it brings home (`set_charges`).
"""

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_options import CHOICES
from shengji_env.engine.slots import (
    LEVEL_SLOT,
    LITTLE_JOKER_SLOT,
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    TRUMP,
    order_of_slot,
    suit_end,
    suit_start,
)

_ONE_DECK_45 = CHOICES["result_table"].index("one_deck_45")

_STANDING = 0.9
_STANDING_DECAY = 0.62
_PAIR = 1.5
_PAIR_DECAY = 0.8
_LENGTH = 0.16
_ONLY_CARD = 0.34
_TRUMP = 0.83
_TRUMP_ORDER = 0.07
_TRUMP_LENGTH = 0.096
_LEVEL = 0.35
_JOKER = 1.13
_TRUMP_PAIR = 0.73
_MASTER = 1.69
_LAST_TRICK = 1.86
_LAST_TRICK_KITTY = 0.085
_LAST_TRICK_WINS = 8.0
_LAST_TRICK_CARDS = 7.6
_POINTS = 0.25


@jit
def set_keep_values(o: np.record, plan: np.record) -> None:
    """Value all cards of the hand."""
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] > 0:
            _value_suit(o, plan, suit)


@jit
def _value_suit(o: np.record, plan: np.record, suit: int) -> None:
    """Go down a suit, and count the higher cards and pairs that are out."""
    singles, pairs = 0, 0
    singles_here, pairs_here = 0, 0
    order = -1
    for slot in range(suit_end(suit, plan.trump) - 1, suit_start(suit, plan.trump) - 1, -1):
        if order_of_slot(slot, plan.trump) != order:
            order = order_of_slot(slot, plan.trump)
            singles += singles_here
            pairs += pairs_here
            singles_here, pairs_here = 0, 0
        singles_here += plan.rivals[slot]
        pairs_here += plan.rivals[slot] >= 2
        if plan.hand[slot] > 0:
            value = _POINTS * o.card_points[slot]
            if suit == TRUMP:
                plan.keep[slot] = value + _trump_value(o, plan, slot, order, singles)
            else:
                plan.keep[slot] = value + _plain_value(plan, suit, slot, singles, pairs)


@jit
def _plain_value(plan: np.record, suit: int, slot: int, singles: int, pairs: int) -> float:
    """Worth of a plain card above which so many cards and pairs are out."""
    value = _STANDING * _STANDING_DECAY**singles + _LENGTH * plan.length[suit]
    if plan.hand[slot] > 1:
        value += _PAIR * _PAIR_DECAY**pairs
    if plan.length[suit] == 1 and plan.length[TRUMP] > 0:
        value -= _ONLY_CARD
    return float(value)


@jit
def _trump_value(o: np.record, plan: np.record, slot: int, order: int, singles: int) -> float:
    """Worth of a trump above which so many cards are out."""
    value = _TRUMP + _TRUMP_ORDER * order + _TRUMP_LENGTH * plan.length[TRUMP]
    if slot >= LEVEL_SLOT:
        value += _LEVEL
    if slot >= LITTLE_JOKER_SLOT:
        value += _JOKER
    if plan.hand[slot] > 1:
        value += _TRUMP_PAIR
    if singles == 0:
        lateness = max(0.0, 1.0 - (o.cards_left[0] - 1) / _LAST_TRICK_CARDS)
        stake = (
            _LAST_TRICK + _LAST_TRICK_KITTY * o.buried_points[0] + _LAST_TRICK_WINS * o.rule_result_table[_ONE_DECK_45]
        )
        value += _MASTER + stake * lateness
    return float(value)


@jit
def set_charges(o: np.record, plan: np.record, gain: float) -> None:
    """Charge each card its worth, less its points where the own side is likely to win them (`gain`, -1 to 1)."""
    for slot in range(NUM_SLOTS):
        if plan.hand[slot] > 0:
            plan.charge[slot] = plan.keep[slot] - gain * o.card_points[slot]
