"""Chances: how likely a seat is to beat a play, from what counting says (`counting.py`).

| chance | how it is estimated |
|---|---|
| holding `width` of `copies` equal cards | binomial with the seat's share of the suit's hidden cards |
| being void | the chance that its share has none of them |
| beating a play | by a higher component of its suit; or void in the suit led, willing to ruff, and able to |
"""

from typing import NamedTuple

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import lowest_slot, slots_from
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import TRUMP, first_slot, num_equal, suit_slots
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.counting import LENGTHS_KEPT, Plan, Run, count_at, orders_of
from shengji_env.tables.observation import ObservationRecord

_EXPONENT_BITS = 7
"""Exponents are numbers of cards of one suit."""


class PlayToBeat(NamedTuple):
    """A play that wins a trick so far."""

    lead_suit: int
    """The effective suit led."""
    size: int
    """Number of cards; more than the principal component's for a throw, which can only be ruffed."""
    principal: Run
    """Its principal component, of the shape of the lead's."""


@jit
def chance_void(seen: ObservationRecord, plan: Plan, suit: int, seat: int) -> float:
    """Estimate the chance that a seat has no card of a suit."""
    if seen.voids[seat, suit]:
        return 1.0
    if plan.has_void[seat] >> suit & 1 == 0:
        plan.has_void[seat] |= 1 << suit
        plan.void[seat, suit] = power(1.0 - plan.share[seat, suit], plan.hidden[suit])
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
def _chance_of_any(plan: Plan, seat: int, suit: int, slots: int, copies: int) -> float:
    """Estimate the chance that a seat holds any card of some slots of a suit, of which `copies` cards are unseen."""
    if plan.share[seat, suit] == 0.0:
        return 0.0
    if plan.known[seat] & slots:
        return 1.0
    return float(1.0 - power(1.0 - plan.share[seat, suit], copies))


@jit
def power(base: float, exponent: int) -> float:
    """Return a power, without branches, as ``**`` computes it; the exponent is below 2 ** 7."""
    product = 1.0
    for bit in range(_EXPONENT_BITS):
        product *= base if exponent >> bit & 1 else 1.0
        base *= base
    return product


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
def _tops_over(seen: ObservationRecord, plan: Plan, seat: int, run: Run) -> int:
    """Return the tops, as bits, of the higher components of a run's suit and shape that a seat may hold."""
    slots = plan.unseen[run.width]
    known = plan.known[seat] & suit_slots(run.suit, plan.trump)
    while known:
        slot = lowest_slot(known)
        known &= known - 1
        if seen.known[seat - 1, slot] + seen.unseen[slot] >= run.width:
            slots |= 1 << slot
    orders = orders_of(slots, run.suit, plan.trump)
    tops = orders
    for _ in range(run.length - 1):
        orders <<= 1
        tops &= orders
    return tops & slots_from(run.top + 1)


@jit
def chance_over(seen: ObservationRecord, plan: Plan, seat: int, run: Run) -> float:
    """Estimate the chance that a seat holds a higher component of a run's suit and shape (top -1: any)."""
    if plan.share[seat, run.suit] == 0.0:
        return 0.0
    if run.suit != TRUMP or run.top >= 0 or run.length > LENGTHS_KEPT:
        return _chance_over(seen, plan, seat, run)
    shape = (run.width - 1) * LENGTHS_KEPT + run.length - 1
    if plan.has_ruff[seat] >> shape & 1 == 0:
        plan.has_ruff[seat] |= 1 << shape
        plan.ruff[seat, shape] = _chance_over(seen, plan, seat, run)
    return float(plan.ruff[seat, shape])


@jit
def _chance_over(seen: ObservationRecord, plan: Plan, seat: int, run: Run) -> float:
    """Count cards for `chance_over`, whatever it keeps of earlier calls."""
    if run.width == 1:
        higher = suit_slots(run.suit, plan.trump) & slots_from(first_slot(run.top + 1, run.suit, plan.trump))
        return _chance_of_any(plan, seat, run.suit, higher, count_at(plan.unseen, higher))
    none = 1.0
    tops = _tops_over(seen, plan, seat, run)
    while tops:
        top = lowest_slot(tops)
        tops &= tops - 1
        chance = 1.0
        for step in range(run.length):
            chance *= _chance_at(seen, plan, seat, run, top - step)
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
def _chance_beaten(seen: ObservationRecord, plan: Plan, seat: int, play: PlayToBeat) -> float:
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
def set_overs(seen: ObservationRecord, plan: Plan, play: PlayToBeat) -> None:
    """Write into ``plan.over`` how likely each seat still to play is to beat a play; 0 for the others."""
    behind = num_behind(seen)
    suit, top = play.principal.suit, play.principal.top
    higher = suit_slots(suit, plan.trump) & slots_from(first_slot(top + 1, suit, plan.trump))
    copies = count_at(plan.unseen, higher)
    for seat in range(1, NUM_SEATS):
        like = plan.alike[seat]
        if seat > behind:
            plan.over[seat] = 0.0
        elif like < seat:
            plan.over[seat] = plan.over[like]
        elif play.size == 1:
            over = _chance_of_any(plan, seat, suit, higher, copies)
            plan.over[seat] = _chance_single_beaten(seen, plan, seat, play, over)
        else:
            plan.over[seat] = _chance_beaten(seen, plan, seat, play)


@jit
def _chance_single_beaten(seen: ObservationRecord, plan: Plan, seat: int, play: PlayToBeat, over: float) -> float:
    """Return the chance that a seat beats a single, given the chance that it holds a higher card of its suit."""
    lead = play.lead_suit
    if lead == TRUMP:
        return over
    void = chance_void(seen, plan, lead, seat)
    if play.principal.suit == TRUMP:
        weight = void * parameters.COUNT_RUFF_WILLING
        return weight * over if weight > parameters.COUNT_SELDOM else 0.0
    chance = 0.0
    if 1.0 - void > parameters.COUNT_SELDOM:
        chance = (1.0 - void) * over
    if plan.has_ruffed[seat] >> lead & 1 == 0:
        plan.has_ruffed[seat] |= 1 << lead
        weight = void * parameters.COUNT_RUFF_WILLING
        is_likely = weight > parameters.COUNT_SELDOM
        plan.ruffed[seat, lead] = weight * chance_over(seen, plan, seat, Run(TRUMP, 1, 1, -1)) if is_likely else 0.0
    return float(chance + plan.ruffed[seat, lead])
