"""Slots: cards as one round sees them, which keeps the trump suit and the level out of the hot path.

| slots | trump suit named | no trump |
|---|---|---|
| 0–35 | the three plain suits in C D H S order, twelve ranks each | the first three of four plain suits |
| 36–47 | the trump suit's twelve ranks | the fourth plain suit |
| 48–50 | the off-suit level cards in C D H S order | 48–51: the four level cards |
| 51 | the trump level card | |
| 52, 53 | little joker, big joker | the same |

An **effective suit** (0..3 plain, 4 trump) is one contiguous block of slots in ascending **order**; adjacent orders
differ by one. Only the off-suit level cards share an order: the *level order*.

Source: docs/rules.md §6; docs/environments/actions.md.
"""

from typing import NamedTuple

from shengji_env.engine.cards import LITTLE_JOKER, NUM_RANKS, NUM_SUITS
from shengji_env.engine.compile import jit

NO_TRUMP = 4
TRUMP = 4
NUM_EFFECTIVE_SUITS = NUM_SUITS + 1
PLAIN_RANKS = NUM_RANKS - 1
NUM_SLOTS = 54
LEVEL_SLOT = NUM_SUITS * PLAIN_RANKS
TRUMP_LEVEL_SLOT = LEVEL_SLOT + NUM_SUITS - 1
LITTLE_JOKER_SLOT = 52
MAX_ORDERS = PLAIN_RANKS + 4


@jit
def slot_of_card(card: int, trump: int, level: int) -> int:
    """Return the slot of a card id; `trump` is a suit 0..3 or NO_TRUMP, `level` a rank 0..12."""
    if card >= LITTLE_JOKER:
        return card
    suit = card // NUM_RANKS
    rank = card - suit * NUM_RANKS
    index = suit if suit < trump else suit - 1
    if rank == level:
        return TRUMP_LEVEL_SLOT if suit == trump else LEVEL_SLOT + index
    low = rank if rank < level else rank - 1
    return (NUM_SUITS - 1 if suit == trump else index) * PLAIN_RANKS + low


@jit
def card_of_slot(slot: int, trump: int, level: int) -> int:
    """Return the card id of a slot: the inverse of `slot_of_card`."""
    if slot >= LITTLE_JOKER_SLOT:
        return slot
    if slot >= LEVEL_SLOT:
        index = slot - LEVEL_SLOT
        rank = level
        is_trump_suit = trump < NO_TRUMP and slot == TRUMP_LEVEL_SLOT
    else:
        index = slot // PLAIN_RANKS
        low = slot - index * PLAIN_RANKS
        rank = low if low < level else low + 1
        is_trump_suit = trump < NO_TRUMP and index == NUM_SUITS - 1
    if is_trump_suit:
        return trump * NUM_RANKS + rank
    return (index if index < trump else index + 1) * NUM_RANKS + rank


@jit
def trump_start(trump: int) -> int:
    """Return the first slot of the trump block."""
    return LEVEL_SLOT if trump == NO_TRUMP else LEVEL_SLOT - PLAIN_RANKS


class EffectiveSuit(NamedTuple):
    """An effective suit, and what is trump: the arguments of most functions below."""

    suit: int
    trump: int


@jit
def effective_suit(suit: int, trump: int) -> EffectiveSuit:
    """Return an effective suit; its numbers have 64 bits, so that what takes it is compiled once."""
    return EffectiveSuit(suit, trump)


@jit
def suit_of_slot(slot: int, trump: int) -> int:
    """Return the effective suit of a slot."""
    return TRUMP if slot >= trump_start(trump) else slot // PLAIN_RANKS


@jit
def suit_start(suit: int, trump: int) -> int:
    """Return the first slot of an effective suit's block."""
    return trump_start(trump) if suit == TRUMP else suit * PLAIN_RANKS


@jit
def suit_end(suit: int, trump: int) -> int:
    """Return one past the last slot of an effective suit's block."""
    return NUM_SLOTS if suit == TRUMP else (suit + 1) * PLAIN_RANKS


@jit
def suit_slots(suit: int, trump: int) -> int:
    """Return the slots of an effective suit's block as the bits of one number (`rows.py`)."""
    return (1 << int(suit_end(suit, trump))) - (1 << int(suit_start(suit, trump)))


@jit
def num_orders(suit: int, trump: int) -> int:
    """Return the number of different orders in an effective suit: 12, 16 (trump suit) or 3 (no trump)."""
    if suit != TRUMP:
        return PLAIN_RANKS
    return 3 if trump == NO_TRUMP else MAX_ORDERS


@jit
def level_order(suit: int, trump: int) -> int:
    """Return the order that several slots share, or -1 in a plain suit."""
    if suit != TRUMP:
        return -1
    return 0 if trump == NO_TRUMP else PLAIN_RANKS


@jit
def num_equal(order: int, suit: int, trump: int) -> int:
    """Return the number of slots that share an order."""
    if suit != TRUMP or order != level_order(suit, trump):
        return 1
    return NUM_SUITS if trump == NO_TRUMP else NUM_SUITS - 1


@jit
def first_slot(order: int, suit: int, trump: int) -> int:
    """Return the lowest slot of an order."""
    shared = level_order(suit, trump)
    skipped = num_equal(shared, suit, trump) - 1 if suit == TRUMP and order > shared else 0
    return suit_start(suit, trump) + order + skipped


@jit
def order_of_slot(slot: int, trump: int) -> int:
    """Return the order of a slot inside its effective suit."""
    suit = suit_of_slot(slot, trump)
    offset = slot - suit_start(suit, trump)
    if suit != TRUMP:
        return offset
    shared = level_order(suit, trump)
    return min(offset, shared) + max(offset - shared - num_equal(shared, suit, trump) + 1, 0)
