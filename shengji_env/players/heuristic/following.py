"""Following: discard, give points to the partner, or win, whichever has the highest value.

Every play is valued in units of five points:

| term | for |
|---|---|
| + or − the trick's points, and those still expected | by the chance that the own side wins the trick, from 1 to −1 |
| − the cards played (`keeping.py`) | what they are worth in hand, minus their own points by the same chance |
| + the lead | if the seat itself takes the trick |

So points go to a partner who is sure to win and are withheld from opponents. A trick is won with the cheapest cards
that are likely to hold it: in last seat the lowest that win, earlier in the trick higher ones. The plays compared are
the cheapest cards that do not try to win, and the cheapest play for every top order that wins.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import copy_row, first_set, highest_slot, lowest_slot, slots_with
from shengji_env.engine.slots import (
    NUM_SLOTS,
    TRUMP,
    order_of_slot,
    suit_end,
    suit_of_slot,
    suit_slots,
    suit_start,
)
from shengji_env.players.heuristic import figures
from shengji_env.players.heuristic.counting import NEXT, PARTNER, Plan, set_overs
from shengji_env.players.heuristic.keeping import set_charges
from shengji_env.players.heuristic.plans import (
    NEVER,
    add_cheapest,
    add_run,
    clear_want,
    cost_of_run,
    find_run,
)
from shengji_env.tables.observation import NUM_LENGTHS, NUM_WIDTHS, ObservationRecord

_SECOND, _THIRD, _LAST = 1, 2, 3


@jit
def plan_follow(o: ObservationRecord, plan: Plan) -> None:
    """Choose the play with the highest value."""
    lead = first_set(o.lead_suit)
    width, length, number = principal_shape(o)
    suit, top = winning_play(o, plan, width)
    chance = chance_to_win(o, plan, lead, suit, width, length, top, False)
    set_charges(o, plan, weight_of_points(plan, chance))
    want_discard(o, plan, lead)
    value = value_of_play(o, plan, chance)
    held = plan.length[lead]
    own = lead if held else TRUMP
    is_short = 0 < held < o.lead_size[0] or plan.length[own] < o.lead_size[0]
    is_hopeless = suit == TRUMP and own != TRUMP
    if is_short or is_hopeless or (number > 1 and own == lead):
        return
    _want_win(o, plan, lead, own, width, length, number, top if own == suit else -1, value)


@jit
def _want_win(
    o: ObservationRecord,
    plan: Plan,
    lead: int,
    own: int,
    width: int,
    length: int,
    number: int,
    above: int,
    value: float,
) -> None:
    """Choose a winning play of the suit `own` if its value is above `value`, that of the play chosen so far."""
    copy_row(plan.best, plan.want)
    wide = slots_with(plan.hand, width) & suit_slots(own, plan.trump)
    if not wide:
        return
    for top in range(max(above + 1, length - 1), order_of_slot(highest_slot(wide), plan.trump) + 1):
        clear_want(plan)
        if cost_of_run(plan, own, width, length, top) < NEVER:
            chance = chance_to_win(o, plan, lead, own, width, length, top, True)
            set_charges(o, plan, weight_of_points(plan, chance))
            if add_shape(o, plan, own, width, length, top, number):
                found = value_of_play(o, plan, chance) + chance * worth_of_lead(o, plan)
                if found > value:
                    value = found
                    copy_row(plan.best, plan.want)
    copy_row(plan.want, plan.best)


@jit
def principal_shape(o: ObservationRecord) -> tuple[int, int, int]:
    """Return width and length of the lead's principal component, and the number of components."""
    if o.lead_size[0] == 1:
        return 1, 1, 1
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
def winning_play(o: ObservationRecord, plan: Plan, width: int) -> tuple[int, int]:
    """Return the winning play's effective suit, and the highest order at which it has `width` identical cards."""
    seat = first_set(o.winning)
    slot = highest_slot(slots_with(o.trick[seat], width))
    return suit_of_slot(slot, plan.trump), order_of_slot(slot, plan.trump)


@jit
def chance_to_win(
    o: ObservationRecord, plan: Plan, lead: int, suit: int, width: int, length: int, top: int, is_own: bool
) -> float:
    """Estimate the chance that the own side wins the trick if this play, its own or another's, is winning so far."""
    set_overs(o, plan, lead, suit, width, length, top, int(o.lead_size[0]))
    by_partner = min(1.0, figures.FOLLOW_PARTNER * plan.over[PARTNER])
    if is_own or o.winning[PARTNER]:
        return float(1.0 - plan.over[NEXT] * (1.0 - figures.FOLLOW_OVER_PARTNER * by_partner))
    return float(by_partner * (1.0 - figures.FOLLOW_OVER_PARTNER * plan.over[NEXT]))


@jit
def weight_of_points(plan: Plan, chance: float) -> float:
    """Return the weight of the points in the cards played: positive if the own side is likely to win the trick."""
    return float(
        figures.FOLLOW_STAKE
        * (2.0 * chance - 1.0 - figures.FOLLOW_RISK - figures.FOLLOW_RISK_DECLARERS * plan.is_declarers)
    )


@jit
def worth_of_lead(o: ObservationRecord, plan: Plan) -> float:
    """Return what it is worth to lead to the next trick."""
    lead = figures.FOLLOW_LEAD + figures.FOLLOW_LEAD_DECLARERS * plan.is_declarers
    return float(lead + figures.FOLLOW_LEAD_EARLY * o.cards_left[0] / figures.FULL_HAND)


@jit
def value_of_play(o: ObservationRecord, plan: Plan, chance: float) -> float:
    """Value the chosen play: the trick's points and those still expected, by the chance to win, minus the charges."""
    behind = 3 - o.position[_SECOND] - 2 * o.position[_THIRD] - 3 * o.position[_LAST]
    points = o.trick_points[0] + figures.FOLLOW_FUTURE * o.lead_size[0] * behind
    value = figures.FOLLOW_STAKE * (2.0 * chance - 1.0) * points
    slots = slots_with(plan.want, 1)
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        value -= plan.want[slot] * plan.charge[slot]
    return float(value)


@jit
def want_discard(o: ObservationRecord, plan: Plan, lead: int) -> None:
    """Choose what the hand owes, each shape as cheap as possible, and fill up with the cheapest cards."""
    low, high = suit_start(lead, plan.trump), suit_end(lead, plan.trump)
    left = int(o.lead_size[0])
    if o.must_match[0]:
        left -= _add_pieces(plan, lead, o.demand, 0, 0)
    if plan.length[lead] > 0:
        add_cheapest(plan, low, high, left)
    if plan.length[lead] < o.lead_size[0]:
        add_cheapest(plan, 0, NUM_SLOTS, int(o.lead_size[0] - plan.length[lead]))


@jit
def _add_pieces(plan: Plan, suit: int, shape: NDArray[Any], width: int, length: int) -> int:
    """Choose the cheapest component of each shape wider than one, except one of the given shape; return their size."""
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
def add_shape(o: ObservationRecord, plan: Plan, suit: int, width: int, length: int, top: int, number: int) -> bool:
    """Choose a play of the lead's shape whose principal component has this top; return whether the hand has one."""
    add_run(plan, suit, width, length, top)
    if number == 1:
        return True
    size = width * length + _add_pieces(plan, suit, o.lead_shape, width, length)
    singles = int(o.lead_shape[0, 0]) - (width == 1)
    add_cheapest(plan, suit_start(suit, plan.trump), suit_end(suit, plan.trump), singles)
    return bool(size + singles == o.lead_size[0])
