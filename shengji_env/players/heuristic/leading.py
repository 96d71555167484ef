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

from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose, has_higher, length_of, top_of, width_of
from shengji_env.engine.rows import copy_row, highest_slot, lowest_slot, num_slots, slots_from, slots_with
from shengji_env.engine.rule_record import index_of
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP, first_slot, order_of_slot, suit_slots
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.chances import PlayToBeat, set_overs
from shengji_env.players.heuristic.counting import NEXT, PARTNER, PREVIOUS, Plan, Run, orders_of
from shengji_env.players.heuristic.keeping import set_charges
from shengji_env.players.heuristic.plans import NEVER, add_run, cheapest_slot, clear_want
from shengji_env.tables.observation import ObservationRecord

_THROWS = index_of("throws")
_ROUNDING = 1e-6
"""More than values can differ by rounding. A lead whose value is below the best, lost or won, need not be looked at."""


class LedSuit(NamedTuple):
    """What all leads of an effective suit have in common."""

    suit: int
    """The effective suit."""
    feed: float
    """Points, in fives, that the others are expected to add for each card led."""
    openness: float
    """Value of the suit's hidden cards, for a plain suit."""
    partner: float
    """Value of a partner who may ruff."""
    draw: float
    """Value of each card led in order to draw trumps."""


class Lead(NamedTuple):
    """A lead that is tried: its cards, summed up."""

    size: int
    """Number of cards."""
    points: int
    """Their points, in fives."""
    worth: float
    """What they are worth in hand."""


class Best(NamedTuple):
    """The best lead so far."""

    value: float
    """Its value."""
    run: Run
    """The component led; width 0: the throw in ``plan.best``."""


@jit
def plan_lead(seen: ObservationRecord, plan: Plan) -> None:
    """Choose the best of all components and throws."""
    set_charges(seen, plan, 0.0)
    best = Best(-NEVER, Run(0, 0, 0, 0))
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] > 0:
            best = _try_suit(seen, plan, suit, best)
    if best.run.width == 0:
        copy_row(plan.want, plan.best)
    else:
        clear_want(plan)
        add_run(plan, best.run)


@jit
def _try_suit(seen: ObservationRecord, plan: Plan, suit: int, best: Best) -> Best:
    """Return a suit's best lead if its value is above that of the best so far, or this one.

    All wide components, the highest and the lowest single, the lowest one without points, and the throw are tried.
    """
    common = describe_suit(seen, plan, suit)
    left = orders_of(plan.held[1], suit, plan.trump)
    high = highest_slot(left)
    is_lowest, is_cheapest = True, True
    while left:
        top = lowest_slot(left)
        left &= left - 1
        has_points = seen.card_points[first_slot(top, suit, plan.trump)] > 0
        if top == high or is_lowest or (is_cheapest and not has_points):
            best = _try(seen, plan, common, Run(suit, 1, 1, top), best)
        for width in range(2, MAX_DECKS + 1):
            orders = orders_of(plan.held[width], suit, plan.trump)
            length = 1
            while length <= top + 1 and orders >> (top - length + 1) & 1:
                best = _try(seen, plan, common, Run(suit, width, length, top), best)
                length += 1
            if length == 1:
                break
        is_lowest = False
        is_cheapest = is_cheapest and has_points
    if seen.rules[_THROWS] and plan.length[suit] > 1:
        best = _try_throw(seen, plan, common, best)
    return best


@jit
def _try(seen: ObservationRecord, plan: Plan, suit: LedSuit, run: Run, best: Best) -> Best:
    """Return a component if its value is above that of the best lead so far, or this one."""
    lead = _sum_up_run(seen, plan, run)
    if max(_value_if_lost(plan, suit, lead, 0.0), _value_if_lost(plan, suit, lead, 1.0)) < best.value - _ROUNDING:
        return best
    value = _value_if_lost(plan, suit, lead, _chance_lost(seen, plan, run, lead.size))
    return Best(value, run) if value > best.value else best


@jit
def _try_throw(seen: ObservationRecord, plan: Plan, suit: LedSuit, best: Best) -> Best:
    """Put a suit's throw into ``plan.best`` and return it if its value is above that of the best lead so far."""
    clear_want(plan)
    run, number = want_standing(plan, suit.suit)
    if number < 2:
        return best
    bonus = parameters.LEAD_THROW * number
    lead = _sum_up(seen, plan)
    sure, hopeless = _value_if_lost(plan, suit, lead, 0.0), _value_if_lost(plan, suit, lead, 1.0)
    if max(sure, hopeless) + bonus < best.value - _ROUNDING:
        return best
    value = _value_if_lost(plan, suit, lead, _chance_lost(seen, plan, run, lead.size)) + bonus
    if value > best.value:
        copy_row(plan.best, plan.want)
        return Best(value, Run(0, 0, 0, 0))
    return best


@jit
def points_of_hidden(seen: ObservationRecord, plan: Plan, suit: int) -> float:
    """Return the mean points of a suit's hidden cards."""
    points = 0
    slots = plan.out[1] & slots_with(seen.card_points, 1) & suit_slots(suit, plan.trump)
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        points += plan.rivals[slot] * seen.card_points[slot]
    return points / max(int(plan.hidden[suit]), 1)


@jit
def describe_suit(seen: ObservationRecord, plan: Plan, suit: int) -> LedSuit:
    """Return what all leads of a suit have in common."""
    feed = parameters.LEAD_FEED + parameters.LEAD_FEED_HIDDEN * points_of_hidden(seen, plan, suit)
    if suit != TRUMP:
        ruffs = seen.voids[PARTNER, suit] and not seen.voids[PARTNER, TRUMP]
        return LedSuit(suit, feed, parameters.LEAD_OPEN * plan.hidden[suit], parameters.LEAD_PARTNER_RUFF * ruffs, 0.0)
    draw = 0.0
    if plan.hidden[TRUMP] > 0:
        surplus = plan.length[TRUMP] - plan.hidden[TRUMP] / parameters.NUM_RIVALS
        eagerness = (
            parameters.LEAD_DRAW
            + parameters.LEAD_DRAW_DECLARERS * plan.is_declarers
            + parameters.LEAD_DRAW_SURPLUS * surplus
        )
        draw = eagerness + parameters.LEAD_DRAW_EARLY * seen.cards_left[0] / parameters.FULL_HAND
    return LedSuit(suit, feed, 0.0, 0.0, draw)


@jit
def value_of_lead(seen: ObservationRecord, plan: Plan, run: Run, suit: LedSuit) -> float:
    """Value leading the chosen cards, given their principal component."""
    lead = _sum_up(seen, plan)
    return _value_if_lost(plan, suit, lead, _chance_lost(seen, plan, run, lead.size))


@jit
def _sum_up(seen: ObservationRecord, plan: Plan) -> Lead:
    """Sum up the chosen cards."""
    size, points = 0, 0
    worth = 0.0
    slots = slots_with(plan.want, 1)
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        size += plan.want[slot]
        points += plan.want[slot] * seen.card_points[slot]
        worth += plan.want[slot] * plan.keep[slot]
    return Lead(size, points, worth)


@jit
def _sum_up_run(seen: ObservationRecord, plan: Plan, run: Run) -> Lead:
    """Sum up a run that the hand has, while no cards are chosen."""
    points = 0
    worth = 0.0
    for order in range(run.top - run.length + 1, run.top + 1):
        slot = cheapest_slot(plan, order, run.suit, run.width)
        points += run.width * seen.card_points[slot]
        worth += run.width * plan.keep[slot]
    return Lead(run.width * run.length, points, worth)


@jit
def _chance_lost(seen: ObservationRecord, plan: Plan, run: Run, size: int) -> float:
    """Estimate the chance that opponents win the trick if this run, the principal of `size` cards, is led."""
    set_overs(seen, plan, PlayToBeat(run.suit, size, run))
    return chance_of_overs(plan)


@jit
def chance_of_overs(plan: Plan) -> float:
    """Return the chance that opponents win the trick, given how likely each seat is to beat the lead."""
    lost = 1.0 - (1.0 - plan.over[NEXT]) * (1.0 - plan.over[PREVIOUS])
    return float(lost * (1.0 - parameters.LEAD_PARTNER_HELP * plan.over[PARTNER]))


@jit
def _value_if_lost(plan: Plan, suit: LedSuit, lead: Lead, lost: float) -> float:
    """Value a lead, given the chance that it is lost: a linear function of it."""
    size, points, worth = lead
    won = 1.0 - lost
    stake = points + size * suit.feed
    value = (won - lost) * parameters.LEAD_STAKE * stake - lost * parameters.LEAD_POINTS_LOST * points
    value += won * parameters.LEAD_KEEP_LEAD + parameters.LEAD_SIZE * (size - 1)
    if suit.suit != TRUMP:
        value += suit.openness
        value += suit.partner
        return float(value - worth * (lost * parameters.LEAD_PLAIN_LOST + won * parameters.LEAD_PLAIN_WON))
    value += size * suit.draw
    return float(value - worth * (lost * parameters.LEAD_TRUMP_LOST + won * parameters.LEAD_TRUMP_WON))


@jit
def want_standing(plan: Plan, suit: int) -> tuple[Run, int]:
    """Choose all cards of a suit that no rival can beat: it cannot have as many of any higher card.

    Returns:
        The principal component, and the number of components; 0 if any of them might be beaten.
    """
    block = suit_slots(suit, plan.trump)
    width, total = 1, 0
    held = plan.held[1] & block
    while held:
        more = plan.held[width + 1] & block if width < MAX_DECKS else 0
        rivals = plan.out[width] & block
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
