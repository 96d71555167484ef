"""How the greedy player leads and follows.

| decision | what it wants |
|---|---|
| lead | all that stands above every other seat's cards in one suit, or the component worth most (`_value_of_lead`) |
| follow, partner winning for sure | the cards with most points |
| follow, a winner in hand | if it is last to play, one with points in it; else one that the next seat cannot beat |
| follow, neither | what it owes, and the cheapest cards |
"""

import numpy as np

from shengji_env.arena.plans import (
    NEVER,
    NEXT,
    PARTNER,
    PREVIOUS,
    add_cheapest,
    add_run,
    count_block,
    find_run,
    is_unbeaten,
    set_costs,
    set_rivals,
    slot_for,
)
from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.compile import jit
from shengji_env.engine.slots import NUM_SLOTS, TRUMP, num_orders, order_of_slot, suit_end, suit_of_slot, suit_start
from shengji_env.envs.observation import NUM_LENGTHS, NUM_WIDTHS

_LAST = 3
_DEAR_TRUMP = 14
"""Order from which a trump (little joker up; with no trump none) is not spent on a trick without points."""


@jit
def plan_lead(o: np.record, plan: np.record, trump: int) -> None:
    """Want the best lead: all that stands above every rival's cards in one suit, or the best single component."""
    set_costs(o, plan, trump, False)
    set_rivals(o, plan, False)
    best = -NEVER
    best_suit, best_width, best_length, best_top = TRUMP, 1, 1, 0
    for suit in range(TRUMP + 1):
        length_of_suit = count_block(plan.hand, suit, trump)
        for top in range(num_orders(suit, trump)):
            for width in range(1, MAX_DECKS + 1):
                for length in range(1, top + 2 if width > 1 else 2):
                    if slot_for(plan, top - length + 1, suit, trump, width) < 0:
                        break
                    value = _value_of_lead(o, plan, suit, trump, width, length, top, length_of_suit)
                    if value > best:
                        best = value
                        best_suit, best_width, best_length, best_top = suit, width, length, top
    add_run(plan, best_suit, trump, best_width, best_length, best_top)
    if o.rule_throws[0] and is_unbeaten(plan, best_suit, trump, 1, 1, best_top):
        for slot in range(suit_start(best_suit, trump), suit_end(best_suit, trump)):
            if is_unbeaten(plan, best_suit, trump, 1, 1, order_of_slot(slot, trump)):
                plan.want[slot] = plan.hand[slot]


@jit
def _value_of_lead(
    o: np.record, plan: np.record, suit: int, trump: int, width: int, length: int, top: int, length_of_suit: int
) -> int:
    """How good a component is as a lead: what nobody can beat, trumps first; a big one; a low card of a long suit."""
    size = width * length
    points = 0
    for order in range(top - length + 1, top + 1):
        points += width * int(o.card_points[slot_for(plan, order, suit, trump, width)])
    is_trump = suit == TRUMP
    if is_unbeaten(plan, suit, trump, width, length, top):
        return 1000 + 300 * is_trump + 50 * size + 5 * points + top
    if size > 1:
        return 300 - 200 * is_trump + 30 * size - 10 * points + top
    may_be_ruffed = not is_trump and (o.voids[NEXT, suit] or o.voids[PREVIOUS, suit])
    return 100 - 40 * is_trump - 20 * may_be_ruffed - 20 * points - 2 * top + 2 * length_of_suit


@jit
def plan_follow(o: np.record, plan: np.record, trump: int) -> None:
    """Want a play that wins, one that gives points to the partner, or the lowest."""
    suit = 0
    while not o.lead_suit[suit]:
        suit += 1
    size = o.lead_size[0]
    held = count_block(plan.hand, suit, trump)
    set_rivals(o, plan, True)
    gives_points = _is_partner_safe(o, plan, suit, trump)
    set_costs(o, plan, trump, gives_points)
    if not gives_points and _plan_win(o, plan, suit, trump, held, size):
        return
    if held > size:
        _add_demand(o, plan, suit, trump)
    low, high = suit_start(suit, trump), suit_end(suit, trump)
    add_cheapest(plan, low, high, size - _count_wanted(plan))
    add_cheapest(plan, 0, NUM_SLOTS, size - _count_wanted(plan))


@jit
def _count_wanted(plan: np.record) -> int:
    wanted = 0
    for slot in range(NUM_SLOTS):
        wanted += plan.want[slot]
    return wanted


@jit
def _add_demand(o: np.record, plan: np.record, suit: int, trump: int) -> None:
    """Want what the hand owes, the cheapest of each shape."""
    for width in range(NUM_WIDTHS, 1, -1):
        for length in range(NUM_LENGTHS, 0, -1):
            for _ in range(o.demand[width - 1, length - 1]):
                top = find_run(plan, suit, trump, width, length, -1)
                if top >= 0:
                    add_run(plan, suit, trump, width, length, top)


@jit
def _winning_top(o: np.record, trump: int) -> tuple[int, int]:
    """Effective suit and highest order of the play that is winning."""
    seat = 0
    while not o.winning[seat]:
        seat += 1
    slot = NUM_SLOTS - 1
    while not o.trick[seat, slot]:
        slot -= 1
    return suit_of_slot(slot, trump), order_of_slot(slot, trump)


@jit
def _shape_led(o: np.record) -> tuple[int, int]:
    """Width and length of the lead; 0, 0 for a throw."""
    found_width, found_length, number = 0, 0, 0
    for width in range(NUM_WIDTHS):
        for length in range(NUM_LENGTHS):
            number += o.lead_shape[width, length]
            if o.lead_shape[width, length]:
                found_width, found_length = width + 1, o.lead_size[0] // (width + 1)
    return (found_width, found_length) if number == 1 else (0, 0)


@jit
def _is_partner_safe(o: np.record, plan: np.record, suit: int, trump: int) -> bool:
    """Whether the partner is winning, and the next seat, if it is still to play, will hardly change that."""
    if not o.winning[PARTNER]:
        return False
    if o.position[_LAST]:
        return True
    width, length = _shape_led(o)
    if width == 0:
        return True
    winning_suit, top = _winning_top(o, trump)
    may_ruff = winning_suit != TRUMP and o.voids[NEXT, suit]
    return not may_ruff and is_unbeaten(plan, winning_suit, trump, width, length, top)


@jit
def _plan_win(o: np.record, plan: np.record, suit: int, trump: int, held: int, size: int) -> bool:
    """Want a play that wins, if there is one and it is worth its cards."""
    width, length = _shape_led(o)
    own_suit = suit if held else TRUMP
    winning_suit, winning_top = _winning_top(o, trump)
    if width == 0 or 0 < held < size or (winning_suit == TRUMP and own_suit != TRUMP):
        return False
    is_last = o.position[_LAST] == 1
    set_costs(o, plan, trump, is_last)
    top = find_run(plan, own_suit, trump, width, length, winning_top if winning_suit == own_suit else -1)
    while top >= 0 and not is_last and held and not is_unbeaten(plan, own_suit, trump, width, length, top):
        top = find_run(plan, own_suit, trump, width, length, top)
    is_dear = own_suit == TRUMP and top >= _DEAR_TRUMP
    if top < 0 or (is_dear and o.trick_points[0] == 0):
        set_costs(o, plan, trump, False)
        return False
    add_run(plan, own_suit, trump, width, length, top)
    return True
