"""What the seat to move does not know, for the critic alone: counts in the slots of its observation.

| row | while bids are made                        | afterwards                 |
|-----|--------------------------------------------|----------------------------|
| 0   | cards that the seat is still going to draw | nothing                    |
| 1–3 | all cards of next, partner, previous       | the hands they hold        |
| 4   | the kitty                                  | what the declarer buried   |
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.bids import bid_level
from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, slot_of_card
from shengji_env.engine.state import Phase, State

HIDDEN_VERSION = 1
NUM_ROWS = NUM_SEATS + 1
NUM_HIDDEN = NUM_ROWS * NUM_SLOTS


def write_hidden(states: NDArray[Any], rules: RuleSet, out: NDArray[np.int8]) -> None:
    """Fill ``out`` (N, `NUM_HIDDEN`) for the seats to move of N raw states."""
    num_cards = rules.decks * NUM_CARDS
    _write_tables(states, num_cards - rules.kitty, num_cards, out)


@jit
def _write_tables(states: NDArray[Any], num_dealt: int, num_cards: int, out: NDArray[np.int8]) -> None:
    for table in range(len(states)):
        out[table] = 0
        s = states[table]
        if s.phase == Phase.BID or s.phase == Phase.NAME:
            _write_deal(s, num_dealt, num_cards, out[table])
        else:
            _write_hands(s, out[table])


@jit
def _write_deal(s: State, num_dealt: int, num_cards: int, out: NDArray[np.int8]) -> None:
    level = bid_level(s, s.seat)
    for place in range(num_cards):
        row = NUM_SEATS
        if place < num_dealt:
            row = (s.first_drawer + place - s.seat) % NUM_SEATS
        if row > 0 or place >= s.drawn:
            out[row * NUM_SLOTS + slot_of_card(s.deal[place], NO_TRUMP, level)] += 1


@jit
def _write_hands(s: State, out: NDArray[np.int8]) -> None:
    for row in range(1, NUM_SEATS):
        seat = (s.seat + row) % NUM_SEATS
        for slot in range(NUM_SLOTS):
            out[row * NUM_SLOTS + slot] = s.hands[seat, slot]
    for slot in range(NUM_SLOTS):
        out[NUM_SEATS * NUM_SLOTS + slot] = s.buried[slot]
