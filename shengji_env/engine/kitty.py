"""The kitty: who takes it up, what is buried, and who takes it again by an overbid.

What lies in the kitty is `buried`; while a taker holds it, that is zero. Once another seat takes up what a seat has
buried, this is the seat's `passed_on`, until it buries again. `circle_left` counts the seats that are still to be asked
for an overbid after the one that is asked.

Source: docs/rules.md §5.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.bids import has_bid, trump_of_kind, write_bid
from shengji_env.engine.cards import CARD_POINTS
from shengji_env.engine.clearing import begin_trick, clear_taken
from shengji_env.engine.compile import jit
from shengji_env.engine.rows import copy_row, fill_row
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS, card_of_slot, slot_of_card
from shengji_env.engine.state import NOBODY, Phase, Rules, State

_OVERBID = code_of("kitty_retake", "overbid")


@jit
def last_taker(s: State) -> int:
    """Return the seat that took up the kitty last, NOBODY before: it buries, or has buried what lies in the kitty."""
    return int(s.takers[s.num_takers - 1]) if s.num_takers > 0 else NOBODY


@jit
def take_kitty(s: State, r: Rules) -> None:
    """Let the declarer take up the kitty as it was dealt; with an empty kitty, which nobody takes up, let it lead."""
    if r.kitty == 0:
        begin_trick(s, s.declarer)
        return
    for position in range(NUM_SEATS * r.hand, r.total):
        s.hands[s.declarer, slot_of_card(s.deal[position], s.trump, s.level_rank)] += 1
    _let_bury(s, s.declarer)


@jit
def _let_bury(s: State, taker: int) -> None:
    s.takers[s.num_takers] = taker
    s.num_takers += 1
    s.phase = Phase.BURY
    s.seat = taker
    clear_taken(s)


@jit
def end_bury(s: State, r: Rules) -> None:
    """Bury the cards taken, and ask for overbids where the rules allow them; otherwise let the declarer lead."""
    _bury_taken(s)
    if r.kitty_retake == _OVERBID and s.bid_count > 0:
        s.circle_left = NUM_SEATS - 1
        ask_overbids(s, r)
    else:
        begin_trick(s, s.declarer)


@jit
def _bury_taken(s: State) -> None:
    """Move the cards taken from the burier's hand into the kitty; it is no longer known what it holds."""
    for slot in range(NUM_SLOTS):
        s.buried[slot] = s.taken[slot]
        s.passed_on[s.seat, slot] = 0
        s.hands[s.seat, slot] -= s.taken[slot]
        s.known[s.seat, slot] = 0


@jit
def ask_overbids(s: State, r: Rules) -> None:
    """Go on to the next seat that may overbid; once all have been asked, let the declarer lead."""
    burier = last_taker(s)
    while s.circle_left > 0:
        asked = (burier + NUM_SEATS - s.circle_left) % NUM_SEATS
        s.circle_left -= 1
        if asked != s.bid_seat and has_bid(s, r, asked):
            s.phase = Phase.BID
            s.seat = asked
            clear_taken(s)
            return
    begin_trick(s, s.declarer)


@jit
def overbid(s: State, r: Rules, action: int) -> None:
    """Let the seat to move overbid: name trumps anew, and take up what another has buried."""
    write_bid(s, action)
    rename_trumps(s, r, trump_of_kind(s.bid_kind))
    burier = last_taker(s)
    for slot in range(NUM_SLOTS):
        s.passed_on[burier, slot] = s.buried[slot]
        s.hands[s.seat, slot] += s.buried[slot]
        s.buried[slot] = 0
    s.circle_left = 0
    _let_bury(s, s.seat)


@jit
def rename_trumps(s: State, r: Rules, trump: int) -> None:
    """Re-index for other trumps all cards that are somewhere before the first trick; the level rank stays."""
    for seat in range(NUM_SEATS):
        _move_slots(s, s.hands[seat], trump)
        _move_slots(s, s.known[seat], trump)
        _move_slots(s, s.passed_on[seat], trump)
    _move_slots(s, s.buried, trump)
    s.trump = trump
    write_slot_values(s, r)


@jit
def _move_slots(s: State, row: NDArray[Any], trump: int) -> None:
    """Re-index a row of counts from the slots of these trumps to those of others; `taken` is overwritten."""
    copy_row(s.taken, row)
    fill_row(row, 0)
    for slot in range(NUM_SLOTS):
        if s.taken[slot]:
            row[slot_of_card(card_of_slot(slot, s.trump, s.level_rank), trump, s.level_rank)] = s.taken[slot]


@jit
def write_slot_values(s: State, r: Rules) -> None:
    """Write points and copies of each slot's card, for the trumps and the level rank of the state."""
    for slot in range(NUM_SLOTS):
        card = card_of_slot(slot, s.trump, s.level_rank)
        s.slot_points[slot] = CARD_POINTS[card]
        s.slot_copies[slot] = r.copies[card]
