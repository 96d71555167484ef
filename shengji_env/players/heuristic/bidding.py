"""Bidding: bid a suit if the hand has more trumps than a fair share of the cards drawn so far.

| case | what a bid requires |
|---|---|
| first bid | more than a fair share of trumps; if it makes the seat declarer, more or fewer by the result table |
| overturning an opponent | as above, and more than the standing trumps would be worth |
| overturning the partner | a good deal more than that |
| reinforcing, or snatching what the seat has called | as for a first bid, of no weaker a suit |
| no trump | enough jokers and level cards, if no suit is strong enough |
| overbid (`overbidding.py`) | more than the present trumps are worth; more still if the partner has the kitty |

Jokers, pairs of trumps and side aces count extra. If fewer cards are dealt, fair shares are those of the cards dealt.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.actions import BID_LITTLE, BID_SUIT, NAME, PASS
from shengji_env.engine.cards import MAX_DECKS, NUM_RANKS, NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.rows import first_set
from shengji_env.engine.rule_record import RULE_FEATURES, index_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import LEVEL_SLOT, LITTLE_JOKER_SLOT, NO_TRUMP, NUM_SLOTS, PLAIN_RANKS
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.counting import PARTNER
from shengji_env.tables.observation import ObservationRecord

_TWO_DECK = index_of("result_table", "two_deck")
_ONE_DECK_45 = index_of("result_table", "one_deck_45")
_BOTZONE = index_of("result_table", "botzone")
"""Attackers who take over rise a level at once, so declarers are worse off than under the other tables."""
_FIRST_CARD_WORD = index_of("cards", "C")
_NUM_CARD_WORDS = sum(feature.option == "cards" for feature in RULE_FEATURES)
_SHARE_IN_DECK, _LEVEL_SHARE_IN_DECK = 18 / 54, 6 / 54
"""Share of trumps among all cards of a deck, with a trump suit and without."""


@jit
def choose_bid(seen: ObservationRecord, mask: NDArray[Any]) -> int:
    """Bid the best suit that may be bid now, with all its level cards, or no trump; or pass."""
    best = PASS
    most = _needed(seen)
    for suit in range(NUM_SUITS):
        for count in range(MAX_DECKS):
            action = BID_SUIT + count * NUM_SUITS + suit
            if mask[action] and strength(seen, suit) >= most:
                most = strength(seen, suit)
                best = action
    if (
        best == PASS
        and strength(seen, NO_TRUMP)
        >= parameters.BID_NO_TRUMP_HEADSTART
        + parameters.BID_NO_TRUMP_SHARE * scarcity(seen, NO_TRUMP) * seen.cards_left[0]
    ):
        for action in range(BID_LITTLE, NAME):
            if mask[action]:
                best = action
    return best


@jit
def choose_name(seen: ObservationRecord, mask: NDArray[Any]) -> int:
    """Name the best suit."""
    best = first_set(mask[NAME:])
    for suit in range(NUM_SUITS):
        if mask[NAME + suit] and strength(seen, suit) > strength(seen, best):
            best = suit
    return int(NAME + best)


@jit
def scarcity(seen: ObservationRecord, trump: int) -> float:
    """Return how the share of trumps among the cards dealt compares with that among all cards; 1 if all are dealt."""
    suits = 0
    for word in range(_FIRST_CARD_WORD, _FIRST_CARD_WORD + NUM_SUITS):
        suits += seen.rules[word]
    if suits == 0:
        return 1.0
    ranks, jokers = 0, 0
    for word in range(_FIRST_CARD_WORD + NUM_SUITS, _FIRST_CARD_WORD + NUM_SUITS + NUM_RANKS):
        ranks += seen.rules[word]
    for word in range(_FIRST_CARD_WORD + NUM_SUITS + NUM_RANKS, _FIRST_CARD_WORD + _NUM_CARD_WORDS):
        jokers += seen.rules[word]
    cards = suits * ranks + jokers
    if trump == NO_TRUMP:
        return (suits + jokers) / cards / _LEVEL_SHARE_IN_DECK
    return (suits + ranks - 1 + jokers) / cards / _SHARE_IN_DECK


@jit
def _needed(seen: ObservationRecord) -> float:
    """Return the strength from which a suit is worth a bid."""
    most = parameters.BID_FAIR_SHARE * scarcity(seen, 0) * seen.cards_left[0] + parameters.BID_HEADSTART
    if seen.declarer[NUM_SEATS]:
        is_costly = seen.rules[_TWO_DECK] + seen.rules[_ONE_DECK_45] + seen.rules[_BOTZONE]
        most += parameters.BID_NOT_DECLARER if is_costly else parameters.BID_NOT_DECLARER_ELSEWHERE
    if seen.bid_count[0] > 0:
        kind = first_set(seen.bid_kind)
        margin = parameters.BID_OVERTURN_PARTNER if seen.bidder[PARTNER] else parameters.BID_OVERTURN_OPPONENT
        most = max(most, strength(seen, min(kind, NO_TRUMP)) + (0.0 if seen.bidder[0] else margin))
    return float(most)


@jit
def strength(seen: ObservationRecord, trump: int) -> float:
    """Count trumps in hand, and a little for jokers, pairs and aces.

    `trump` is a suit, or `NO_TRUMP`, by its block of slots (`suit_blocks.block_of_suit`); before trumps are named,
    slots are no trump's.
    """
    total = 0.0
    for slot in range(LEVEL_SLOT, NUM_SLOTS):
        total += seen.hand[slot] * (1.0 + parameters.BID_JOKER * (slot >= LITTLE_JOKER_SLOT))
    for suit in range(NUM_SUITS):
        for slot in range(suit * PLAIN_RANKS, (suit + 1) * PLAIN_RANKS):
            if suit == trump:
                total += seen.hand[slot] + parameters.BID_PAIR * (seen.hand[slot] > 1)
        if suit != trump:
            total += parameters.BID_ACE * seen.hand[(suit + 1) * PLAIN_RANKS - 1]
    return total
