"""Compiled code: leads of a policy's own: all components of the hand, and the throws that stand."""

from typing import Any

from shengji_env.engine.compile import jit
from shengji_env.engine.components import most_at
from shengji_env.engine.rows import fill_row, lowest_slot, num_slots
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, first_slot, num_equal, num_orders, suit_slots
from shengji_env.engine.state import Rules, State
from shengji_env.players.networks.selfplay.context_rows import is_suit
from shengji_env.players.networks.selfplay.own_sets import add_set


@jit
def find_own_leads(s: State, r: Rules, own: Any) -> None:
    """Find every single card, every component of several, and for each suit the cards that nobody can beat."""
    hand = s.hands[s.seat]
    for suit in range(NUM_EFFECTIVE_SUITS):
        held = own.sight.held1 & suit_slots(suit, s.trump)
        if not is_suit(suit, s.trump) or held == 0:
            continue
        if r.throws:
            _find_throws(s, own, held)
        while held:
            slot = lowest_slot(held)
            held &= held - 1
            for copies in range(1, hand[slot] + 1):
                fill_row(own.cards[own.number], 0)
                own.cards[own.number, slot] = copies
                add_set(own)
        if num_slots(own.sight.held2 & suit_slots(suit, s.trump)) > 1:
            _find_runs(s, own, suit)


@jit
def _find_throws(s: State, own: Any, held: int) -> None:
    """Find the throw of all cards of a suit that stand, as singles or as pairs."""
    hand, cards = s.hands[s.seat], own.cards[own.number]
    standing, pairs = held & own.sight.standing, held & own.sight.boss_pairs
    if num_slots(standing | pairs) < 2:
        return
    fill_row(cards, 0)
    left = standing | pairs
    while left:
        slot = lowest_slot(left)
        left &= left - 1
        cards[slot] = hand[slot] if standing >> slot & 1 else 2
    add_set(own)


@jit
def _find_runs(s: State, own: Any, suit: int) -> None:
    """Find all tractors of a suit."""
    hand = s.hands[s.seat]
    for top in range(1, num_orders(suit, s.trump)):
        for width in range(2, most_at(hand, top, suit, s.trump) + 1):
            for length in range(2, top + 2):
                if most_at(hand, top - length + 1, suit, s.trump) < width:
                    break
                fill_row(own.cards[own.number], 0)
                add_run(s, own, suit, top, length, width)
                add_set(own)


@jit
def add_run(s: State, own: Any, suit: int, top: int, length: int, width: int) -> None:
    """Add the cards of a component that the hand holds to the set that is being put together."""
    hand, cards = s.hands[s.seat], own.cards[own.number]
    for order in range(top - length + 1, top + 1):
        slot = first_slot(order, suit, s.trump)
        for equal in range(num_equal(order, suit, s.trump)):
            if hand[slot + equal] - cards[slot + equal] >= width:
                cards[slot + equal] += width
                break
