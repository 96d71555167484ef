"""Suits as blocks of slots: where the cards of a suit are once trumps are named, for players that weigh other trumps.

Source: docs/environments/actions.md.
"""

from shengji_env.engine.cards import NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.slots import NO_TRUMP, TRUMP


@jit
def block_of_suit(suit: int, trump: int) -> int:
    """Return which block of twelve slots a suit's cards are if `trump` is named; `NO_TRUMP` stays what it is."""
    if suit == NO_TRUMP or trump == NO_TRUMP or suit < trump:
        return suit
    return NUM_SUITS - 1 if suit == trump else suit - 1


@jit
def effective_suit_of(suit: int, trump: int) -> int:
    """Return the effective suit of a suit's cards if `trump` is named; of no trump that of trumps."""
    return TRUMP if suit == trump else block_of_suit(suit, trump)
