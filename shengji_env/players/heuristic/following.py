"""Following: discard, feed or win, whichever comes to most.

Every play is valued in units of five points:

| term | for |
|---|---|
| + or − the trick's points, and those still expected | the chance that the own side wins the trick, between 1 and −1 |
| − the cards played (`keeping.py`) | what they are worth in hand, less their own points by the same chance |
| + the lead | taking the trick oneself |

So points go to a partner who is winning for good, are withheld from opponents, and a trick is won with the cheapest
cards that hold it: in last seat with the lowest that wins, before that with higher ones. Compared are the cheapest
cards that do not try to win, and the cheapest play for every top order that wins.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.slots import NUM_SLOTS, TRUMP, num_orders, order_of_slot, suit_end, suit_of_slot, suit_start
from shengji_env.envs.observation import NUM_LENGTHS, NUM_WIDTHS
from shengji_env.players.heuristic.counting import NEXT, PARTNER, set_overs
from shengji_env.players.heuristic.keeping import set_charges
from shengji_env.players.heuristic.plans import (
    NEVER,
    add_cheapest,
    add_run,
    clear_want,
    copy_counts,
    cost_of_run,
    find_run,
)

_SECOND, _THIRD, _LAST = 1, 2, 3
_MANY_CARDS = 25

_STAKE = 1.41
_RISK = 0.17
_RISK_DECLARERS = 0.1
"""How sure, beyond an even chance, a trick must be for points to be better off in it than in hand."""
_FUTURE = 0.57
_LEAD = 0.33
_LEAD_DECLARERS = 0.24
_LEAD_EARLY = -0.2
_PARTNER = 1.44
"""Weight of the partner's chance to take the trick, a little above what counting cards gives."""
_OVER_PARTNER = 0.4
"""How far the partner and the next seat stand in each other's way."""


@jit
def plan_follow(o: np.record, plan: np.record) -> None:
    """Want the play that comes to most."""
    lead = 0
    while not o.lead_suit[lead]:
        lead += 1
    width, length, number = principal_shape(o)
    suit, top = winning_play(o, plan, width)
    chance = _chance(o, plan, lead, suit, width, length, top, False)
    set_charges(o, plan, _gain(plan, chance))
    want_discard(o, plan, lead)
    value = _value_of_play(o, plan, chance)
    held = plan.length[lead]
    own = lead if held else TRUMP
    is_short = 0 < held < o.lead_size[0] or plan.length[own] < o.lead_size[0]
    is_hopeless = suit == TRUMP and own != TRUMP
    if is_short or is_hopeless or (number > 1 and own == lead):
        return
    _want_win(o, plan, lead, own, width, length, number, top if own == suit else -1, value)


@jit
def _want_win(
    o: np.record,
    plan: np.record,
    lead: int,
    own: int,
    width: int,
    length: int,
    number: int,
    above: int,
    value: float,
) -> None:
    """Want a play of the suit `own` that wins, if one comes to more than `value`, what is wanted so far."""
    copy_counts(plan.want, plan.best)
    for top in range(max(above + 1, length - 1), num_orders(own, plan.trump)):
        clear_want(plan)
        if cost_of_run(plan, own, width, length, top) < NEVER:
            chance = _chance(o, plan, lead, own, width, length, top, True)
            set_charges(o, plan, _gain(plan, chance))
            if add_shape(o, plan, own, width, length, top, number):
                found = _value_of_play(o, plan, chance) + chance * _worth_of_lead(o, plan)
                if found > value:
                    value = found
                    copy_counts(plan.want, plan.best)
    copy_counts(plan.best, plan.want)


@jit
def principal_shape(o: np.record) -> tuple[int, int, int]:
    """Width and length of the lead's principal component, and the number of components."""
    found_width, found_length, number = 0, 0, 0
    for width in range(NUM_WIDTHS):
        for length in range(NUM_LENGTHS):
            if o.lead_shape[width, length]:
                found_width, found_length = width + 1, length + 1
                number += o.lead_shape[width, length]
    if number == 1:
        found_length = o.lead_size[0] // found_width
    return found_width, found_length, number


@jit
def winning_play(o: np.record, plan: np.record, width: int) -> tuple[int, int]:
    """Effective suit of the play that is winning, and the highest order at which it has `width` identical cards."""
    seat = 0
    while not o.winning[seat]:
        seat += 1
    slot = NUM_SLOTS - 1
    while o.trick[seat, slot] < width:
        slot -= 1
    return suit_of_slot(slot, plan.trump), order_of_slot(slot, plan.trump)


@jit
def _chance(
    o: np.record, plan: np.record, lead: int, suit: int, width: int, length: int, top: int, is_own: bool
) -> float:
    """Chance that the own side wins the trick if this play, the own one or what lies there, is winning for now."""
    set_overs(o, plan, lead, suit, width, length, top, int(o.lead_size[0]))
    if is_own or o.winning[PARTNER]:
        return float(1.0 - plan.over[NEXT] * (1.0 - _OVER_PARTNER * min(1.0, _PARTNER * plan.over[PARTNER])))
    return float(min(1.0, _PARTNER * plan.over[PARTNER]) * (1.0 - _OVER_PARTNER * plan.over[NEXT]))


@jit
def _gain(plan: np.record, chance: float) -> float:
    """What a point of an own card counts for: 1 where the own side wins it for sure, −1 where the others do."""
    return float(_STAKE * (2.0 * chance - 1.0 - _RISK - _RISK_DECLARERS * plan.is_declarers))


@jit
def _worth_of_lead(o: np.record, plan: np.record) -> float:
    return float(_LEAD + _LEAD_DECLARERS * plan.is_declarers + _LEAD_EARLY * o.cards_left[0] / _MANY_CARDS)


@jit
def _value_of_play(o: np.record, plan: np.record, chance: float) -> float:
    """The trick's points, and those expected from seats still to play, by the chance to win it, less the charges."""
    behind = 3 - o.position[_SECOND] - 2 * o.position[_THIRD] - 3 * o.position[_LAST]
    points = o.trick_points[0] + _FUTURE * o.lead_size[0] * behind
    value = _STAKE * (2.0 * chance - 1.0) * points
    for slot in range(NUM_SLOTS):
        if plan.want[slot] > 0:
            value -= plan.want[slot] * plan.charge[slot]
    return float(value)


@jit
def want_discard(o: np.record, plan: np.record, lead: int) -> None:
    """Want what the hand owes, each shape as cheap as it can be, and the cheapest cards besides."""
    low, high = suit_start(lead, plan.trump), suit_end(lead, plan.trump)
    left = int(o.lead_size[0])
    if o.must_match[0]:
        left -= _add_pieces(plan, lead, o.demand, 0, 0)
    if plan.length[lead] > 0:
        add_cheapest(plan, low, high, left)
    if plan.length[lead] < o.lead_size[0]:
        add_cheapest(plan, 0, NUM_SLOTS, int(o.lead_size[0] - plan.length[lead]))


@jit
def _add_pieces(plan: np.record, suit: int, shape: NDArray[Any], width: int, length: int) -> int:
    """Want the cheapest component of each shape wider than one, but for one of the shape given; returns their size."""
    size = 0
    for other_width in range(NUM_WIDTHS, 1, -1):
        for other_length in range(NUM_LENGTHS, 0, -1):
            count = int(shape[other_width - 1, other_length - 1])
            count -= other_width == width and other_length == length
            for _ in range(count):
                top = find_run(plan, suit, other_width, other_length)
                if top >= 0:
                    add_run(plan, suit, other_width, other_length, top)
                    size += other_width * other_length
    return size


@jit
def add_shape(o: np.record, plan: np.record, suit: int, width: int, length: int, top: int, number: int) -> bool:
    """Want a play of the lead's shape whose principal component has this top; whether the hand has one."""
    add_run(plan, suit, width, length, top)
    if number == 1:
        return True
    size = width * length + _add_pieces(plan, suit, o.lead_shape, width, length)
    singles = int(o.lead_shape[0, 0]) - (width == 1)
    add_cheapest(plan, suit_start(suit, plan.trump), suit_end(suit, plan.trump), singles)
    return bool(size + singles == o.lead_size[0])
