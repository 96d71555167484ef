"""The last K plays of a round, for sequence models: kept only by an environment made with ``history=K``.

A play is what a seat put on the table in a trick; for a throw that failed, it is what was led in the end. There is one
row for each play, (1 + NUM_SLOTS) int8, newest last; rows before the round's first play are zero.

| column | what |
|---|---|
| 0 | 1 + the seat that played, relative to the seat that sees; 0: no play yet |
| 1.. | its cards, counts in the round's slot order |

Tables keep the rows with absolute seats (`tables.plays`), beside the states; they are public.

Source: docs/environments/observation.md.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import State

PLAY_SIZE = 1 + NUM_SLOTS


def seen_from(plays: NDArray[np.int8], seats: ArrayLike) -> NDArray[np.int8]:
    """Return a copy of plays (..., K, PLAY_SIZE) as seats (...) see them; -1 (nobody is to move) stands for seat 0."""
    seen = plays.copy()
    players = plays[..., 0]
    viewers = np.maximum(np.asarray(seats), 0)[..., None]
    seen[..., 0] = np.where(players > 0, (players - 1 - viewers) % NUM_SEATS + 1, 0)
    return seen


@jit
def clear_plays(plays: NDArray[Any]) -> None:
    """Clear the plays of one table, shape (K, PLAY_SIZE)."""
    for row in range(plays.shape[0]):
        for column in range(PLAY_SIZE):
            plays[row, column] = 0


@jit
def note_lead(s: State, plays: NDArray[Any]) -> None:
    """Note what has just been led."""
    _note(s.leader, s.trick[s.leader], plays)


@jit
def note_follow(s: State, action: int, plays: NDArray[Any]) -> None:
    """Note the play that a follower's action completes, if any; call it before the action, which may end the trick."""
    if plays.shape[0] > 0 and s.taken_size + 1 == s.lead_size:
        _note(s.seat, s.taken, plays)
        plays[plays.shape[0] - 1, 1 + action] += 1


@jit
def _note(seat: int, cards: NDArray[Any], plays: NDArray[Any]) -> None:
    last = plays.shape[0] - 1
    if last < 0:
        return
    for row in range(last):
        for column in range(PLAY_SIZE):
            plays[row, column] = plays[row + 1, column]
    plays[last, 0] = 1 + seat
    for slot in range(NUM_SLOTS):
        plays[last, 1 + slot] = cards[slot]
