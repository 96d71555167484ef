"""Whole plays: players decide on a set of cards, but an environment takes them one by one.

A player decides on a play anew at each of its cards, or once and remembers it. In both cases these functions say which
card comes next. Cards are taken in the order of their slots (docs/environment.md), so each legal set has one order.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions, legal_lead
from shengji_env.engine.rows import first_set, lowest_slot, slots_with
from shengji_env.engine.state import Phase, Rules, State


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
def begin_decision(states: NDArray[Any], row: int, begun: NDArray[Any]) -> None:
    """Write a state as it was when its decision began to `begun`, shape (1,)."""
    begun[0] = states[row]
    begin_decisions(begun)


@jit
def next_action(states: NDArray[Any], mask: NDArray[Any], cards: NDArray[Any]) -> int:
    """Return the next card of a play; after its last card, the action that ends a lead."""
    action = next_card(states[0].taken, slots_with(mask, 1), cards)
    if action == DONE and not mask[DONE]:
        # Happens only if another play was begun, by a search that ran out of time: take any legal action.
        action = first_set(mask)
    return action


@jit
def is_legal_play(states: NDArray[Any], rules: NDArray[Any], works: NDArray[Any], cards: NDArray[Any]) -> bool:
    """Return whether cards by slot, shape (54,), are a whole legal play for the decision that begins at a state.

    Args:
        states: (1,) the state; it is changed.
        rules: (1,) the rules, `engine.rule_record.RULES_DTYPE`.
        works: (1,) scratch memory, `engine.state.WORKSPACE_DTYPE`.
        cards: (54,) the cards, for a decision in BURY, LEAD or FOLLOW.
    """
    s = states[0]
    r = rules[0]
    size = 0
    for slot in range(cards.size):
        size += cards[slot]
    for place in range(size):
        slot = next_card(s.taken, legal_actions(s, r, works[0])[0], cards)
        if slot == DONE:
            return False
        if place == size - 1:
            return _may_end(s, r, slot)
        apply_action(s, r, works[0], np.uint64(0), 0, slot)
        if s.taken_size == 0:
            return False
    return False


@jit
def find_legal_play(states: NDArray[Any], rules: NDArray[Any], works: NDArray[Any], cards: NDArray[Any]) -> None:
    """Write a legal play, always of the lowest cards that may be taken; the arguments are those of `is_legal_play`."""
    s = states[0]
    r = rules[0]
    for slot in range(cards.size):
        cards[slot] = 0
    size = 1
    if s.phase == Phase.FOLLOW:
        size = s.lead_size
    elif s.phase == Phase.BURY:
        size = r.kitty
    for place in range(size):
        slot = lowest_slot(legal_actions(s, r, works[0])[0])
        cards[slot] += 1
        if place < size - 1:
            apply_action(s, r, works[0], np.uint64(0), 0, slot)


@jit
def _may_end(s: State, r: Rules, slot: int) -> bool:
    """Return whether a decision may end with one more card."""
    if s.phase == Phase.FOLLOW:
        return bool(s.taken_size + 1 == s.lead_size)
    if s.phase == Phase.BURY:
        return bool(s.taken_size + 1 == r.kitty)
    s.taken[slot] += 1
    s.taken_size += 1
    s.last_slot = slot
    slots, others = legal_lead(s, r)
    return bool(slots == 0 or others != 0)
