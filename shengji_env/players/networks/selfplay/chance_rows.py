"""Compiled code: how likely the others are to beat a lead or a follow, by counting cards, as rows.

A hidden card of a suit is with each seat that has not shown itself void in it, or in a kitty that the seat has not
seen, in proportion to the cards that they hold. So a seat beats a play

| by | with the chance that |
|---|---|
| a higher component of its suit | it holds one of those that can be put together of hidden cards |
| a ruff | it is void in the suit led, and holds one of trumps |

of which both are taken as independent of each other, and of what other seats hold. Chances are multiplied and added
in one order, so they are the same on every processor.
"""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rows import ALL_SLOTS, count_cards_at, num_slots, slots_from, slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP, suit_slots
from shengji_env.engine.state import Rules, State
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.decision import Beater, DecisionRecord
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    CHANCE_INPUTS,
    CHANCES,
    FIRST_CHANCE_ROW,
    NUM_CHANCE_ROWS,
    first_rows,
)

_FIRST = first_rows(CHANCE_INPUTS, FIRST_CHANCE_ROW)
_OVER, _CHANCE = _FIRST["over"], _FIRST["chance"]
_PARTNER, _OPPONENT_WINS = 2, 2


@jit
def look_for_chances(s: State, r: Rules, d: DecisionRecord) -> None:
    """Find each seat's share of the hidden cards of each suit, and the chance that it is void."""
    size = count_cards_at(s.hands[s.seat], ALL_SLOTS)
    kitty = 0 if last_taker(s) == s.seat else int(r.kitty)
    for suit in range(NUM_EFFECTIVE_SUITS):
        if is_suit(suit, s.trump):
            holders = NUM_SEATS - 1
            for step in range(1, NUM_SEATS):
                holders -= int(s.voids[(s.seat + step) % NUM_SEATS, suit])
            d.share[suit] = size / max(holders * size + kitty, 1)
            d.none[suit] = _power(1.0 - d.share[suit], count_cards_at(d.sight.out, suit_slots(suit, s.trump)))


@jit
def list_chances(s: State, d: DecisionRecord, status: int, play: Beater, rows: NDArray[np.int16], number: int) -> int:
    """List the chances that each seat still to play beats the play that is winning, and that the own side wins.

    Args:
        s: the table, before the set is played.
        d: `look_for_chances` has just looked at it.
        status: who is ahead then: the seat, its partner, an opponent.
        play: what wins then.
        rows: written.
        number: of the rows that stand there.

    Returns:
        How many rows there are now.
    """
    first = int(d.group) * NUM_CHANCE_ROWS
    lead = int(s.lead_suit) if s.lead_size > 0 else play.suit
    higher = _chance_of_any(d, play.suit, suit_slots(play.suit, s.trump) & slots_from(play.top + 1), play)
    ruff = 0.0
    if play.suit != TRUMP:
        ruff = 1.0 - d.none[TRUMP] if play.width == 1 else _chance_of_any(d, TRUMP, suit_slots(TRUMP, s.trump), play)
    ahead = 0.0 if status == _OPPONENT_WINS else 1.0
    for step in range(1, NUM_SEATS - int(s.position) if s.lead_size > 0 else NUM_SEATS):
        seat = (s.seat + step) % NUM_SEATS
        void = 1.0 if s.voids[seat, lead] else d.none[lead]
        trumps = 0.0 if s.voids[seat, TRUMP] else void
        in_suit = 0.0 if s.voids[seat, lead] else higher
        over = trumps * higher if play.suit != lead else trumps * ruff + in_suit
        over = min(over, 1.0)
        rows[number] = first + _OVER + (step - 1) * CHANCES + int(over * (CHANCES - 1) + 0.5)
        number += 1
        ahead = ahead + (1.0 - ahead) * over if step == _PARTNER else ahead * (1.0 - over)
    rows[number] = first + _CHANCE + status * CHANCES + int(ahead * (CHANCES - 1) + 0.5)
    return number + 1


@jit
def _chance_of_any(d: DecisionRecord, suit: int, slots: int, play: Beater) -> float:
    """Return the chance that a seat holds a component of the play's shape of some slots of a suit."""
    if play.width == 1:
        return 1.0 - _power(1.0 - d.share[suit], count_cards_at(d.sight.out, slots))
    number = num_slots(slots_with(d.sight.out, play.width) & slots) - play.length + 1
    return 1.0 - _power(1.0 - _power(d.share[suit], play.width * play.length), max(number, 0))


@jit
def _power(base: float, exponent: int) -> float:
    """Return a power, by multiplications in one order; the exponent is a number of cards or of components of them."""
    product = 1.0
    while exponent:
        product *= base if exponent & 1 else 1.0
        base *= base
        exponent >>= 1
    return product
