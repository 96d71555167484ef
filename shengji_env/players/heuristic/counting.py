"""Counting: which cards are out, who may hold them, and how likely a seat is to beat a play.

Everything follows from one observation. Cards that were played, shown, or buried by the seat itself are known; the
others are **hidden**. A seat that did not follow suit has no card of that suit.

| quantity | how it is estimated |
|---|---|
| a seat's share of a suit's hidden cards | equal to the others', none if it is void; more if it is void elsewhere |
| the kitty's share of plain cards, for all but who buried it | by its size, at about half weight |
| holding `width` of `copies` equal cards | binomial with that share |
| being void | the chance that its share has none of the suit's hidden cards |

`rivals` is not an estimate but an upper bound: the most copies of a card that any single other seat may hold. What no
rival can beat, nobody can beat.
"""

from typing import NamedTuple, TypeAlias

import numpy as np

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.rows import copy_row, count_cards_at, fill_row, first_set, lowest_slot, slots_from, slots_with
from shengji_env.engine.rule_record import index_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import (
    NO_TRUMP,
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    TRUMP,
    first_slot,
    num_equal,
    num_orders,
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

UNKNOWN = -1.0
"""Stands for a chance that has not been computed."""

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


class Play(NamedTuple):
    """A play that wins a trick so far."""

    lead_suit: int
    """The effective suit led."""
    size: int
    """Number of cards; more than the principal component's for a throw, which can only be ruffed."""
    principal: Run
    """Its principal component, of the shape of the lead's."""


HEURISTIC_DTYPE = record_type(
    [
        ("trump", np.int64),
        ("is_declarers", np.int64),
        ("hand", np.int8, (NUM_SLOTS,)),
        ("want", np.int8, (NUM_SLOTS,)),
        ("best", np.int8, (NUM_SLOTS,)),
        ("rivals", np.int8, (NUM_SLOTS,)),
        ("length", np.int16, (NUM_EFFECTIVE_SUITS,)),
        ("hidden", np.int16, (NUM_EFFECTIVE_SUITS,)),
        ("share", np.float64, (NUM_SEATS, NUM_EFFECTIVE_SUITS)),
        ("void", np.float64, (NUM_SEATS, NUM_EFFECTIVE_SUITS)),
        ("any_trump", np.float64, (NUM_SEATS,)),
        ("over", np.float64, (NUM_SEATS,)),
        ("keep", np.float64, (NUM_SLOTS,)),
        ("charge", np.float64, (NUM_SLOTS,)),
        ("work", WORKSPACE_DTYPE),
    ]
)
"""Scratch memory of one decision.

By slot: `hand`, as the decision began; `want`, the cards chosen for the play; `best`, the best play found so far;
`rivals`, as above; `keep`, what a card is worth in hand; `charge`, what it costs to play it. By effective suit:
`length`, the hand's cards; `hidden`, the cards that are out; `share`, how many of them each other seat is likely to
hold. By seat: `over`, how likely it is to beat the play under consideration (`set_overs`). Computed when first needed,
UNKNOWN before: `void`, how likely a seat is to have no card of a suit; `any_trump`, how likely it is to have a trump.
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
    while taken:
        slot = lowest_slot(taken)
        taken &= taken - 1
        plan.hand[slot] += seen.taken[slot]
    copy_row(plan.rivals, seen.unseen)
    known = slots_with(seen.known[0], 1) | slots_with(seen.known[1], 1) | slots_with(seen.known[2], 1)
    while known:
        slot = lowest_slot(known)
        known &= known - 1
        plan.rivals[slot] += max(seen.known[0, slot], seen.known[1, slot], seen.known[2, slot])
    for suit in range(NUM_EFFECTIVE_SUITS):
        plan.length[suit] = 0
        plan.hidden[suit] = 0
        if suit != NO_TRUMP - 1 or trump == NO_TRUMP:
            _count_suit(seen, plan, suit)
    _set_shares(seen, plan)
    for seat in range(1, NUM_SEATS):
        plan.any_trump[seat] = UNKNOWN
        for suit in range(NUM_EFFECTIVE_SUITS):
            plan.void[seat, suit] = UNKNOWN


@jit
def _count_suit(seen: ObservationRecord, plan: Plan, suit: int) -> None:
    """Count a suit's cards. If all other seats are void in it, its hidden cards lie in the kitty."""
    slots = suit_slots(suit, plan.trump)
    plan.length[suit] = count_cards_at(plan.hand, slots)
    if seen.voids[NEXT, suit] and seen.voids[PARTNER, suit] and seen.voids[PREVIOUS, suit]:
        for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
            plan.rivals[slot] = 0
        return
    hidden = count_cards_at(seen.unseen, slots)
    for other in range(NUM_SEATS - 1):
        if slots_with(seen.known[other], 1) & slots:
            hidden += count_cards_at(seen.known[other], slots)
    plan.hidden[suit] = hidden


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
        cards = 0
        for suit in range(NUM_EFFECTIVE_SUITS):
            cards += 0 if seen.voids[seat, suit] else plan.hidden[suit]
        for suit in range(NUM_EFFECTIVE_SUITS):
            plan.share[seat, suit] = 0.0 if seen.voids[seat, suit] or cards == 0 else 1.0 / cards
    for suit in range(NUM_EFFECTIVE_SUITS):
        total = 0.0 if suit == TRUMP else kitty
        for seat in range(1, NUM_SEATS):
            total += plan.share[seat, suit]
        if total > 0.0:
            for seat in range(1, NUM_SEATS):
                plan.share[seat, suit] /= total


@jit
def chance_void(seen: ObservationRecord, plan: Plan, suit: int, seat: int) -> float:
    """Estimate the chance that a seat has no card of a suit."""
    if seen.voids[seat, suit]:
        return 1.0
    if plan.void[seat, suit] == UNKNOWN:
        plan.void[seat, suit] = (1.0 - plan.share[seat, suit]) ** int(plan.hidden[suit])
    return float(plan.void[seat, suit])


@jit
def _chance_of(copies: int, width: int, share: float) -> float:
    """Estimate the chance that a seat holds at least `width` (2 or more) of `copies` hidden cards."""
    if width <= 0:
        return 1.0
    if copies == width:
        return share**copies
    chance = 0.0
    ways = 1.0
    for held in range(copies + 1):
        if held >= width:
            chance += ways * share**held * (1.0 - share) ** (copies - held)
        ways = ways * (copies - held) / (held + 1)
    return chance


@jit
def _chance_single_over(seen: ObservationRecord, plan: Plan, seat: int, suit: int, above: int) -> float:
    """Estimate the chance that a seat holds any card above an order."""
    if above + 1 >= num_orders(suit, plan.trump):
        return 0.0
    higher = slots_from(first_slot(above + 1, suit, plan.trump)) & suit_slots(suit, plan.trump)
    if slots_with(seen.known[seat - 1], 1) & higher:
        return 1.0
    copies = count_cards_at(seen.unseen, higher)
    return float(1.0 - (1.0 - plan.share[seat, suit]) ** copies)


@jit
def _chance_at(seen: ObservationRecord, plan: Plan, seat: int, run: Run, order: int) -> float:
    """Estimate the chance that a seat holds as many identical cards of an order as the run has at each."""
    chance = 0.0
    first = first_slot(order, run.suit, plan.trump)
    for slot in range(first, first + num_equal(order, run.suit, plan.trump)):
        known = seen.known[seat - 1, slot]
        if known + seen.unseen[slot] >= run.width:
            chance = max(chance, _chance_of(seen.unseen[slot], run.width - known, plan.share[seat, run.suit]))
    return chance


@jit
def chance_over(seen: ObservationRecord, plan: Plan, seat: int, run: Run) -> float:
    """Estimate the chance that a seat holds a higher component of a run's suit and shape (top -1: any)."""
    if plan.share[seat, run.suit] == 0.0:
        return 0.0
    if run.width == 1:
        if run.suit != TRUMP or run.top >= 0:
            return _chance_single_over(seen, plan, seat, run.suit, run.top)
        if plan.any_trump[seat] == UNKNOWN:
            plan.any_trump[seat] = _chance_single_over(seen, plan, seat, run.suit, run.top)
        return float(plan.any_trump[seat])
    none = 1.0
    for top in range(max(run.top + 1, run.length - 1), num_orders(run.suit, plan.trump)):
        chance = 1.0
        order = top
        while chance > 0.0 and order > top - run.length:
            chance *= _chance_at(seen, plan, seat, run, order)
            order -= 1
        none *= 1.0 - chance
    return 1.0 - none


@jit
def _chance_trumps(plan: Plan, seat: int, size: int) -> float:
    """Estimate the chance that a seat holds at least `size` trumps: linear around the expected number."""
    mean = plan.share[seat, TRUMP] * plan.hidden[TRUMP]
    if mean <= 0.0:
        return 0.0
    return float(min(1.0, max(0.0, 0.5 + (mean - size + 0.5) / (2.0 * mean**0.5))))


@jit
def _chance_beaten(seen: ObservationRecord, plan: Plan, seat: int, play: Play) -> float:
    """Estimate the chance that a seat still to play beats a play, in the suit led or by a ruff."""
    lead, size, (suit, width, length, top) = play
    void = 0.0 if lead == TRUMP else chance_void(seen, plan, lead, seat)
    is_throw = size > width * length
    chance = 0.0
    for tried in (lead, TRUMP):
        weight = 1.0 - void
        if tried == TRUMP and lead != TRUMP:
            weight = void * parameters.COUNT_RUFF_WILLING
            if is_throw:
                weight *= parameters.COUNT_RUFF_THROW * _chance_trumps(plan, seat, size)
        elif tried != suit or (is_throw and lead != TRUMP):
            weight = 0.0
        if weight > parameters.COUNT_SELDOM:
            above = top if tried == suit else -1
            chance += weight * chance_over(seen, plan, seat, Run(tried, width, length, above))
        if lead == TRUMP:
            break
    return chance


@jit
def num_behind(seen: ObservationRecord) -> int:
    """Return how many seats play to the trick after this one."""
    return int(3 - seen.position[1] - 2 * seen.position[2] - 3 * seen.position[3])


@jit
def set_overs(seen: ObservationRecord, plan: Plan, play: Play) -> None:
    """Write into ``plan.over`` how likely each seat still to play is to beat a play; 0 for the others."""
    behind = num_behind(seen)
    for seat in range(1, NUM_SEATS):
        plan.over[seat] = 0.0
        if seat <= behind:
            plan.over[seat] = _chance_beaten(seen, plan, seat, play)
