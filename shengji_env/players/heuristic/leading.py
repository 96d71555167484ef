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

from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose, has_higher, length_of, most_at, top_of, width_of
from shengji_env.engine.rule_record import place_of
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP, first_slot, num_equal, num_orders, suit_end, suit_start
from shengji_env.envs.observation import ObservationRecord
from shengji_env.players.heuristic import figures
from shengji_env.players.heuristic.counting import NEXT, PARTNER, PREVIOUS, Plan, set_overs
from shengji_env.players.heuristic.keeping import set_charges
from shengji_env.players.heuristic.plans import NEVER, add_run, clear_want, copy_counts

_THROWS = place_of("throws")


@jit
def plan_lead(o: ObservationRecord, plan: Plan) -> None:
    """Choose the best of all components and throws."""
    set_charges(o, plan, 0.0)
    best = -NEVER
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] > 0:
            best = _try_suit(o, plan, suit, best)
    copy_counts(plan.best, plan.want)


@jit
def _try_suit(o: ObservationRecord, plan: Plan, suit: int, best: float) -> float:
    """Put a suit's best lead into ``plan.best`` if its value is above the best so far; return the best value.

    All wide components, the highest and the lowest single, the lowest one without points, and the throw are tried.
    """
    feed = points_of_hidden(o, plan, suit)
    orders = num_orders(suit, plan.trump)
    high = orders - 1
    while most_at(plan.hand, high, suit, plan.trump) == 0:
        high -= 1
    is_lowest, is_cheapest = True, True
    for top in range(high + 1):
        held = most_at(plan.hand, top, suit, plan.trump)
        if held == 0:
            continue
        has_points = o.card_points[first_slot(top, suit, plan.trump)] > 0
        for width in range(1, held + 1):
            longest = top + 1 if width > 1 else 1
            if width == 1 and not (top == high or is_lowest or (is_cheapest and not has_points)):
                longest = 0
            for length in range(1, longest + 1):
                if most_at(plan.hand, top - length + 1, suit, plan.trump) < width:
                    break
                best = _try(o, plan, suit, width, length, top, feed, best)
        is_lowest = False
        is_cheapest = is_cheapest and has_points
    if o.rules[_THROWS] and plan.length[suit] > 1:
        best = _try(o, plan, suit, 0, 0, 0, feed, best)
    return best


@jit
def _try(
    o: ObservationRecord, plan: Plan, suit: int, width: int, length: int, top: int, feed: float, best: float
) -> float:
    """Put one lead, a component or (width 0) the throw, into ``plan.best`` if its value is above `best`."""
    clear_want(plan)
    bonus = 0.0
    if width > 0:
        add_run(plan, suit, width, length, top)
    else:
        code, number = want_standing(plan, suit)
        if number < 2:
            return best
        bonus = figures.LEAD_THROW * number
        width, length, top = width_of(code), length_of(code), top_of(code)
    value = value_of_lead(o, plan, suit, width, length, top, feed) + bonus
    if value > best:
        copy_counts(plan.want, plan.best)
        return value
    return best


@jit
def points_of_hidden(o: ObservationRecord, plan: Plan, suit: int) -> float:
    """Return the mean points of a suit's hidden cards."""
    points = 0
    for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
        points += plan.rivals[slot] * o.card_points[slot]
    return points / max(int(plan.hidden[suit]), 1)


@jit
def value_of_lead(o: ObservationRecord, plan: Plan, suit: int, width: int, length: int, top: int, feed: float) -> float:
    """Value leading the chosen cards, given their principal component; `feed` is the mean points of hidden cards."""
    size, points = 0, 0
    cost = 0.0
    for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
        if plan.want[slot] > 0:
            size += plan.want[slot]
            points += plan.want[slot] * o.card_points[slot]
            cost += plan.want[slot] * plan.keep[slot]
    set_overs(o, plan, suit, suit, width, length, top, size)
    lost = 1.0 - (1.0 - plan.over[NEXT]) * (1.0 - plan.over[PREVIOUS])
    lost *= 1.0 - figures.LEAD_PARTNER_HELP * plan.over[PARTNER]
    won = 1.0 - lost
    stake = points + size * (figures.LEAD_FEED + figures.LEAD_FEED_HIDDEN * feed)
    value = (won - lost) * figures.LEAD_STAKE * stake - lost * figures.LEAD_POINTS_LOST * points
    value += won * figures.LEAD_KEEP_LEAD + figures.LEAD_SIZE * (size - 1)
    if suit != TRUMP:
        value += figures.LEAD_OPEN * plan.hidden[suit]
        value += figures.LEAD_PARTNER_RUFF * (o.voids[PARTNER, suit] and not o.voids[PARTNER, TRUMP])
        return float(value - cost * (lost * figures.LEAD_PLAIN_LOST + won * figures.LEAD_PLAIN_WON))
    if plan.hidden[TRUMP] > 0:
        surplus = plan.length[TRUMP] - plan.hidden[TRUMP] / figures.NUM_RIVALS
        eagerness = (
            figures.LEAD_DRAW + figures.LEAD_DRAW_DECLARERS * plan.is_declarers + figures.LEAD_DRAW_SURPLUS * surplus
        )
        value += size * (eagerness + figures.LEAD_DRAW_EARLY * o.cards_left[0] / figures.FULL_HAND)
    return float(value - cost * (lost * figures.LEAD_TRUMP_LOST + won * figures.LEAD_TRUMP_WON))


@jit
def want_standing(plan: Plan, suit: int) -> tuple[int, int]:
    """Choose all cards of a suit that no rival can beat: it cannot have as many of any higher card.

    Returns:
        The code of the principal component, and the number of components; 0 if any of them might be beaten.
    """
    total = 0
    most = 0
    for order in range(num_orders(suit, plan.trump) - 1, -1, -1):
        first = first_slot(order, suit, plan.trump)
        for slot in range(first, first + num_equal(order, suit, plan.trump)):
            if plan.hand[slot] > most:
                plan.want[slot] = plan.hand[slot]
                total += plan.hand[slot]
        most = max(most, most_at(plan.rivals, order, suit, plan.trump))
    if total < 2:
        return 0, 0
    number = decompose(plan.want, suit, plan.trump, plan.work)
    for place in range(number):
        if has_higher(plan.rivals, plan.work.codes[place], suit, plan.trump):
            return 0, 0
    return int(plan.work.codes[0]), number
