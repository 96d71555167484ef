"""Steps: cards chosen one by one, as the distilled network reads them, and what the champion makes of each card.

They come from rounds with `champion` in all seats; now and then another candidate is played, so that the network sees
what follows from plays that are not the champion's. A card has the value of the best candidate that goes on with it.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.rollouts import RolloutSettings
from shengji_env.datasets.rollouts.memory import Memory, deals_of
from shengji_env.datasets.rollouts.policies import Maker, make_maker, make_policies, only_action
from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import ROLLOUT_STREAM, SAME_CARDS, random_below, stream_key
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.opening import begin_first
from shengji_env.engine.play import make_play, next_card
from shengji_env.engine.rows import ALL_SLOTS, lowest_slot, slots_from
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS, TRUMP, suit_of_slot
from shengji_env.engine.state import Phase, State
from shengji_env.players.candidates.candidate_list import candidate_play
from shengji_env.players.candidates.finding import find_hidden
from shengji_env.players.networks.champion.choosing import value_candidates_found
from shengji_env.players.networks.distilled.distilled_network import DISTILLED_DTYPE, is_for_network, look_at
from shengji_env.players.networks.distilled.distilled_rows import (
    MAX_LISTED,
    OF_DONE,
    class_output,
    decision_of,
    list_common,
    list_suit,
    list_taken,
    rank_output,
)

UNKNOWN = -9.0
"""The value of a legal card with which no candidate goes on."""
_PARTS = 1 << 16
"""Parts of which `noise` is a number."""
_AT_ONCE = 64
"""Rounds between two calls of a watch."""
_STEPS, _SUITS, _CHOICES, _ROWS = 250, 500, 1800, 22_000
"""Room for one round: four times the mean with two decks."""
_MOST_CARDS = 64
"""Most cards taken in one decision, the end of it included, for which there must be room."""


class Steps(NamedTuple):
    """N steps. Each has one or more suits with a legal card, and two or more choices: legal cards, and the end."""

    num_suits: NDArray[np.int8]
    """(N,)"""
    num_choices: NDArray[np.int8]
    """(N,)"""
    num_rows: NDArray[np.int16]
    """(suits,) rows of the first layer that make up a suit's hidden units."""
    rows: NDArray[np.int16]
    """(rows,) these rows."""
    suits: NDArray[np.int8]
    """(choices,) the suit of a choice, as an index among those of its step."""
    outputs: NDArray[np.int16]
    """(choices, 2) its rows of the second layer."""
    values: NDArray[np.float32]
    """(choices,) its value for the seat's team in levels, or UNKNOWN."""
    is_best: NDArray[np.bool_]
    """(choices,) whether it is what the champion chooses."""


class _Notes(NamedTuple):
    """Where steps are noted."""

    steps: Steps
    filled: NDArray[np.int64]
    """(4,) how much is: steps, suits, choices, rows."""
    own: NDArray[Any]
    """(1,) DISTILLED_DTYPE: scratch memory."""


def collect_steps(
    settings: RolloutSettings, noise: float, rounds: int, watch: Callable[[int], None] = lambda _: None
) -> Steps:
    """Play rounds 0.. and return their steps; they depend on the arguments alone.

    Args:
        settings: rules, seed, most candidates, and a network as its policy.
        noise: how often another candidate than the network's is played, 0 to 1.
        rounds: how many rounds.
        watch: called now and then with the number of rounds played.
    """
    policies = make_policies(settings)
    maker = make_maker(settings, policies)
    parts, first = [], 0
    while first < rounds:
        end = min(first + _AT_ONCE, rounds)
        part, first = _collect_some(maker, noise, first, end)
        parts.append(part)
        watch(first)
    return joined(parts)


def joined(parts: Iterable[Steps]) -> Steps:
    """Return all steps of some parts, in their order."""
    return Steps(*map(np.concatenate, zip(*parts, strict=True)))


def _collect_some(maker: Maker, noise: float, first: int, end: int) -> tuple[Steps, int]:
    """Return the steps of rounds from `first` on, and the number of the first round that was not finished."""
    room = _AT_ONCE
    steps = Steps(
        np.zeros(_STEPS * room, np.int8), np.zeros(_STEPS * room, np.int8), np.zeros(_SUITS * room, np.int16),
        np.zeros(_ROWS * room, np.int16), np.zeros(_CHOICES * room, np.int8), np.zeros((_CHOICES * room, 2), np.int16),
        np.zeros(_CHOICES * room, np.float32), np.zeros(_CHOICES * room, np.bool_),
    )  # fmt: skip
    notes = _Notes(steps, np.zeros(4, np.int64), np.zeros(1, DISTILLED_DTYPE))
    done = int(_play_rounds(maker, noise, first, end, notes))
    num_steps, num_suits, num_choices, num_rows = notes.filled.tolist()
    sizes = (num_steps, num_steps, num_suits, num_rows, *[num_choices] * 4)
    arrays: Iterable[NDArray[Any]] = steps
    return Steps(*(array[:size].copy() for array, size in zip(arrays, sizes, strict=True))), done


@jit
def _play_rounds(maker: Maker, noise: float, first: int, end: int, notes: _Notes) -> int:
    """Play rounds until there is no room for another one; return the number of the next."""
    memory, settings = maker.memory[0], maker.settings[0]
    s, filled = memory.table, notes.filled
    for number in range(first, end):
        before = filled[0], filled[1], filled[2], filled[3]
        memory.number = number
        key = stream_key(settings.seed, number, 0, ROLLOUT_STREAM)
        begin_first(s, memory.scratch.rules, memory.scratch.work, deals_of(memory, settings), True)
        word = 0
        while s.phase != Phase.OVER:
            if not _has_room(notes.steps, filled):
                filled[0], filled[1], filled[2], filled[3] = before
                return int(number)
            word += 2
            action = only_action(s, memory.scratch.rules, memory.scratch.work)
            if action >= 0:
                apply_action(s, memory.scratch.rules, memory.scratch.work, deals_of(memory, settings), action)
                continue
            _make_choice(maker, noise, (key, word), notes)
    return int(end)


@jit
def _has_room(steps: Steps, filled: NDArray[Any]) -> bool:
    """Return whether the steps of one more decision fit in."""
    return bool(
        filled[0] + _MOST_CARDS <= steps.num_suits.size
        and filled[1] + _MOST_CARDS * NUM_EFFECTIVE_SUITS <= steps.num_rows.size
        and filled[2] + _MOST_CARDS * NUM_SLOTS <= steps.values.size
        and filled[3] + _MOST_CARDS * NUM_EFFECTIVE_SUITS * MAX_LISTED <= steps.rows.size
    )


@jit
def _make_choice(maker: Maker, noise: float, chance: tuple[np.uint64, int], notes: _Notes) -> None:
    """Decide as the champion does, note the steps of a lead or a follow, and play the choice or another candidate."""
    memory, settings = maker.memory[0], maker.settings[0]
    s, found = memory.table, memory.found
    number = find_hidden(s, memory, settings.most, found)
    best = 0
    if number > 1:
        values = value_candidates_found(memory.seen, memory.scratch, found, number, maker.evaluator)
        for index in range(1, number):
            if values[index, 0] + values[index, 1] > values[best, 0] + values[best, 1]:
                best = index
        if is_for_network(s):
            _note_steps(memory, _Decision(found.cards, values[:number], best), notes)
        if random_below(chance[0], chance[1], _PARTS) < noise * _PARTS:
            best = int(random_below(chance[0], chance[1] + 1, number))
    play = candidate_play(found, best)
    make_play(s, memory.scratch.rules, memory.scratch.work, deals_of(memory, settings), play)


class _Decision(NamedTuple):
    """What the champion makes of a decision's candidates."""

    cards: NDArray[np.int8]
    """(candidates, 54)"""
    values: NDArray[Any]
    """(number, 2) of each candidate, from two points of view."""
    best: int
    """The one with the highest value."""


@jit
def _note_steps(memory: Memory, decision: _Decision, notes: _Notes) -> None:
    """Note the steps of the best candidate's play."""
    memory.playout.state = memory.seen
    t = memory.playout.state
    look_at(t, notes.own[0])
    while True:
        slots, others = legal_actions(t, memory.scratch.rules, memory.scratch.work)
        if slots & (slots - 1) != 0 or (slots != 0 and others != 0):
            _note_step(t, slots, others != 0, decision, notes)
        action = next_card(t.taken, slots, decision.cards[decision.best])
        apply_action(t, memory.scratch.rules, memory.scratch.work, SAME_CARDS, action)
        if t.taken_size == 0:
            return


@jit
def _note_step(s: State, legal: int, may_end: bool, decision: _Decision, notes: _Notes) -> None:
    """Note one step: the rows of each suit with a legal card, and the choices."""
    steps, filled, own = notes.steps, notes.filled, notes.own[0]
    kind, suit, num_suits, num_choices = decision_of(s, legal), -1, 0, 0
    best = next_card(s.taken, legal, decision.cards[decision.best])
    slots = legal
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        if suit != suit_of_slot(slot, s.trump):
            suit = suit_of_slot(slot, s.trump)
            num_suits += 1
            _note_suit(s, suit, notes)
        rank, of = rank_output(kind, suit, slot, s.trump), class_output(kind, suit, own.sight.of_slot[slot])
        _note_choice(steps, filled[2] + num_choices, num_suits - 1, (rank, of))
        steps.values[filled[2] + num_choices] = _value_of(s, legal, slot, decision)
        steps.is_best[filled[2] + num_choices] = slot == best
        num_choices += 1
    if may_end:
        _note_choice(steps, filled[2] + num_choices, num_suits - 1, (OF_DONE + suit // TRUMP, OF_DONE + 2))
        steps.values[filled[2] + num_choices] = _value_of(s, legal, DONE, decision)
        steps.is_best[filled[2] + num_choices] = best == DONE
        num_choices += 1
    steps.num_suits[filled[0]], steps.num_choices[filled[0]] = num_suits, num_choices
    filled[0] += 1
    filled[2] += num_choices


@jit
def _note_choice(steps: Steps, index: int, suit: int, outputs: tuple[int, int]) -> None:
    steps.suits[index] = suit
    steps.outputs[index, 0], steps.outputs[index, 1] = outputs


@jit
def _note_suit(s: State, suit: int, notes: _Notes) -> None:
    """Note the rows that make up a suit's hidden units."""
    steps, filled, own = notes.steps, notes.filled, notes.own[0]
    first = filled[3]
    for part in range(3):
        if part == 0:
            number = list_common(s, own.sight, suit == TRUMP, own.rows)
        elif part == 1:
            number = list_suit(s, own.sight, suit, own.rows)
        else:
            number = list_taken(s, suit, own.rows)
        for index in range(number):
            steps.rows[filled[3] + index] = own.rows[index]
        filled[3] += number
    steps.num_rows[filled[1]] = filled[3] - first
    filled[1] += 1


@jit
def _value_of(s: State, slots: int, action: int, decision: _Decision) -> float:
    """Return the value of the best candidate that goes on with a card, or ends, after those taken; or UNKNOWN.

    Cards are taken in the order of their slots.
    """
    most = UNKNOWN
    passed = ALL_SLOTS & ~slots_from(s.last_slot) if s.taken_size > 0 else 0
    for candidate in range(len(decision.values)):
        cards = decision.cards[candidate]
        agrees = True
        for slot in range(NUM_SLOTS):
            is_passed = passed >> slot & 1
            agrees = agrees and (cards[slot] == s.taken[slot] if is_passed else cards[slot] >= s.taken[slot])
        if agrees and next_card(s.taken, slots, cards) == action:
            most = max(most, 0.5 * (decision.values[candidate, 0] + decision.values[candidate, 1]))
    return most
