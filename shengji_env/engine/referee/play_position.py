"""Positions: a table set up for one question, and the walk over everything that may be played there.

A walk follows the engine's masks action by action to the end of one decision. Each legal play has one sequence of
actions, so a walk meets each of them once.

Source: docs/environments/actions.md.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NUM_ACTIONS
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.game import apply_action, settle_lead
from shengji_env.engine.leads import find_components
from shengji_env.engine.masks import write_mask
from shengji_env.engine.referee.values import Trump, to_cards, to_slots
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NUM_SLOTS, suit_of_slot
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, Phase, Rules, State, Workspace
from shengji_env.engine.tricks import contest

LEADER = 0
FOLLOWER = 1
_WORKSPACES: NDArray[np.void] = np.zeros(1, dtype=WORKSPACE_DTYPE)


def workspace() -> Workspace:
    """Return scratch memory for the engine's functions."""
    record: Workspace = _WORKSPACES[0]
    return record


def slots_in_order(by_slot: NDArray[np.int8], trump: Trump, led_suit: int | None) -> list[int]:
    """Return the slots of cards in the order in which they are taken: ascending, the led suit before the rest."""
    slots = [slot for slot in range(NUM_SLOTS) for _ in range(by_slot[slot])]
    return sorted(slots, key=lambda slot: (suit_of_slot(slot, trump.suit_index) != led_suit, slot))


class PlayPosition:
    """A table at one decision of a trick.

    Attributes:
        state: The engine's state.
        trump: What is trump.
    """

    def __init__(self, trump: Trump, rules: RuleSet) -> None:
        self.trump = trump
        self._rules = rules.record()[0]
        self._states = np.zeros(1, dtype=STATE_DTYPE)
        self.state: State = self._states[0]
        self.state.trump = trump.suit_index
        self.state.level_rank = trump.level_index
        self.state.declarer = LEADER
        self.state.leader = LEADER
        self.state.seat = LEADER
        self.state.phase = Phase.LEAD

    def give(self, seat: int, cards: NDArray[np.int8]) -> None:
        """Set a seat's hand to a count vector of cards."""
        self.state.hands[seat] = to_slots(cards, self.trump)

    def lay(self, seat: int, cards: NDArray[np.int8]) -> None:
        """Set what a seat plays in the trick to a count vector of cards."""
        self.state.trick[seat] = to_slots(cards, self.trump)

    def contest(self, seat: int) -> None:
        """Let what a seat has played win the trick if it beats the play that was winning."""
        contest(self.state, self._rules, workspace(), seat, self.state.trick[seat])

    def cards_of(self, seat: int) -> NDArray[np.int8]:
        """Return what a seat has played in the trick, as cards."""
        return to_cards(self.state.trick[seat], self.trump)

    def decompose(self, cards: NDArray[np.int8]) -> list[int]:
        """Lay cards of one effective suit down as a lead; return the codes of their components, high to low."""
        self.lay(LEADER, cards)
        find_components(self.state, workspace(), self.suit_of(cards))
        return [int(code) for code in self.state.components[: self.state.num_components]]

    def lead(self, cards: NDArray[np.int8]) -> None:
        """Lead these cards as they are, whoever could beat them."""
        self.give(LEADER, cards)
        self.decompose(cards)
        settle_lead(self.state, self._rules, workspace(), self.suit_of(cards))

    def suit_of(self, cards: NDArray[np.int8]) -> int:
        """Return the effective suit of the lowest of some cards."""
        lowest = int(np.flatnonzero(to_slots(cards, self.trump))[0])
        return int(suit_of_slot(lowest, self.trump.suit_index))

    def legal_actions(self) -> list[int]:
        """Return the legal actions, ascending."""
        return _legal_at(self._rules, self._states)

    def apply(self, action: int) -> None:
        """Make a legal action."""
        apply_action(self.state, self._rules, workspace(), SAME_CARDS, action)

    def take(self, cards: NDArray[np.int8]) -> int | None:
        """Take cards in the order of the masks; return the first card id that the masks do not allow, or None."""
        led_suit = self.state.lead_suit if self.state.phase == Phase.FOLLOW else None
        for slot in slots_in_order(to_slots(cards, self.trump), self.trump, led_suit):
            if slot not in self.legal_actions():
                return self.trump.card(slot)
            self.apply(slot)
        return None

    def walk(self) -> Iterator[NDArray[np.int8]]:
        """Iterate over all plays with which this decision can end, each once, as cards."""
        plays = walk_plays(self._states, partial(_legal_at, self._rules), partial(_after, self._rules))
        return (to_cards(play, self.trump) for play in plays)


def walk_plays(
    states: NDArray[Any],
    legal_at: Callable[[NDArray[Any]], list[int]],
    after: Callable[[NDArray[Any], int], NDArray[Any]],
) -> Iterator[NDArray[np.int8]]:
    """Iterate over all sets of cards with which the seat to move can bury, lead or follow, each once.

    Args:
        states: (1,) the table; cards that are already taken are part of every set.
        legal_at: returns the legal actions in a state (1,), ascending.
        after: returns a copy of a state (1,) in which an action is made.

    Yields:
        Counts by slot, shape (54,), in the order of their actions.
    """
    trail = [(states, iter(legal_at(states)))]
    while trail:
        before, actions = trail[-1]
        action = next(actions, None)
        if action is None:
            trail.pop()
            continue
        later = after(before, action)
        if later["taken_size"][0]:
            trail.append((later, iter(legal_at(later))))
            continue
        play: NDArray[np.int8] = before["taken"][0].copy()
        if action != DONE:
            play[action] += 1
        yield play


def _legal_at(rules: Rules, states: NDArray[Any]) -> list[int]:
    """Return the legal actions in a state (1,), ascending."""
    mask = np.zeros(NUM_ACTIONS, dtype=np.int8)
    write_mask(states[0], rules, workspace(), mask)
    return np.flatnonzero(mask).tolist()


def _after(rules: Rules, states: NDArray[Any], action: int) -> NDArray[Any]:
    """Return a copy of a state (1,) in which an action is made."""
    later = states.copy()
    apply_action(later[0], rules, workspace(), SAME_CARDS, action)
    return later


def lead_position(hand: NDArray[np.int8], others: list[NDArray[np.int8]], trump: Trump, rules: RuleSet) -> PlayPosition:
    """Return a position whose leader is to lead from `hand`; `others` are in turn order after the leader."""
    position = PlayPosition(trump, rules)
    for seat, cards in enumerate([hand, *others][:NUM_SEATS]):
        position.give(seat, cards)
    return position


def follow_position(lead: NDArray[np.int8], hand: NDArray[np.int8], trump: Trump, rules: RuleSet) -> PlayPosition:
    """Return a position in which the next seat is to follow `lead` from `hand`."""
    position = PlayPosition(trump, rules)
    position.give(FOLLOWER, hand)
    position.lead(lead)
    return position
