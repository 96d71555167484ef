"""Plans: choosing the cards of a play from a hand, cheapest first.

The cards chosen are counted in ``plan.want``.
"""

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import fill_row, lowest_slot, slots_above, slots_from
from shengji_env.engine.slots import TRUMP, first_slot, num_equal, num_orders
from shengji_env.players.heuristic.counting import Plan, Run, orders_of

NEVER = 1e6
"""A cost above every real cost."""


@jit
def clear_want(plan: Plan) -> None:
    """Clear the chosen cards."""
    fill_row(plan.want, 0)


@jit
def slot_for(plan: Plan, order: int, suit: int, width: int) -> int:
    """Find the cheapest slot of an order with `width` cards not chosen yet; -1 if there is none."""
    best = -1
    slot = first_slot(order, suit, plan.trump)
    for equal in range(slot, slot + num_equal(order, suit, plan.trump)):
        if plan.hand[equal] - plan.want[equal] >= width and (best < 0 or plan.charge[equal] < plan.charge[best]):
            best = equal
    return best


@jit
def cheapest_slot(plan: Plan, order: int, suit: int, width: int) -> int:
    """Return the cheapest slot of an order with `width` cards in hand; there must be one."""
    slot = first_slot(order, suit, plan.trump)
    if suit != TRUMP:
        return slot
    equal = plan.held[width] & slots_from(slot) & ~slots_from(slot + num_equal(order, suit, plan.trump))
    best = lowest_slot(equal)
    equal &= equal - 1
    while equal:
        slot = lowest_slot(equal)
        equal &= equal - 1
        if plan.charge[slot] < plan.charge[best]:
            best = slot
    return best


@jit
def cost_of_run(plan: Plan, run: Run) -> float:
    """Return what the cards of a run cost together; NEVER if the hand lacks one."""
    cost = 0.0
    for order in range(run.top - run.length + 1, run.top + 1):
        slot = slot_for(plan, order, run.suit, run.width)
        if slot < 0:
            return NEVER
        cost += plan.charge[slot] * run.width
    return cost


@jit
def has_run(plan: Plan, run: Run) -> bool:
    """Return whether the hand has a run."""
    orders = orders_of(plan.held[run.width], run.suit, plan.trump)
    wanted = ((1 << int(run.length)) - 1) << int(run.top - run.length + 1)
    return orders & wanted == wanted


@jit
def add_run(plan: Plan, run: Run) -> None:
    """Choose the cards of a run that the hand has."""
    for order in range(run.top - run.length + 1, run.top + 1):
        plan.want[slot_for(plan, order, run.suit, run.width)] += run.width


@jit
def add_cheapest_run(plan: Plan, suit: int, width: int, length: int) -> int:
    """Choose the cards of the cheapest run of a shape; return their number, 0 if the hand has none."""
    best = -1
    lowest = NEVER
    for top in range(length - 1, num_orders(suit, plan.trump)):
        cost = cost_of_run(plan, Run(suit, width, length, top))
        if cost < lowest:
            lowest = cost
            best = top
    if best < 0:
        return 0
    add_run(plan, Run(suit, width, length, best))
    return width * length


@jit
def add_cheapest(plan: Plan, low: int, high: int, number: int) -> None:
    """Choose the cheapest `number` cards of slots low..high-1 that are not chosen yet, or all if there are fewer."""
    block = (1 << int(high)) - (1 << int(low))
    for _ in range(number):
        best = -1
        left = slots_above(plan.hand, plan.want) & block
        while left:
            slot = lowest_slot(left)
            left &= left - 1
            if best < 0 or plan.charge[slot] < plan.charge[best]:
                best = slot
        if best < 0:
            return
        plan.want[best] += 1
