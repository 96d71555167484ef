"""What the seat to move does not know, for the critic alone: card counts in the slots of its observation.

| row | while bids are made                        | afterwards                 |
|-----|--------------------------------------------|----------------------------|
| 0   | cards that the seat will still draw        | nothing                    |
| 1–3 | all cards of next, partner, previous       | the hands they hold        |
| 4   | the kitty                                  | what the declarer buried   |
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.bids import bid_level
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.tables.holdings import add_coming, add_hand, add_kitty

HIDDEN_VERSION = 1
NUM_ROWS = NUM_SEATS + 1
NUM_HIDDEN = NUM_ROWS * NUM_SLOTS


def write_hidden(states: NDArray[Any], rules: RuleSet, out: NDArray[np.int8]) -> None:
    """Fill ``out`` (N, `NUM_HIDDEN`) for the seats to move of N raw states."""
    _write_tables(states, rules.record(), out.reshape(len(out), NUM_ROWS, NUM_SLOTS))


@jit
def _write_tables(states: NDArray[Any], rules: NDArray[Any], out: NDArray[np.int8]) -> None:
    r = rules[0]
    for table in range(len(states)):
        s, rows = states[table], out[table]
        rows[:] = 0
        level = bid_level(s, s.seat)
        add_coming(s, r, s.seat, level, rows[0])
        for step in range(1, NUM_SEATS):
            seat = (s.seat + step) % NUM_SEATS
            add_hand(s, seat, level, rows[step])
            add_coming(s, r, seat, level, rows[step])
        add_kitty(s, r, level, rows[NUM_SEATS])
        for slot in range(NUM_SLOTS):
            rows[NUM_SEATS, slot] += s.buried[slot]
