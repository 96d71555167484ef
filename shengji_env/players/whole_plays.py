"""Whole plays: players decide on a set of cards, but an environment takes them one by one.

A player decides on a play anew at each of its cards, or once and remembers it. In both cases these functions say which
card comes next. Cards are taken in the order of their slots (docs/environment.md), so each legal set has one order.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.rows import first_set, lowest_slot, slots_with


@jit
def next_card(taken: NDArray[Any], slots: int, cards: NDArray[Any]) -> int:
    """Return the next card of a legal play, or DONE after the last; `slots` are the legal cards, as bits."""
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        if cards[slot] > taken[slot]:
            return slot
    return DONE


@jit
def next_of_plan(taken: NDArray[Any], slots: int, may_end: bool, want: NDArray[Any], price: NDArray[Any]) -> int:
    """Return the next legal card of a plan, which may contain cards that are not legal.

    Args:
        taken: (54,) the cards of the play taken so far.
        slots: the legal cards, as bits.
        may_end: whether the play may end here.
        want: (54,) the cards of the plan.
        price: (54,) what each card costs.

    Returns:
        A legal card of the plan. If there is none: DONE, or the cheapest legal card if the play may not end.
    """
    best = DONE
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        if want[slot] > taken[slot]:
            return slot
        if best == DONE or price[slot] < price[best]:
            best = slot
    return DONE if may_end else best


@jit
def begin_decisions(states: NDArray[Any]) -> None:
    """Take the states back to the beginning of their decisions: put back the cards taken so far."""
    for row in range(states.size):
        s = states[row]
        if s.taken_size > 0:
            for slot in range(s.taken.size):
                s.taken[slot] = 0
            s.taken_size = 0
            s.last_slot = 0


@jit
def next_action(states: NDArray[Any], mask: NDArray[Any], cards: NDArray[Any]) -> int:
    """Return the next card of a play; after its last card, the action that ends a lead."""
    action = next_card(states[0].taken, slots_with(mask, 1), cards)
    if action == DONE and not mask[DONE]:
        # Happens only if another play was begun, by a search that ran out of time: take any legal action.
        action = first_set(mask)
    return action
