"""The list of candidates found, and how the chosen cards of a plan become one of them."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.play import CARDS, Play
from shengji_env.engine.rows import copy_row, fill_row
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import State
from shengji_env.players.candidates.scratch import Scratch
from shengji_env.players.whole_plays import next_of_plan

CandidateList: TypeAlias = np.record

MAX_FOUND = 96
"""Most candidates in the list."""

CANDIDATE_LIST_DTYPE = record_type(
    [
        ("number", np.int64),
        ("actions", np.int64, (MAX_FOUND,)),
        ("cards", np.int8, (MAX_FOUND, NUM_SLOTS)),
        ("values", np.float64, (MAX_FOUND,)),
        ("suits", np.int64, (MAX_FOUND,)),
    ]
)
"""Candidates found: actions or CARDS, the cards, the heuristic player's values, a lead's effective suit."""


@jit
def candidate_play(found: CandidateList, index: int) -> Play:
    """Return one of the candidates."""
    return Play(found.actions[index], found.cards[index])


@jit
def write_cards_found(found: CandidateList, index: int, cards: NDArray[Any]) -> None:
    """Write the cards of a candidate by slot, zero for an action, into `cards`, shape (54,)."""
    if found.actions[index] == CARDS:
        copy_row(cards, found.cards[index])
    else:
        fill_row(cards, 0)


@jit
def add_candidate(s: State, scratch: Scratch, found: CandidateList, value: float, suit: int) -> None:
    """Add the plan's chosen cards, made legal, unless they have been found before."""
    if found.number == MAX_FOUND:
        return
    index = found.number
    cards = found.cards[index]
    fill_row(cards, 0)
    scratch.state = s
    table: Any = scratch.state
    while True:
        slots, others = legal_actions(table, scratch.rules, scratch.work)
        action = next_of_plan(table.taken, slots, others != 0, scratch.plan.want, scratch.plan.charge)
        if action < NUM_SLOTS:
            cards[action] += 1
        apply_action(table, scratch.rules, scratch.work, SAME_CARDS, action)
        if table.taken_size == 0:
            break
    for other in range(index):
        same = True
        for slot in range(NUM_SLOTS):
            same = same and found.cards[other, slot] == cards[slot]
        if same:
            return
    found.actions[index] = CARDS
    found.values[index] = value
    found.suits[index] = suit
    found.number += 1
