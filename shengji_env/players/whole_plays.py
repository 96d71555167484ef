"""Whole plays: players decide on a set of cards, but an environment takes them one by one.

A player decides on a play anew at each of its cards, or once and remembers it. In both cases these functions say which
card comes next. Cards are taken in the order of their slots (docs/environments/actions.md), so each legal set has one
order.
"""

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions, legal_of_mask
from shengji_env.engine.play import ILLEGAL, Play, next_of_play, take_play
from shengji_env.engine.rows import lowest_slot
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.tables.tables import Tables

_DIGEST_SIZE = 16


@jit
def is_single(phase: int) -> bool:
    """Return whether a decision of a phase is a single action, which is never a set of cards."""
    return phase == Phase.BID or phase == Phase.NAME or phase == Phase.FORCED or phase == Phase.REBEL


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


class PlaysUnderWay(OrderedDict[bytes, Play]):
    """Plays that were chosen whole, by a digest of the decision; of too many, the oldest are forgotten.

    Forgotten ones are chosen again at their next card.
    """

    MOST = 1 << 14

    def __setitem__(self, digest: bytes, play: Play) -> None:
        super().__setitem__(digest, play)
        if len(self) > self.MOST:
            self.popitem(last=False)


def digest_of_decision(known: bytes, key: bytes = b"") -> bytes:
    """Return a digest of all that is known as a decision begins, with a key of the player's own."""
    return blake2b(known, digest_size=_DIGEST_SIZE, key=key).digest()


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
def next_action(states: NDArray[Any], mask: NDArray[Any], play: Play) -> int:
    """Return the next action of a play at a state (1,); after the last card of a lead, the one that ends it."""
    slots, others = legal_of_mask(mask)
    return next_legal(play, states[0].taken, slots, others)


@jit
def next_legal(play: Play, taken: NDArray[Any], slots: int, others: int) -> int:
    """Return the next action of a play, given the cards taken, (54,), and the legal actions as two sets of bits."""
    action = next_of_play(play, taken, slots)
    if action == DONE and others == 0:
        # Happens only if another play was begun, by a search that ran out of time: take any legal action.
        action = lowest_slot(slots)
    return action


def make_decision(tables: Tables, choose: Callable[[], int]) -> list[int]:
    """Make actions at table 0 until a decision is complete; return them."""
    actions: list[int] = []
    while True:
        size = int(tables.states["taken_size"][0])
        actions.append(choose())
        tables.step(np.array(actions[-1:]))
        if int(tables.states["taken_size"][0]) != size + 1:
            return actions


def choose_whole(tables: Tables, choose: Callable[[], int]) -> int | NDArray[np.int8]:
    """Return what is chosen for the next decision of table 0, an action at a time: an action, or cards by slot.

    The cards are taken at the table.
    """
    if is_single(int(tables.states["phase"][0])):
        return choose()
    cards: NDArray[np.int8] = tables.states["taken"][0].copy()
    for action in make_decision(tables, choose):
        if action < NUM_SLOTS:
            cards[action] += 1
    return cards


@jit
def is_legal_play(states: NDArray[Any], rules: NDArray[Any], works: NDArray[Any], cards: NDArray[Any]) -> bool:
    """Return whether cards by slot, shape (54,), are a whole legal play for the decision that begins at a state.

    Args:
        states: (1,) the state; it is changed.
        rules: (1,) the rules, `engine.rule_record.RULES_DTYPE`.
        works: (1,) scratch memory, `engine.state.WORKSPACE_DTYPE`.
        cards: (54,) the cards, for a decision in BURY, LEAD or FOLLOW.
    """
    return take_play(states[0], rules[0], works[0], cards, None) != ILLEGAL


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
    for index in range(size):
        slot = lowest_slot(legal_actions(s, r, works[0])[0])
        cards[slot] += 1
        if index < size - 1:
            apply_action(s, r, works[0], SAME_CARDS, slot)
