"""Rebellion: attackers with weak hands may have the deal abandoned once trumps are named.

The decision is a pass or `REBEL`. A rebellion counts as a redeal too (`redeals`), so each deal of a round has another
number; deals that nobody bids for are counted by the difference.

Source: docs/rules.md §4.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.clearing import clear_taken
from shengji_env.engine.compile import jit
from shengji_env.engine.kitty import take_kitty
from shengji_env.engine.rows import fill_row
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS, TRUMP
from shengji_env.engine.state import NOBODY, Phase, Rules, State
from shengji_env.engine.tricks import count_suit

_NONE = code_of("rebellion", "none")
_NEW_DECLARER, _NO_DECLARER = (code_of("rebellion", word) for word in ("new_declarer", "no_declarer"))
_FIXED = code_of("bidding", "fixed")
_ATTACKERS = (1, 3)
"""The attackers' seats after the declarer's, in the order in which they are asked."""


@jit
def may_rebel(s: State, r: Rules) -> bool:
    """Return whether this deal of the round may be abandoned by a rebellion."""
    return r.rebellion != _NONE and r.bidding != _FIXED and s.rebellions < r.max_rebellions


@jit
def is_weak(s: State, r: Rules, seat: int) -> bool:
    """Return whether a seat's hand is weak: it holds few points or few trumps."""
    if count_suit(s.hands[seat], TRUMP, s.trump) <= r.rebellion_trumps:
        return True
    points = 0
    for slot in range(NUM_SLOTS):
        points += int(s.hands[seat, slot]) * int(s.slot_points[slot])
    return points <= r.rebellion_points


@jit
def ask_rebels(s: State, r: Rules, asked: int) -> None:
    """Go on to the next attacker with a weak hand; once none is left, let the declarer take up the kitty.

    Args:
        s: the table.
        r: the rules.
        asked: how many seats after the declarer the last one asked sits; 0 before the first.
    """
    if may_rebel(s, r):
        for step in _ATTACKERS:
            seat = (s.declarer + step) % NUM_SEATS
            if step > asked and is_weak(s, r, seat):
                s.phase = Phase.REBEL
                s.seat = seat
                clear_taken(s)
                return
    take_kitty(s, r)


@jit
def pass_rebellion(s: State, r: Rules) -> None:
    """Let the seat to move go on with its weak hand."""
    ask_rebels(s, r, (s.seat - s.declarer) % NUM_SEATS)


@jit
def rebel(s: State, r: Rules) -> None:
    """Let the seat to move end the deal: clear what it brought, and set who declares and draws first in the next."""
    s.rebellions += 1
    s.redeals += 1
    fill_row(s.turned, 0)
    if r.rebellion == _NEW_DECLARER:
        s.had_declarer = 1
        s.declarer = s.seat
        s.first_drawer = s.seat
    elif r.rebellion == _NO_DECLARER:
        s.had_declarer = 0
        s.declarer = NOBODY
        s.first_drawer = drawn_lot(s.deal, r.total)
    elif not s.had_declarer:
        s.declarer = NOBODY


@jit
def drawn_lot(deal: NDArray[Any], total: int) -> int:
    """Return the seat that an abandoned deal, whose cards are `total`, lets draw first if nobody is declarer."""
    lot = 0
    for place in range(total):
        lot += (place + 1) * int(deal[place])
    return lot % NUM_SEATS
