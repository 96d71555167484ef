"""Who holds which cards, hidden ones included: the basis of the truth (`truth.py`) and of learners' critics.

Each function adds counts to a row of 54, in the round's slots; while bids are made, in those of no trump with the level
rank `level`.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, slot_of_card
from shengji_env.engine.state import UNNAMED, Rules, State


@jit
def add_hand(s: State, seat: int, level: int, row: NDArray[Any]) -> None:
    """Add the cards that a seat holds, those taken for the decision under way included."""
    if s.trump == UNNAMED:
        _add_dealt(s, seat, level, (0, s.drawn), row)
    else:
        for slot in range(NUM_SLOTS):
            row[slot] += s.hands[seat, slot]


@jit
def add_coming(s: State, r: Rules, seat: int, level: int, row: NDArray[Any]) -> None:
    """Add the cards that a seat is still going to draw."""
    if s.trump == UNNAMED:
        _add_dealt(s, seat, level, (s.drawn, NUM_SEATS * r.hand), row)


@jit
def add_kitty(s: State, r: Rules, level: int, row: NDArray[Any]) -> None:
    """Add the kitty as it was dealt, until the declarer takes it up."""
    if s.num_takers == 0:
        trump = NO_TRUMP if s.trump == UNNAMED else s.trump
        rank = level if s.trump == UNNAMED else s.level_rank
        for index in range(NUM_SEATS * r.hand, r.total):
            row[slot_of_card(s.deal[index], trump, rank)] += 1


@jit
def _add_dealt(s: State, seat: int, level: int, span: tuple[int, int], row: NDArray[Any]) -> None:
    """Add a seat's cards among those of the deal from index ``span[0]`` to before ``span[1]``."""
    first, end = span
    for index in range(first + (seat - s.first_drawer - first) % NUM_SEATS, end, NUM_SEATS):
        row[slot_of_card(s.deal[index], NO_TRUMP, level)] += 1
