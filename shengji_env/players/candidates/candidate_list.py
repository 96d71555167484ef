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
from shengji_env.players.candidates.playing import Scratch
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
def candidate_play(f: CandidateList, index: int) -> Play:
    """Return one of the candidates."""
    return Play(f.actions[index], f.cards[index])


@jit
def write_cards_found(f: CandidateList, index: int, cards: NDArray[Any]) -> None:
    """Write the cards of a candidate by slot, zero for an action, into `cards`, shape (54,)."""
    if f.actions[index] == CARDS:
        copy_row(cards, f.cards[index])
    else:
        fill_row(cards, 0)


@jit
def add_candidate(s: State, x: Scratch, f: CandidateList, value: float, suit: int) -> None:
    """Add the plan's chosen cards, made legal, unless they have been found before."""
    if f.number == MAX_FOUND:
        return
    index = f.number
    cards = f.cards[index]
    fill_row(cards, 0)
    x.state = s
    t: Any = x.state
    while True:
        slots, others = legal_actions(t, x.rules, x.work)
        action = next_of_plan(t.taken, slots, others != 0, x.plan.want, x.plan.charge)
        if action < NUM_SLOTS:
            cards[action] += 1
        apply_action(t, x.rules, x.work, SAME_CARDS, action)
        if t.taken_size == 0:
            break
    for other in range(index):
        same = True
        for slot in range(NUM_SLOTS):
            same = same and f.cards[other, slot] == cards[slot]
        if same:
            return
    f.actions[index] = CARDS
    f.values[index] = value
    f.suits[index] = suit
    f.number += 1
