"""Whole plays: what a seat decides, made at a table in one go.

A decision is a single action or a set of cards. The engine takes cards one by one, in ascending slot order, in a follow
the led suit before the rest; a lead is ended by `done` if more cards could be added. So each set has one sequence of
actions, and only `take_play` makes it. Code that has something to do at every card, such as the environments, calls
`next_of_play` for each.

Source: docs/environments/actions.md.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import SAME_CARDS, Deals
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import is_legal
from shengji_env.engine.rows import ALL_SLOTS, lowest_slot, slots_with
from shengji_env.engine.slots import NUM_SLOTS, suit_slots
from shengji_env.engine.state import Phase, Rules, State, Workspace

CARDS = -1
"""The action of a play that is a set of cards."""
ILLEGAL = -1
"""Returned instead of a number of actions."""


class Play(NamedTuple):
    """A whole play: a bid, pass, name or forced component, or a set of cards."""

    action: int
    """The action; CARDS for a set of cards."""
    cards: NDArray[np.int8]
    """(54,) the cards of a set by slot; they mean nothing for an action."""


_NO_CARDS: NDArray[np.int8] = np.zeros(NUM_SLOTS, np.int8)


class Plays(NamedTuple):
    """N plays, as compiled code reads them."""

    actions: NDArray[Any]
    """(N,) actions; CARDS for sets of cards."""
    cards: NDArray[np.int8]
    """(N, 54) the cards of those sets by slot."""


def as_play(answer: int | NDArray[np.int8]) -> Play:
    """Return a play given as an action, or as the cards of a set by slot."""
    return Play(answer, _NO_CARDS) if isinstance(answer, int) else Play(CARDS, answer)


@jit
def play_of(action: int, cards: NDArray[np.int8]) -> Play:
    """Return a play; its action has 64 bits, so that what takes it is compiled once."""
    return Play(action, cards)


@jit
def play_at(plays: Plays, index: int) -> Play:
    """Return one of several plays."""
    return play_of(plays.actions[index], plays.cards[index])


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
def next_of_play(play: Play, taken: NDArray[Any], slots: int) -> int:
    """Return the next action of a legal play; the other arguments are those of `next_card`."""
    return play.action if play.action != CARDS else next_card(taken, slots, play.cards)


@jit
def make_legal(s: State, r: Rules, w: Workspace, deals: Deals, action: int) -> bool:
    """Make an action if it is legal; return whether it is."""
    if not is_legal(s, r, w, action):
        return False
    apply_action(s, r, w, deals, action)
    return True


@jit
def make_play(s: State, r: Rules, w: Workspace, deals: Deals, play: Play) -> bool:
    """Make a whole play if it is legal; return whether it is. If not, some of its cards may have been taken."""
    if play.action != CARDS:
        return make_legal(s, r, w, deals, play.action)
    return take_play(s, r, w, play.cards, None) != ILLEGAL


@jit
def take_play(s: State, r: Rules, w: Workspace, cards: NDArray[Any], log: NDArray[Any] | None) -> int:
    """Take cards one by one and end the decision with them; the arguments and the result are those of `take_cards`."""
    number = take_cards(s, r, w, cards, log)
    if number != ILLEGAL and s.phase == Phase.LEAD and s.taken_size > 0:
        if not make_legal(s, r, w, SAME_CARDS, DONE):
            return ILLEGAL
        _note(log, number, DONE)
        number += 1
    return number if number > 0 and s.taken_size == 0 else ILLEGAL


@jit
def take_cards(s: State, r: Rules, w: Workspace, cards: NDArray[Any], log: NDArray[Any] | None) -> int:
    """Take cards one by one, of a decision in BURY, LEAD or FOLLOW.

    Args:
        s: the table.
        r: the rules.
        w: scratch memory.
        cards: (54,) the cards by slot, without those that are already taken.
        log: written: the actions, as far as there is room; None: they are not needed.

    Returns:
        The number of actions; ILLEGAL if one is not legal, or the decision ends before the last card.
    """
    first = suit_slots(s.lead_suit, s.trump) if s.phase == Phase.FOLLOW else ALL_SLOTS
    number = 0
    for part in (first, ALL_SLOTS & ~first):
        slots = slots_with(cards, 1) & part
        while slots:
            slot = lowest_slot(slots)
            slots &= slots - 1
            for _ in range(cards[slot]):
                is_over = number > 0 and s.taken_size == 0
                if is_over or not make_legal(s, r, w, SAME_CARDS, slot):
                    return ILLEGAL
                _note(log, number, slot)
                number += 1
    return number


@jit
def _note(log: NDArray[Any] | None, number: int, action: int) -> None:
    if log is None:
        return
    if number < log.size:
        log[number] = action
