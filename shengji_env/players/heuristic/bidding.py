"""Bidding: name trumps with more of them than a fair share of the cards drawn so far.

| case | what it takes |
|---|---|
| first bid | more than a fair share of trumps; where it makes the seat declarer, as the result table treats declarers |
| overturning an opponent | as above, and more than the standing trumps would be worth |
| overturning the partner | a good deal more than that |
| reinforcing | as a first bid: all level cards are shown |
| no trump | enough jokers and level cards, where no suit will do |

Jokers, pairs of trumps and side aces count extra.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import BID_LITTLE, BID_SUIT, NAME, PASS
from shengji_env.engine.cards import MAX_DECKS, NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_options import CHOICES
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import LEVEL_SLOT, LITTLE_JOKER_SLOT, NO_TRUMP, NUM_SLOTS, PLAIN_RANKS
from shengji_env.players.heuristic.counting import PARTNER

_TWO_DECK = CHOICES["result_table"].index("two_deck")
_ONE_DECK_45 = CHOICES["result_table"].index("one_deck_45")
"""Attackers who take over rise a level at once: declarers are worse off than under the other tables."""

_FAIR_SHARE = 0.28
_HEADSTART = 0.83
_NOT_DECLARER = 2.2
_NOT_DECLARER_ELSEWHERE = -1.5
_OVERTURN_PARTNER = 2.2
_OVERTURN_OPPONENT = 0.33
_NO_TRUMP_SHARE = 0.21
_NO_TRUMP_HEADSTART = 3.4
_JOKER = 0.2
_PAIR = 0.15
_ACE = 0.23


@jit
def choose_bid(o: np.record, mask: NDArray[Any]) -> int:
    """Bid the best suit that may be bid now, with as many level cards as there are, or no trump; or pass."""
    best = PASS
    most = _needed(o)
    for suit in range(NUM_SUITS):
        for count in range(MAX_DECKS):
            action = BID_SUIT + count * NUM_SUITS + suit
            if mask[action] and strength(o, suit) >= most:
                most = strength(o, suit)
                best = action
    if best == PASS and strength(o, NO_TRUMP) >= _NO_TRUMP_HEADSTART + _NO_TRUMP_SHARE * o.cards_left[0]:
        for action in range(BID_LITTLE, NAME):
            if mask[action]:
                best = action
    return best


@jit
def choose_name(o: np.record) -> int:
    """Name the best suit."""
    best = 0
    for suit in range(NUM_SUITS):
        if strength(o, suit) > strength(o, best):
            best = suit
    return NAME + best


@jit
def _needed(o: np.record) -> float:
    """Strength from which a suit is worth a bid."""
    most = _FAIR_SHARE * o.cards_left[0] + _HEADSTART
    if o.declarer[NUM_SEATS]:
        is_costly = o.rule_result_table[_TWO_DECK] + o.rule_result_table[_ONE_DECK_45]
        most += _NOT_DECLARER if is_costly else _NOT_DECLARER_ELSEWHERE
    if o.bid_count[0] > 0 and not o.bidder[0]:
        kind = 0
        while not o.bid_kind[kind]:
            kind += 1
        margin = _OVERTURN_PARTNER if o.bidder[PARTNER] else _OVERTURN_OPPONENT
        most = max(most, strength(o, min(kind, NO_TRUMP)) + margin)
    return float(most)


@jit
def strength(o: np.record, trump: int) -> float:
    """Trumps in hand, and a little for what goes with them; before trumps are named, slots are those of no trump."""
    total = 0.0
    for slot in range(LEVEL_SLOT, NUM_SLOTS):
        total += o.hand[slot] * (1.0 + _JOKER * (slot >= LITTLE_JOKER_SLOT))
    for suit in range(NUM_SUITS):
        for slot in range(suit * PLAIN_RANKS, (suit + 1) * PLAIN_RANKS):
            if suit == trump:
                total += o.hand[slot] + _PAIR * (o.hand[slot] > 1)
        if suit != trump:
            total += _ACE * o.hand[(suit + 1) * PLAIN_RANKS - 1]
    return total
