"""Rollouts: whole rounds of random legal actions inside one call, without observations.

A round is a function of (seed, table number, round): its start, its deals and all its actions are those of the table
with that number in a batch environment that takes the actions of `sample_actions`.

Source: docs/environments/actions.md.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, jit_parallel
from shengji_env.engine.compiler import prange
from shengji_env.engine.deal import SAMPLE_STREAM, Deals, stream_key
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions, random_action
from shengji_env.engine.opening import begin_first
from shengji_env.engine.state import Phase, Rules, State, Workspace


@jit
def play_on(s: State, r: Rules, w: Workspace, deals: Deals, ply: int) -> int:
    """Play a round under way to its end; `ply` decisions of it have been made already.

    Returns:
        The number of decisions made in the whole round.
    """
    key = stream_key(deals.seed, deals.table, s.round_index, SAMPLE_STREAM)
    while s.phase != Phase.OVER:
        slots, others = legal_actions(s, r, w)
        apply_action(s, r, w, deals, random_action(slots, others, key, ply))
        ply += 1
    return ply


class Rounds(NamedTuple):
    """Round 0 of tables 0..N-1: what compiled code takes to play them."""

    states: NDArray[Any]
    """Scratch states, as many as `works`."""
    rules: NDArray[Any]
    """The rules record, shape (1,)."""
    works: NDArray[Any]
    """Workspaces, one for each share of the tables."""
    seed: np.uint64
    """Deals and actions are a function of it."""
    any_start: bool
    """Whether levels and declarer are drawn (`deal.draw_setup`)."""
    results: NDArray[Any]
    """Written, shape (N,), RESULT_DTYPE."""
    plies: NDArray[Any]
    """Written, shape (N,): decisions made in each round."""


@jit
def _play_share(share: int, rounds: Rounds) -> None:
    """Play one workspace's share of the rounds, in one state."""
    s, r, w, size = rounds.states[share], rounds.rules[0], rounds.works[share], rounds.results.size
    for table in range(size * share // rounds.works.size, size * (share + 1) // rounds.works.size):
        deals = Deals(rounds.seed, table)
        begin_first(s, r, w, deals, rounds.any_start)
        rounds.plies[table] = play_on(s, r, w, deals, 0)
        rounds.results[table] = s.result


@jit
def play_rounds(rounds: Rounds) -> None:
    """Play the rounds, one share after another."""
    for share in range(rounds.works.size):
        _play_share(share, rounds)


@jit_parallel
def play_rounds_parallel(rounds: Rounds) -> None:
    """Play the rounds, all shares at once."""
    for share in prange(rounds.works.size):
        _play_share(share, rounds)
