"""Tricks: who wins them.

A follow can win if it is all of the led suit or all trumps and can be partitioned into exactly the lead's shapes.
Trumps beat the led suit; inside one suit, the strictly higher top of the lead's principal component wins, and each
play is partitioned so that this top is highest. If the rules say so, a ruff of a throw must beat another in its highest
card, or in every component (`ruffs.py`).

Source: docs/rules.md §10.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.components import (
    add_component,
    component_code,
    holds_component,
    length_of,
    width_of,
)
from shengji_env.engine.packing import can_supply
from shengji_env.engine.rows import count_cards_at, highest_slot, slots_with
from shengji_env.engine.ruffs import take_tops
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.slots import (
    LEVEL_SLOT,
    TRUMP,
    EffectiveSuit,
    effective_suit,
    level_order,
    num_equal,
    num_orders,
    order_of_slot,
    suit_end,
    suit_slots,
    suit_start,
)
from shengji_env.engine.state import Rules, State, Workspace

DISCARD = -1
_ALL, _HIGHEST = (code_of("throw_contest", word) for word in ("all", "highest"))


@jit
def count_suit(counts: NDArray[Any], suit: int, trump: int) -> int:
    """Return the number of cards of an effective suit."""
    return count_cards_at(counts, suit_slots(suit, trump))


@jit
def suit_of_play(play: NDArray[Any], size: int, lead_suit: int, trump: int) -> int:
    """Return the effective suit of a follow that is all of the led suit or all trumps, otherwise DISCARD."""
    if count_suit(play, lead_suit, trump) == size:
        return lead_suit
    if count_suit(play, TRUMP, trump) == size:
        return TRUMP
    return DISCARD


@jit
def principal_top(play: NDArray[Any], lead: State, suit: EffectiveSuit, w: Workspace) -> int:
    """Return the highest top of the lead's principal component in a play of the lead's size and of one suit.

    It is -1 if the play does not have the lead's shapes.
    """
    width = width_of(lead.components[0])
    if width == 1:
        return order_of_slot(highest_slot(slots_with(play, 1)), suit.trump)
    length = length_of(lead.components[0])
    shared = level_order(*suit)
    for top in range(num_orders(*suit) - 1, length - 2, -1):
        takes_level = top - length < shared <= top
        for equal in range(num_equal(shared, suit.suit, suit.trump) if takes_level else 1):
            code = component_code(width, length, top, LEVEL_SLOT + equal if takes_level else 0)
            if holds_component(play, code, suit.suit, suit.trump) and _rest_fits(play, code, lead, suit, w):
                return top
    return -1


@jit
def _rest_fits(play: NDArray[Any], principal: int, lead: State, suit: EffectiveSuit, w: Workspace) -> bool:
    """Return whether a play without its principal component has the shapes of the lead's other components."""
    for slot in range(suit_start(*suit), suit_end(*suit)):
        w.packing.available[slot] = play[slot]
        w.packing.fixed[slot] = 0
    add_component(principal, suit.suit, suit.trump, w.packing.available, -1)
    return can_supply(lead, 1, suit, w.packing)


@jit
def contest(s: State, r: Rules, w: Workspace, seat: int, play: NDArray[Any]) -> None:
    """Make `seat` the trick's winner so far if its follow beats the play that was winning."""
    suit = suit_of_play(play, s.lead_size, s.lead_suit, s.trump)
    if suit == DISCARD or (suit != TRUMP and s.winning_suit == TRUMP):
        return
    top = principal_top(play, s, effective_suit(suit, s.trump), w)
    if top < 0:
        return
    is_ruff = s.num_components > 1 and suit == TRUMP and s.lead_suit != TRUMP
    if is_ruff and r.throw_contest == _HIGHEST:
        top = order_of_slot(highest_slot(slots_with(play, 1)), s.trump)
    if is_ruff and r.throw_contest == _ALL:
        if not take_tops(s, w, play):
            return
        top = s.winning_tops[0]
    elif suit == s.winning_suit and top <= s.winning_top:
        return
    s.winning = seat
    s.winning_suit = suit
    s.winning_top = top
