"""Leading: the component, or the throw, that comes to most.

Leads are valued in units of five points:

| term | for |
|---|---|
| + or − the lead's points, and those expected of the others | the chance that the own side wins it, between 1 and −1 |
| − the cards (`keeping.py`), part of their worth | more of it if the lead is lost than if it wins |
| + keeping the lead | the same chance |
| + each further card | a long component, or a throw, gets much played at once |
| + drawing trumps | more with more trumps than the others have; more for declarers |
| + a suit with much of it still out; one of which the partner is void | opponents have to follow; a ruff |

A **throw** takes all cards of a suit that stand whatever the others hold: no seat can have a higher component of the
same shape. So it never fails.
"""

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose, has_higher, length_of, most_at, top_of, width_of
from shengji_env.engine.slots import (
    NUM_EFFECTIVE_SUITS,
    TRUMP,
    first_slot,
    num_equal,
    num_orders,
    suit_end,
    suit_start,
)
from shengji_env.players.heuristic.counting import NEXT, PARTNER, PREVIOUS, set_overs
from shengji_env.players.heuristic.keeping import set_charges
from shengji_env.players.heuristic.plans import NEVER, add_run, clear_want, copy_counts

_STAKE = 1.01
_POINTS_LOST = 0.33
_FEED = 0.35
_FEED_HIDDEN = 0.34
_KEEP_LEAD = 0.3
_SIZE = 1.0
_PARTNER_HELP = 0.52
_PLAIN_WON = 0.029
_PLAIN_LOST = 0.63
_TRUMP_WON = 0.59
_TRUMP_LOST = 0.77
_DRAW = 0.37
_DRAW_DECLARERS = 0.16
_DRAW_SURPLUS = 0.16
_DRAW_EARLY = -0.27
_OPEN = 0.042
_PARTNER_RUFF = 0.19
_RIVALS, _MANY_CARDS = 3, 25

THROW = 0.25
"""What each component of a throw adds to its value."""


@jit
def plan_lead(o: np.record, plan: np.record) -> None:
    """Want the best of all components and throws."""
    set_charges(o, plan, 0.0)
    best = -NEVER
    for suit in range(NUM_EFFECTIVE_SUITS):
        if plan.length[suit] > 0:
            best = _try_suit(o, plan, suit, best)
    copy_counts(plan.best, plan.want)


@jit
def _try_suit(o: np.record, plan: np.record, suit: int, best: float) -> float:
    """Put a suit's best lead into ``plan.best`` if it comes to more than the best so far; returns what the best does.

    Tried are all wide components, the highest and the lowest single, the lowest one without points, and the throw.
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
    if o.rule_throws[0] and plan.length[suit] > 1:
        best = _try(o, plan, suit, 0, 0, 0, feed, best)
    return best


@jit
def _try(
    o: np.record, plan: np.record, suit: int, width: int, length: int, top: int, feed: float, best: float
) -> float:
    """Put one lead, a component or (width 0) the throw, into ``plan.best`` if it comes to more than `best`."""
    clear_want(plan)
    bonus = 0.0
    if width > 0:
        add_run(plan, suit, width, length, top)
    else:
        code, number = want_standing(plan, suit)
        if number < 2:
            return best
        bonus = THROW * number
        width, length, top = width_of(code), length_of(code), top_of(code)
    value = value_of_lead(o, plan, suit, width, length, top, feed) + bonus
    if value > best:
        copy_counts(plan.want, plan.best)
        return value
    return best


@jit
def points_of_hidden(o: np.record, plan: np.record, suit: int) -> float:
    """Mean points of a suit's hidden cards."""
    points = 0
    for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
        points += plan.rivals[slot] * o.card_points[slot]
    return points / max(int(plan.hidden[suit]), 1)


@jit
def value_of_lead(o: np.record, plan: np.record, suit: int, width: int, length: int, top: int, feed: float) -> float:
    """Value of leading what is wanted, of which this is the principal component; `feed` are points of hidden cards."""
    size, points = 0, 0
    cost = 0.0
    for slot in range(suit_start(suit, plan.trump), suit_end(suit, plan.trump)):
        if plan.want[slot] > 0:
            size += plan.want[slot]
            points += plan.want[slot] * o.card_points[slot]
            cost += plan.want[slot] * plan.keep[slot]
    set_overs(o, plan, suit, suit, width, length, top, size)
    lost = 1.0 - (1.0 - plan.over[NEXT]) * (1.0 - plan.over[PREVIOUS])
    lost *= 1.0 - _PARTNER_HELP * plan.over[PARTNER]
    won = 1.0 - lost
    value = (won - lost) * _STAKE * (points + size * (_FEED + _FEED_HIDDEN * feed)) - lost * _POINTS_LOST * points
    value += won * _KEEP_LEAD + _SIZE * (size - 1)
    if suit != TRUMP:
        value += _OPEN * plan.hidden[suit]
        value += _PARTNER_RUFF * (o.voids[PARTNER, suit] and not o.voids[PARTNER, TRUMP])
        return float(value - cost * (lost * _PLAIN_LOST + won * _PLAIN_WON))
    if plan.hidden[TRUMP] > 0:
        surplus = plan.length[TRUMP] - plan.hidden[TRUMP] / _RIVALS
        eagerness = _DRAW + _DRAW_DECLARERS * plan.is_declarers + _DRAW_SURPLUS * surplus
        value += size * (eagerness + _DRAW_EARLY * o.cards_left[0] / _MANY_CARDS)
    return float(value - cost * (lost * _TRUMP_LOST + won * _TRUMP_WON))


@jit
def want_standing(plan: np.record, suit: int) -> tuple[int, int]:
    """Want all cards of a suit that are more than any rival can have of a higher one.

    Returns:
        The code of the principal component, and the number of components; 0 of them where any might be beaten.
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
