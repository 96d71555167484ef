"""Rollouts: whole rounds of random legal actions inside one call, without observations.

A round is a function of (seed, table number, round): its start, its deals and all its actions are those of the table
with that number in a batch environment that takes the actions of `sample_actions`.

Source: docs/environment.md.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, jit_parallel
from shengji_env.engine.deal import SAMPLE_STREAM, draw_setup, stream_key
from shengji_env.engine.game import apply_action, begin_round
from shengji_env.engine.masks import legal_actions, random_action
from shengji_env.engine.state import UNNAMED, Phase, Rules, State, Workspace


@jit
def play_on(s: State, r: Rules, w: Workspace, seed: np.uint64, table: int, ply: int) -> int:
    """Play a round under way to its end; `ply` of its decisions have been made already.

    Returns:
        The number of decisions made in the whole round.
    """
    key = stream_key(seed, table, s.round_index, SAMPLE_STREAM)
    while s.phase != Phase.OVER:
        slots, others = legal_actions(s, r, w)
        apply_action(s, r, w, seed, table, random_action(slots, others, key, ply))
        ply += 1
    return ply


@jit
def _play_rounds(
    share: int,
    states: NDArray[Any],
    rules: NDArray[Any],
    works: NDArray[Any],
    seed: np.uint64,
    any_start: bool,
    results: NDArray[Any],
    plies: NDArray[Any],
) -> None:
    """Play one workspace's share of the rounds, in one state: round 0 of each table."""
    s = states[share]
    for table in range(results.size * share // works.size, results.size * (share + 1) // works.size):
        s.round_index = 0
        s.deal_given = 0
        s.trump = UNNAMED
        draw_setup(s, rules[0], seed, table, any_start)
        begin_round(s, rules[0], works[share], seed, table)
        plies[table] = play_on(s, rules[0], works[share], seed, table, 0)
        results[table] = s.result


@jit
def play_rounds(
    states: NDArray[Any],
    rules: NDArray[Any],
    works: NDArray[Any],
    seed: np.uint64,
    any_start: bool,
    results: NDArray[Any],
    plies: NDArray[Any],
) -> None:
    """Play round 0 of tables 0..N-1.

    Args:
        states: scratch states, as many as `works`.
        rules: the rules record, shape (1,).
        works: workspaces.
        seed: deals and actions are a function of it.
        any_start: whether levels and declarer are drawn (`deal.draw_setup`).
        results: written, shape (N,), RESULT_DTYPE.
        plies: written, shape (N,): decisions made in each round.
    """
    for share in range(works.size):
        _play_rounds(share, states, rules, works, seed, any_start, results, plies)


@jit_parallel
def play_rounds_parallel(
    states: NDArray[Any],
    rules: NDArray[Any],
    works: NDArray[Any],
    seed: np.uint64,
    any_start: bool,
    results: NDArray[Any],
    plies: NDArray[Any],
) -> None:
    """Play rounds as `play_rounds` does, with one share of the tables for each workspace."""
    for share in numba.prange(works.size):
        _play_rounds(share, states, rules, works, seed, any_start, results, plies)
