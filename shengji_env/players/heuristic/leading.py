"""Leading: the component or the throw with the highest value.

Leads are valued in units of five points:

| term | for |
|---|---|
| + or − the lead's points, and those expected from others | by the chance that the own side wins, from 1 to −1 |
| − part of the cards' worth (`keeping.py`) | a larger part if the lead is lost than if it wins |
| + keeping the lead | by the same chance |
| + each further card | a long component or a throw plays many cards at once |
| + drawing trumps | more if the hand has more trumps than the others; more for declarers |
| + a suit of which many cards are out, or in which the partner is void | opponents must follow; the partner ruffs |

A **throw** consists of all cards of a suit that nobody can beat: no other seat can hold a higher component of the same
shape. So it never fails.
"""

from typing import NamedTuple

from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose, has_higher, length_of, most_at, top_of, width_of
from shengji_env.engine.rows import copy_row, highest_slot, lowest_slot, num_slots, slots_from, slots_with
from shengji_env.engine.rule_record import index_of
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP, first_slot, order_of_slot, suit_slots
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.counting import NEXT, PARTNER, PREVIOUS, Plan, Play, Run, set_overs
from shengji_env.players.heuristic.keeping import set_charges
from shengji_env.players.heuristic.plans import NEVER, add_run, clear_want
from shengji_env.tables.observation import ObservationRecord

_THROWS = index_of("throws")
_ROUNDING = 1e-6
"""More than values can differ by rounding. A lead whose value is below the best, lost or won, need not be looked at."""


class Lead(NamedTuple):
    """A lead that is tried: the chosen cards, summed up."""

    suit: int
    """Its effective suit."""
    size: int
    """Number of cards."""
    points: int
    """Their points, in fives."""
    worth: float
    """What they are worth in hand."""
    feed: float
    """Mean points of the suit's hidden cards."""


@jit
def plan_lead(seen: ObservationRecord, plan: Plan) -> None:
    """Choose the best of all components and throws."""
    set_charges(seen, plan, 0.0)
    best = -NEVER
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] > 0:
            best = _try_suit(seen, plan, suit, best)
    copy_row(plan.want, plan.best)


@jit
def _try_suit(seen: ObservationRecord, plan: Plan, suit: int, best: float) -> float:
    """Put a suit's best lead into ``plan.best`` if its value is above the best so far; return the best value.

    All wide components, the highest and the lowest single, the lowest one without points, and the throw are tried.
    """
    feed = points_of_hidden(seen, plan, suit)
    slots = slots_with(plan.hand, 1) & suit_slots(suit, plan.trump)
    high = order_of_slot(highest_slot(slots), plan.trump)
    is_lowest, is_cheapest = True, True
    while slots:
        top = order_of_slot(lowest_slot(slots), plan.trump)
        slots &= slots_from(first_slot(top + 1, suit, plan.trump))
        held = most_at(plan.hand, top, suit, plan.trump)
        has_points = seen.card_points[first_slot(top, suit, plan.trump)] > 0
        for width in range(1, held + 1):
            longest = top + 1 if width > 1 else 1
            if width == 1 and not (top == high or is_lowest or (is_cheapest and not has_points)):
                longest = 0
            for length in range(1, longest + 1):
                if most_at(plan.hand, top - length + 1, suit, plan.trump) < width:
                    break
                best = _try(seen, plan, Run(suit, width, length, top), feed, best)
        is_lowest = False
        is_cheapest = is_cheapest and has_points
    if seen.rules[_THROWS] and plan.length[suit] > 1:
        best = _try(seen, plan, Run(suit, 0, 0, 0), feed, best)
    return best


@jit
def _try(seen: ObservationRecord, plan: Plan, run: Run, feed: float, best: float) -> float:
    """Put one lead, a component or (width 0) its suit's throw, into ``plan.best`` if its value is above `best`."""
    clear_want(plan)
    bonus = 0.0
    if run.width > 0:
        add_run(plan, run)
    else:
        run, number = want_standing(plan, run.suit)
        if number < 2:
            return best
        bonus = parameters.LEAD_THROW * number
    lead = _sum_up(seen, plan, run.suit, feed)
    sure = _value_if_lost(seen, plan, lead, 0.0)
    hopeless = _value_if_lost(seen, plan, lead, 1.0)
    if max(sure, hopeless) + bonus < best - _ROUNDING:
        return best
    value = _value_if_lost(seen, plan, lead, _chance_lost(seen, plan, run, lead.size)) + bonus
    if value > best:
        copy_row(plan.best, plan.want)
        return value
    return best


@jit
def points_of_hidden(seen: ObservationRecord, plan: Plan, suit: int) -> float:
    """Return the mean points of a suit's hidden cards."""
    points = 0
    slots = slots_with(plan.rivals, 1) & slots_with(seen.card_points, 1) & suit_slots(suit, plan.trump)
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        points += plan.rivals[slot] * seen.card_points[slot]
    return points / max(int(plan.hidden[suit]), 1)


@jit
def value_of_lead(seen: ObservationRecord, plan: Plan, run: Run, feed: float) -> float:
    """Value leading the chosen cards, given their principal component; `feed` is the mean points of hidden cards."""
    lead = _sum_up(seen, plan, run.suit, feed)
    return _value_if_lost(seen, plan, lead, _chance_lost(seen, plan, run, lead.size))


@jit
def _sum_up(seen: ObservationRecord, plan: Plan, suit: int, feed: float) -> Lead:
    """Sum up the chosen cards."""
    size, points = 0, 0
    worth = 0.0
    slots = slots_with(plan.want, 1) & suit_slots(suit, plan.trump)
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        size += plan.want[slot]
        points += plan.want[slot] * seen.card_points[slot]
        worth += plan.want[slot] * plan.keep[slot]
    return Lead(suit, size, points, worth, feed)


@jit
def _chance_lost(seen: ObservationRecord, plan: Plan, run: Run, size: int) -> float:
    """Estimate the chance that opponents win the trick if this run, the principal of `size` cards, is led."""
    set_overs(seen, plan, Play(run.suit, size, run))
    return chance_of_overs(plan)


@jit
def chance_of_overs(plan: Plan) -> float:
    """Return the chance that opponents win the trick, given how likely each seat is to beat the lead."""
    lost = 1.0 - (1.0 - plan.over[NEXT]) * (1.0 - plan.over[PREVIOUS])
    return float(lost * (1.0 - parameters.LEAD_PARTNER_HELP * plan.over[PARTNER]))


@jit
def _value_if_lost(seen: ObservationRecord, plan: Plan, lead: Lead, lost: float) -> float:
    """Value a lead, given the chance that it is lost: a linear function of it."""
    suit, size, points, worth, feed = lead
    won = 1.0 - lost
    stake = points + size * (parameters.LEAD_FEED + parameters.LEAD_FEED_HIDDEN * feed)
    value = (won - lost) * parameters.LEAD_STAKE * stake - lost * parameters.LEAD_POINTS_LOST * points
    value += won * parameters.LEAD_KEEP_LEAD + parameters.LEAD_SIZE * (size - 1)
    if suit != TRUMP:
        value += parameters.LEAD_OPEN * plan.hidden[suit]
        value += parameters.LEAD_PARTNER_RUFF * (seen.voids[PARTNER, suit] and not seen.voids[PARTNER, TRUMP])
        return float(value - worth * (lost * parameters.LEAD_PLAIN_LOST + won * parameters.LEAD_PLAIN_WON))
    if plan.hidden[TRUMP] > 0:
        surplus = plan.length[TRUMP] - plan.hidden[TRUMP] / parameters.NUM_RIVALS
        eagerness = (
            parameters.LEAD_DRAW
            + parameters.LEAD_DRAW_DECLARERS * plan.is_declarers
            + parameters.LEAD_DRAW_SURPLUS * surplus
        )
        value += size * (eagerness + parameters.LEAD_DRAW_EARLY * seen.cards_left[0] / parameters.FULL_HAND)
    return float(value - worth * (lost * parameters.LEAD_TRUMP_LOST + won * parameters.LEAD_TRUMP_WON))


@jit
def want_standing(plan: Plan, suit: int) -> tuple[Run, int]:
    """Choose all cards of a suit that no rival can beat: it cannot have as many of any higher card.

    Returns:
        The principal component, and the number of components; 0 if any of them might be beaten.
    """
    block = suit_slots(suit, plan.trump)
    width, total = 1, 0
    held = slots_with(plan.hand, 1) & block
    while held:
        more = slots_with(plan.hand, width + 1) & block
        rivals = slots_with(plan.rivals, width) & block
        if rivals:
            held &= slots_from(first_slot(order_of_slot(highest_slot(rivals), plan.trump), suit, plan.trump))
        standing = held & ~more
        total += width * num_slots(standing)
        while standing:
            plan.want[lowest_slot(standing)] = width
            standing &= standing - 1
        width, held = width + 1, more
    if total < 2:
        return Run(suit, 0, 0, 0), 0
    number = decompose(plan.want, suit, plan.trump, plan.work)
    for part in range(number):
        if has_higher(plan.rivals, plan.work.codes[part], suit, plan.trump):
            return Run(suit, 0, 0, 0), 0
    return run_of(plan.work.codes[0], suit), number


@jit
def run_of(code: int, suit: int) -> Run:
    """Return a component of a suit, given by its code."""
    return Run(suit, width_of(code), length_of(code), top_of(code))
