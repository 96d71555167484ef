"""Playouts: every candidate is played in every world, and the heuristic player plays each round to its end."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.players.candidates.playing import make_play, play_out, value_of


@jit
def play_worlds(
    worlds: NDArray[Any],
    first: int,
    end: int,
    team: int,
    actions: NDArray[Any],
    cards: NDArray[Any],
    is_open: NDArray[Any],
    points_weight: float,
    scratch: NDArray[Any],
    thread: int,
    values: NDArray[Any],
) -> None:
    """Play every open candidate out in worlds first..end-1.

    Args:
        worlds: (W,) STATE_DTYPE: whole tables.
        first: first world.
        end: one past the last world.
        team: the team whose value counts.
        actions: (C,) the candidates: actions, or CARDS for sets of cards.
        cards: (C, 54) the cards of those sets.
        is_open: (C,) bool, which candidates are still compared.
        points_weight: levels that a point counts for.
        scratch: SCRATCH_DTYPE.
        thread: row of `scratch` to use.
        values: (C, W), written: the value of each candidate in each world.
    """
    x = scratch[thread]
    for world in range(first, end):
        for candidate in range(actions.size):
            if is_open[candidate]:
                x.state = worlds[world]
                seed = np.uint64(world)
                make_play(x.state, x.rules, x.work, seed, 0, actions[candidate], cards[candidate])
                play_out(x, seed, 0)
                values[candidate, world] = value_of(x.state.result, team, points_weight)
