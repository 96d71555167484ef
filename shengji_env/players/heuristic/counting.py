"""Counting: which cards are out, and who may hold them.

Everything follows from one observation. Cards that were played, shown, or buried by the seat itself are known; the
others are **hidden**. A seat that did not follow suit has no card of that suit.

| quantity | how it is estimated |
|---|---|
| a seat's share of a suit's hidden cards | equal to the others', none if it is void; more if it is void elsewhere |
| the kitty's share of plain cards, for all but who buried it | by its size, at about half weight |

`rivals` is not an estimate but an upper bound: the most copies of a card that any single other seat may hold. What no
rival can beat, nobody can beat.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.rows import Row, copy_row, fill_row, first_set, lowest_slot, num_slots, slots_with
from shengji_env.engine.rule_record import index_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import (
    NO_TRUMP,
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    TRUMP,
    level_order,
    num_equal,
    suit_end,
    suit_slots,
    suit_start,
)
from shengji_env.engine.state import WORKSPACE_DTYPE
from shengji_env.players.heuristic import parameters
from shengji_env.tables.observation import ObservationRecord

NEXT, PARTNER, PREVIOUS = 1, 2, 3
"""The other seats, relative to the one that decides."""
_KITTY = index_of("kitty")
_OVERBID = index_of("kitty_retake", "overbid")

LENGTHS_KEPT = 4
"""Lengths of runs, from one on, whose chances as ruffs are kept."""

Plan: TypeAlias = np.record


class Run(NamedTuple):
    """A run: adjacent orders with identical cards at each. Every component is one."""

    suit: int
    """Its effective suit."""
    width: int
    """Identical cards at each order."""
    length: int
    """Number of orders."""
    top: int
    """The highest order."""


HEURISTIC_DTYPE = record_type(
    [
        ("trump", np.int64),
        ("is_declarers", np.int64),
        ("hand", np.int8, (NUM_SLOTS,)),
        ("want", np.int8, (NUM_SLOTS,)),
        ("best", np.int8, (NUM_SLOTS,)),
        ("rivals", np.int8, (NUM_SLOTS,)),
        ("held", np.int64, (MAX_DECKS + 1,)),
        ("out", np.int64, (MAX_DECKS + 1,)),
        ("unseen", np.int64, (MAX_DECKS + 1,)),
        ("known", np.int64, (NUM_SEATS,)),
        ("alike", np.int64, (NUM_SEATS,)),
        ("length", np.int16, (NUM_EFFECTIVE_SUITS,)),
        ("hidden", np.int16, (NUM_EFFECTIVE_SUITS,)),
        ("share", np.float64, (NUM_SEATS, NUM_EFFECTIVE_SUITS)),
        ("void", np.float64, (NUM_SEATS, NUM_EFFECTIVE_SUITS)),
        ("has_void", np.int64, (NUM_SEATS,)),
        ("ruffed", np.float64, (NUM_SEATS, NUM_EFFECTIVE_SUITS)),
        ("has_ruffed", np.int64, (NUM_SEATS,)),
        ("ruff", np.float64, (NUM_SEATS, MAX_DECKS * LENGTHS_KEPT)),
        ("has_ruff", np.int64, (NUM_SEATS,)),
        ("over", np.float64, (NUM_SEATS,)),
        ("keep", np.float64, (NUM_SLOTS,)),
        ("charge", np.float64, (NUM_SLOTS,)),
        ("work", WORKSPACE_DTYPE),
    ]
)
"""Scratch memory of one decision.

By slot: `hand`, as the decision began; `want`, the cards chosen for the play; `best`, the best play found so far;
`rivals`, as above; `keep`, what a card is worth in hand; `charge`, what it costs to play it. Sets of slots, by the
least number of copies: `held` in the hand, `out` in `rivals`, `unseen` in the observation. By effective suit:
`length`, the hand's cards; `hidden`, the cards that are out; `share`, how many of them each other seat is likely to
hold. By seat: `known`, the slots of cards that it is known to hold; `alike`, the first seat of which as much is known,
so that their chances are the same; `over`, how likely it is to beat the play under consideration (`chances.set_overs`).

Computed when first needed, which the bits of the field after it note: `void`, how likely a seat is to have no card of a
suit; `ruffed`, to ruff a single of it; `ruff`, to have a run of trumps, by shape.
"""


@jit
def count_cards(seen: ObservationRecord, plan: Plan) -> None:
    """Fill in the plan, except for the values of cards; clear `want`."""
    trump = first_set(seen.trump)
    plan.trump = trump
    plan.is_declarers = seen.declarer[0] + seen.declarer[PARTNER]
    fill_row(plan.want, 0)
    copy_row(plan.hand, seen.hand)
    taken = slots_with(seen.taken, 1)
    if taken:
        while taken:
            slot = lowest_slot(taken)
            taken &= taken - 1
            plan.hand[slot] += seen.taken[slot]
        _find_slots(plan.hand, plan.held)
    else:
        _find_slots(seen.hand, plan.held)
    _count_rivals(seen, plan)
    for suit in range(NUM_EFFECTIVE_SUITS):
        plan.length[suit] = 0
        plan.hidden[suit] = 0
        if suit != NO_TRUMP - 1 or trump == NO_TRUMP:
            _count_suit(seen, plan, suit)
    _find_alike(seen, plan)
    _set_shares(seen, plan)
    for seat in range(1, NUM_SEATS):
        plan.has_void[seat] = 0
        plan.has_ruffed[seat] = 0
        plan.has_ruff[seat] = 0


@jit
def _find_slots(row: Row, slots: NDArray[Any]) -> None:
    """Write the sets of slots with at least so many cards of a row; a row is best read before it is written to."""
    for least in range(1, MAX_DECKS + 1):
        slots[least] = slots_with(row, least)


@jit
def count_at(slots: NDArray[Any], among: int) -> int:
    """Return the number of cards at some slots, given the sets of slots by the least number of copies."""
    cards = num_slots(slots[1] & among)
    for least in range(2, MAX_DECKS + 1):
        cards += num_slots(slots[least] & among)
    return cards


@jit
def _count_rivals(seen: ObservationRecord, plan: Plan) -> None:
    """Count the most copies of each card that any single other seat may hold."""
    copy_row(plan.rivals, seen.unseen)
    _find_slots(seen.unseen, plan.unseen)
    known = 0
    for seat in range(1, NUM_SEATS):
        plan.known[seat] = slots_with(seen.known[seat - 1], 1)
        known |= plan.known[seat]
    for least in range(1, MAX_DECKS + 1):
        plan.out[least] = plan.unseen[least]
    while known:
        slot = lowest_slot(known)
        known &= known - 1
        before = plan.rivals[slot]
        plan.rivals[slot] += max(seen.known[0, slot], seen.known[1, slot], seen.known[2, slot])
        for least in range(before + 1, plan.rivals[slot] + 1):
            plan.out[least] |= 1 << slot


@jit
def _count_suit(seen: ObservationRecord, plan: Plan, suit: int) -> None:
    """Count a suit's cards. If all other seats are void in it, its hidden cards lie in the kitty."""
    slots = suit_slots(suit, plan.trump)
    plan.length[suit] = count_at(plan.held, slots)
    if seen.voids[NEXT, suit] and seen.voids[PARTNER, suit] and seen.voids[PREVIOUS, suit]:
        for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
            plan.rivals[slot] = 0
        for least in range(1, MAX_DECKS + 1):
            plan.out[least] &= ~slots
        return
    hidden = count_at(plan.unseen, slots)
    for seat in range(1, NUM_SEATS):
        known = plan.known[seat] & slots
        while known:
            hidden += seen.known[seat - 1, lowest_slot(known)]
            known &= known - 1
    plan.hidden[suit] = hidden


@jit
def _find_alike(seen: ObservationRecord, plan: Plan) -> None:
    """Find the other seats of which nothing but the same voids is known."""
    for seat in range(1, NUM_SEATS):
        plan.alike[seat] = seat
        for other in range(1, seat):
            if plan.alike[seat] == seat and plan.known[seat] | plan.known[other] == 0:
                is_alike = True
                for suit in range(NUM_EFFECTIVE_SUITS):
                    is_alike = is_alike and seen.voids[seat, suit] == seen.voids[other, suit]
                if is_alike:
                    plan.alike[seat] = other


@jit
def _set_shares(seen: ObservationRecord, plan: Plan) -> None:
    """Split each suit's hidden cards: a seat's cards are spread over the suits in which it is not void."""
    everything = 0
    for suit in range(NUM_EFFECTIVE_SUITS):
        everything += plan.hidden[suit]
    kitty = 0.0
    has_buried = seen.burier[0] if seen.rules[_OVERBID] else seen.declarer[0]
    if not has_buried and everything > 0:
        kitty = parameters.COUNT_KITTY_WEIGHT * seen.rules[_KITTY] / (everything * seen.cards_left[0])
    for seat in range(1, NUM_SEATS):
        _spread(seen, plan, seat)
    for suit in range(NUM_EFFECTIVE_SUITS):
        total = 0.0 if suit == TRUMP else kitty
        for seat in range(1, NUM_SEATS):
            total += plan.share[seat, suit]
        if total > 0.0:
            for seat in range(1, NUM_SEATS):
                plan.share[seat, suit] /= total


@jit
def _spread(seen: ObservationRecord, plan: Plan, seat: int) -> None:
    """Spread a seat's cards over the hidden cards of the suits in which it is not void."""
    like = plan.alike[seat]
    if like < seat:
        for suit in range(NUM_EFFECTIVE_SUITS):
            plan.share[seat, suit] = plan.share[like, suit]
        return
    cards = 0
    for suit in range(NUM_EFFECTIVE_SUITS):
        cards += 0 if seen.voids[seat, suit] else plan.hidden[suit]
    for suit in range(NUM_EFFECTIVE_SUITS):
        plan.share[seat, suit] = 0.0 if seen.voids[seat, suit] or cards == 0 else 1.0 / cards


@jit
def orders_of(slots: int, suit: int, trump: int) -> int:
    """Return the orders of some slots of a suit as the bits of one number."""
    slots = (slots & suit_slots(suit, trump)) >> suit_start(suit, trump)
    if suit != TRUMP:
        return slots
    level = level_order(suit, trump)
    equal = num_equal(level, suit, trump)
    below = slots & ((1 << level) - 1)
    shared = int(slots >> level & ((1 << equal) - 1) != 0)
    return below | shared << level | slots >> (level + equal) << (level + 1)
