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

from typing import Any, NamedTuple

from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import ALL_SLOTS, copy_row, first_set, highest_slot, lowest_slot, slots_from, slots_with
from shengji_env.engine.slots import (
    NUM_SLOTS,
    TRUMP,
    first_slot,
    order_of_slot,
    suit_end,
    suit_of_slot,
    suit_slots,
    suit_start,
)
from shengji_env.players.heuristic import parameters
from shengji_env.players.heuristic.chances import PlayToBeat, num_behind, set_overs
from shengji_env.players.heuristic.counting import NEXT, PARTNER, Plan, Run
from shengji_env.players.heuristic.keeping import charge_at
from shengji_env.players.heuristic.plans import (
    add_cheapest,
    add_cheapest_run,
    add_run,
    clear_want,
    has_run,
)
from shengji_env.tables.observation import NUM_LENGTHS, NUM_WIDTHS, ObservationRecord


class Led(NamedTuple):
    """What was led."""

    suit: int
    """Its effective suit."""
    width: int
    """Width of its principal component."""
    length: int
    """Length of that."""
    number: int
    """Number of components."""


class Single(NamedTuple):
    """A card to follow with."""

    slot: int
    """Its slot."""
    charge: float
    """What it costs to play it."""


@jit
def plan_follow(seen: ObservationRecord, plan: Plan) -> None:
    """Choose the play with the highest value."""
    led = what_was_led(seen)
    winning = winning_run(seen, plan, led)
    chance = chance_to_win(seen, plan, led, winning, False)
    if seen.lead_size[0] == 1:
        plan.want[_best_single(seen, plan, led, winning, chance)] = 1
        return
    charge_at(seen, plan, weight_of_points(plan, chance), _in_question(seen, plan, led))
    want_discard(seen, plan, led.suit)
    beaten = run_to_beat(seen, plan, led, winning)
    if beaten.width > 0:
        _want_win(seen, plan, led, beaten, value_of_play(seen, plan, chance))


@jit
def _in_question(seen: ObservationRecord, plan: Plan, led: Led) -> int:
    """Return the slots of cards that may be played, if the hand has them."""
    return suit_slots(led.suit, plan.trump) if plan.length[led.suit] >= seen.lead_size[0] else ALL_SLOTS


@jit
def _best_single(seen: ObservationRecord, plan: Plan, led: Led, winning: Run, chance: float) -> int:
    """Return the slot of the best card where a single was led."""
    slots = plan.held[1] & _in_question(seen, plan, led)
    best = _cheapest_single(seen, plan, slots, weight_of_points(plan, chance))
    beaten = run_to_beat(seen, plan, led, winning)
    if beaten.width == 0:
        return best.slot
    value = _value_at(seen, chance) - best.charge
    slots &= suit_slots(beaten.suit, plan.trump)
    slots &= slots_from(first_slot(beaten.top + 1, beaten.suit, plan.trump)) if slots else 0
    for_lead = worth_of_lead(seen, plan)
    while slots:
        order = order_of_slot(lowest_slot(slots), plan.trump)
        higher = slots & slots_from(first_slot(order + 1, beaten.suit, plan.trump))
        own = chance_to_win(seen, plan, led, Run(beaten.suit, 1, 1, order), True)
        single = _cheapest_single(seen, plan, slots & ~higher, weight_of_points(plan, own))
        tried = _value_at(seen, own) - single.charge + own * for_lead
        if tried > value:
            value, best = tried, single
        slots = higher
    return best.slot


@jit
def _cheapest_single(seen: ObservationRecord, plan: Plan, slots: int, gain: float) -> Single:
    """Return the cheapest of some cards, its points counting for `gain`; of equal ones the lowest."""
    best = lowest_slot(slots)
    least = plan.keep[best] - gain * seen.card_points[best]
    slots &= slots - 1
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        charge = plan.keep[slot] - gain * seen.card_points[slot]
        if charge < least:
            best, least = slot, charge
    return Single(best, least)


@jit
def run_to_beat(seen: ObservationRecord, plan: Plan, led: Led, winning: Run) -> Run:
    """Return the run that a play has to be above in order to win, top -1 if any ruff wins; width 0 if none can win."""
    held = plan.length[led.suit]
    own = led.suit if held else TRUMP
    is_short = 0 < held < seen.lead_size[0] or plan.length[own] < seen.lead_size[0]
    is_hopeless = winning.suit == TRUMP and own != TRUMP
    if is_short or is_hopeless or (led.number > 1 and own == led.suit):
        return Run(own, 0, 0, 0)
    return Run(own, led.width, led.length, winning.top if own == winning.suit else -1)


@jit
def _want_win(seen: ObservationRecord, plan: Plan, led: Led, beaten: Run, value: float) -> None:
    """Choose a play above `beaten` if its value is above `value`, that of the play chosen so far."""
    suit, width, length, above = beaten
    copy_row(plan.best, plan.want)
    slots = _in_question(seen, plan, led)
    wide = plan.held[width] & suit_slots(suit, plan.trump)
    if not wide:
        return
    for top in range(max(above + 1, length - 1), order_of_slot(highest_slot(wide), plan.trump) + 1):
        run = Run(suit, width, length, top)
        if has_run(plan, run):
            chance = chance_to_win(seen, plan, led, run, True)
            charge_at(seen, plan, weight_of_points(plan, chance), slots)
            clear_want(plan)
            if add_shape(seen, plan, run, led.number):
                tried = value_of_play(seen, plan, chance) + chance * worth_of_lead(seen, plan)
                if tried > value:
                    value = tried
                    copy_row(plan.best, plan.want)
    copy_row(plan.want, plan.best)


@jit
def what_was_led(seen: ObservationRecord) -> Led:
    """Return what was led."""
    suit = first_set(seen.lead_suit)
    if seen.lead_size[0] == 1:
        return Led(suit, 1, 1, 1)
    most_width, most_length, number = 0, 0, 0
    for width in range(NUM_WIDTHS):
        for length in range(NUM_LENGTHS):
            if seen.lead_shape[width, length]:
                most_width, most_length = width + 1, length + 1
                number += seen.lead_shape[width, length]
    if number == 1:
        most_length = seen.lead_size[0] // most_width
    return Led(suit, most_width, most_length, number)


@jit
def winning_run(seen: ObservationRecord, plan: Plan, led: Led) -> Run:
    """Return the winning play's principal component."""
    seat = first_set(seen.winning)
    slot = highest_slot(slots_with(seen.trick[seat], led.width))
    return Run(suit_of_slot(slot, plan.trump), led.width, led.length, order_of_slot(slot, plan.trump))


@jit
def chance_to_win(seen: ObservationRecord, plan: Plan, led: Led, winning: Run, is_own: bool) -> float:
    """Estimate the chance that the own side wins the trick if this play, its own or another's, is winning so far."""
    set_overs(seen, plan, PlayToBeat(led.suit, int(seen.lead_size[0]), winning))
    by_partner = min(1.0, parameters.FOLLOW_PARTNER * plan.over[PARTNER])
    if is_own or seen.winning[PARTNER]:
        return float(1.0 - plan.over[NEXT] * (1.0 - parameters.FOLLOW_OVER_PARTNER * by_partner))
    return float(by_partner * (1.0 - parameters.FOLLOW_OVER_PARTNER * plan.over[NEXT]))


@jit
def weight_of_points(plan: Plan, chance: float) -> float:
    """Return the weight of the points in the cards played: positive if the own side is likely to win the trick."""
    return float(
        parameters.FOLLOW_STAKE
        * (2.0 * chance - 1.0 - parameters.FOLLOW_RISK - parameters.FOLLOW_RISK_DECLARERS * plan.is_declarers)
    )


@jit
def worth_of_lead(seen: ObservationRecord, plan: Plan) -> float:
    """Return what it is worth to lead to the next trick."""
    lead = parameters.FOLLOW_LEAD + parameters.FOLLOW_LEAD_DECLARERS * plan.is_declarers
    return float(lead + parameters.FOLLOW_LEAD_EARLY * seen.cards_left[0] / parameters.FULL_HAND)


@jit
def value_of_play(seen: ObservationRecord, plan: Plan, chance: float) -> float:
    """Value the chosen play: the trick's points and those still expected, by the chance to win, minus the charges."""
    value = _value_at(seen, chance)
    slots = slots_with(plan.want, 1)
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        value -= plan.want[slot] * plan.charge[slot]
    return float(value)


@jit
def _value_at(seen: ObservationRecord, chance: float) -> float:
    """Value the trick's points and those still expected, by the chance to win."""
    points = seen.trick_points[0] + parameters.FOLLOW_FUTURE * seen.lead_size[0] * num_behind(seen)
    return float(parameters.FOLLOW_STAKE * (2.0 * chance - 1.0) * points)


@jit
def want_discard(seen: ObservationRecord, plan: Plan, lead: int) -> None:
    """Choose what the hand owes, each shape as cheap as possible, and fill up with the cheapest cards."""
    low, high = suit_start(lead, plan.trump), suit_end(lead, plan.trump)
    left = int(seen.lead_size[0])
    if seen.must_match[0]:
        left -= _add_pieces(plan, lead, seen.demand, 0, 0)
    if plan.length[lead] > 0:
        add_cheapest(plan, low, high, left)
    if plan.length[lead] < seen.lead_size[0]:
        add_cheapest(plan, 0, NUM_SLOTS, int(seen.lead_size[0] - plan.length[lead]))


@jit
def _add_pieces(plan: Plan, suit: int, shape: NDArray[Any], width: int, length: int) -> int:
    """Choose the cheapest component of each shape wider than one, except one of the given shape; return their size."""
    size = 0
    for other_width in range(NUM_WIDTHS, 1, -1):
        for other_length in range(NUM_LENGTHS, 0, -1):
            count = int(shape[other_width - 1, other_length - 1])
            count -= other_width == width and other_length == length
            for _ in range(count):
                size += add_cheapest_run(plan, suit, other_width, other_length)
    return size


@jit
def add_shape(seen: ObservationRecord, plan: Plan, run: Run, number: int) -> bool:
    """Choose a play of the lead's shape whose principal component is a run; return whether the hand has one."""
    add_run(plan, run)
    if number == 1:
        return True
    size = run.width * run.length + _add_pieces(plan, run.suit, seen.lead_shape, run.width, run.length)
    singles = int(seen.lead_shape[0, 0]) - (run.width == 1)
    add_cheapest(plan, suit_start(run.suit, plan.trump), suit_end(run.suit, plan.trump), singles)
    return bool(size + singles == seen.lead_size[0])
