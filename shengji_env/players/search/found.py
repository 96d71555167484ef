"""Candidates found: their list, and how what is wanted becomes one of them."""

import numpy as np

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.players.search.playout import CARDS, next_of_plan

MAX_FOUND = 96
"""Most candidates looked at."""

FOUND_DTYPE = record_type(
    [
        ("number", np.int64),
        ("actions", np.int64, (MAX_FOUND,)),
        ("cards", np.int8, (MAX_FOUND, NUM_SLOTS)),
        ("values", np.float64, (MAX_FOUND,)),
        ("suits", np.int64, (MAX_FOUND,)),
    ]
)
"""Candidates found: actions or CARDS, the cards, what the heuristic player makes of them, a lead's effective suit."""


@jit
def add_found(s: np.record, x: np.record, f: np.record, value: float, suit: int) -> None:
    """Add what is wanted, made legal, unless it has been found before."""
    if f.number == MAX_FOUND:
        return
    place = f.number
    cards = f.cards[place]
    for slot in range(NUM_SLOTS):
        cards[slot] = 0
    x.state = s
    t = x.state
    while True:
        slots, others = legal_actions(t, x.rules, x.work)
        action = next_of_plan(t, slots, others, x.plan)
        if action < NUM_SLOTS:
            cards[action] += 1
        apply_action(t, x.rules, x.work, np.uint64(0), 0, action)
        if t.taken_size == 0:
            break
    for other in range(place):
        same = True
        for slot in range(NUM_SLOTS):
            same = same and f.cards[other, slot] == cards[slot]
        if same:
            return
    f.actions[place] = CARDS
    f.values[place] = value
    f.suits[place] = suit
    f.number += 1
