"""Steps: cards chosen one by one, as the distilled network reads them, and what the champion makes of each card.

They come from rounds with `champion` in all seats; now and then another candidate is played, so that the network sees
what follows from plays that are not the champion's. A card has the value of the best candidate that goes on with it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.datasets.labelling import FIRST_WORD, NO_ROOM, Turn, joined, make_walk, walk_all
from shengji_env.engine.actions import DONE
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.deal import SAME_CARDS, random_below
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.play import make_play, next_card
from shengji_env.engine.rows import ALL_SLOTS, lowest_slot, slots_from
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS, TRUMP, suit_of_slot
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE, State
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_arrays import MEMORY_DTYPE
from shengji_env.players.candidates.candidate_list import candidate_play
from shengji_env.players.candidates.finding import find_candidates_at
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.networks.champion.champion_player import CHAMPION, named_weights
from shengji_env.players.networks.champion.choosing import Evaluator, make_evaluator, value_candidates
from shengji_env.players.networks.champion.compiled_network import network_of
from shengji_env.players.networks.champion.conditioning import features_of, for_rules
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
    filled: NDArray[np.int64]
    """(4,) how many there are: steps, suits, choices, rows."""


_COUNTED = {"num_suits": 0, "num_choices": 0, "num_rows": 1, "rows": 3}
_COUNTED |= dict.fromkeys(("suits", "outputs", "values", "is_best"), 2)
"""Which entry of `Steps.filled` says how far each array is written."""


class _Maker(NamedTuple):
    """What rounds are made with."""

    states: NDArray[Any]
    """(2,) STATE_DTYPE: the table, and a copy."""
    rules: NDArray[Any]
    """(1,) RULES_DTYPE."""
    works: NDArray[Any]
    """(1,) WORKSPACE_DTYPE."""
    memory: NDArray[Any]
    """(1,) MEMORY_DTYPE of candidates."""
    evaluator: Evaluator
    """The champion's network."""
    scratch: NDArray[Any]
    """(1,) DISTILLED_DTYPE."""


def collect_steps(
    rules: RuleSet, seed: int, noise: float, rounds: int, watch: Callable[[int], None] = lambda _: None
) -> Steps:
    """Play rounds 0.. and return their steps; they depend on the arguments alone.

    Args:
        rules: what is played.
        seed: seed of the deals, and of all draws.
        noise: how often another candidate than the champion's is played, 0 to 1.
        rounds: how many rounds.
        watch: called now and then with the number of rounds played.
    """
    record = rules.record()
    memory: NDArray[Any] = np.zeros(1, MEMORY_DTYPE)
    memory["scratch"] = make_scratch(record, 1)
    network = network_of(for_rules(named_weights(CHAMPION, rules), features_of(rules)))
    maker = _Maker(
        np.zeros(2, STATE_DTYPE), record, np.zeros(1, WORKSPACE_DTYPE), memory, make_evaluator(network),
        np.zeros(1, DISTILLED_DTYPE),
    )  # fmt: skip
    parts = []
    for first in range(0, rounds, _AT_ONCE):
        done = min(first + _AT_ONCE, rounds)
        parts.append(walk_all(_make_rounds, maker, noise, (seed, range(first, done)), _room(), _COUNTED))
        watch(done)
    return joined(parts)


def _room() -> Steps:
    steps, suits, choices, rows = (_AT_ONCE * number for number in (_STEPS, _SUITS, _CHOICES, _ROWS))
    return Steps(
        np.zeros(steps, np.int8), np.zeros(steps, np.int8), np.zeros(suits, np.int16), np.zeros(rows, np.int16),
        np.zeros(choices, np.int8), np.zeros((choices, 2), np.int16), np.zeros(choices, np.float32),
        np.zeros(choices, np.bool_), np.zeros(4, np.int64),
    )  # fmt: skip


@jit_inline
def _decide(maker: _Maker, noise: float, turn: Turn, steps: Steps) -> int:
    """Decide as the champion does, note the steps of a lead or a follow, and play the choice or another candidate."""
    s, r, w, memory = maker.states[0], maker.rules[0], maker.works[0], maker.memory[0]
    if not _has_room(steps):
        return NO_ROOM
    slots, others = legal_actions(s, r, w)
    if slots == 0 and others & (others - 1) == 0:
        apply_action(s, r, w, turn.deals, NUM_SLOTS + lowest_slot(others))
        return turn.word + 2
    found, best = memory.found, 0
    number = find_candidates_at(s, memory, DEFAULT_CANDIDATES, found)
    if number > 1:
        values = value_candidates(memory.seen, memory.scratch, found, number, maker.evaluator)
        for index in range(1, number):
            if values[index, 0] + values[index, 1] > values[best, 0] + values[best, 1]:
                best = index
        if is_for_network(s):
            _note_steps(maker, _Decision(found.cards, values[:number], best), steps)
        word = turn.word - FIRST_WORD + 2
        if random_below(turn.key, word, _PARTS) < noise * _PARTS:
            best = int(random_below(turn.key, word + 1, number))
    make_play(s, r, w, turn.deals, candidate_play(found, best))
    return turn.word + 2


_make_rounds = make_walk(_decide)


@jit
def _has_room(steps: Steps) -> bool:
    """Return whether the steps of one more decision fit in."""
    filled = steps.filled
    return bool(
        filled[0] + _MOST_CARDS <= steps.num_suits.size
        and filled[1] + _MOST_CARDS * NUM_EFFECTIVE_SUITS <= steps.num_rows.size
        and filled[2] + _MOST_CARDS * NUM_SLOTS <= steps.values.size
        and filled[3] + _MOST_CARDS * NUM_EFFECTIVE_SUITS * MAX_LISTED <= steps.rows.size
    )


class _Decision(NamedTuple):
    """What the champion makes of a decision's candidates."""

    cards: NDArray[np.int8]
    """(candidates, 54)"""
    values: NDArray[Any]
    """(number, 2) of each candidate, from two points of view."""
    best: int
    """The one with the highest value."""


@jit
def _note_steps(maker: _Maker, decision: _Decision, steps: Steps) -> None:
    """Note the steps of the best candidate's play."""
    maker.states[1] = maker.memory[0].seen
    t, r, w, scratch = maker.states[1], maker.rules[0], maker.works[0], maker.scratch[0]
    look_at(t, scratch)
    while True:
        slots, others = legal_actions(t, r, w)
        if slots & (slots - 1) != 0 or (slots != 0 and others != 0):
            _note_step(t, scratch, (slots, others != 0), decision, steps)
        action = next_card(t.taken, slots, decision.cards[decision.best])
        apply_action(t, r, w, SAME_CARDS, action)
        if t.taken_size == 0:
            return


@jit
def _note_step(s: State, scratch: Any, legal: tuple[int, bool], decision: _Decision, steps: Steps) -> None:
    """Note one step: the rows of each suit with a legal card, and the choices; ``legal``: cards, and whether to end."""
    filled, (slots, may_end) = steps.filled, legal
    cards = slots
    kind, suit, num_suits, num_choices = decision_of(s, cards), -1, 0, 0
    best = next_card(s.taken, cards, decision.cards[decision.best])
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        if suit != suit_of_slot(slot, s.trump):
            suit = suit_of_slot(slot, s.trump)
            num_suits += 1
            _note_suit(s, suit, scratch, steps)
        rank, of = rank_output(kind, suit, slot, s.trump), class_output(kind, suit, scratch.sight.of_slot[slot])
        _note_choice(steps, filled[2] + num_choices, num_suits - 1, (rank, of))
        steps.values[filled[2] + num_choices] = _value_of(s, cards, slot, decision)
        steps.is_best[filled[2] + num_choices] = slot == best
        num_choices += 1
    if may_end:
        _note_choice(steps, filled[2] + num_choices, num_suits - 1, (OF_DONE + suit // TRUMP, OF_DONE + 2))
        steps.values[filled[2] + num_choices] = _value_of(s, cards, DONE, decision)
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
def _note_suit(s: State, suit: int, own: Any, steps: Steps) -> None:
    """Note the rows that make up a suit's hidden units."""
    filled = steps.filled
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
