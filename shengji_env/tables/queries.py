"""Queries of many tables, compiled: random actions, players' random words, what a seat sees, what is illegal."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit, jit_inline, jit_parallel
from shengji_env.engine.compiler import prange
from shengji_env.engine.deal import SAMPLE_STREAM, stream_key
from shengji_env.engine.masks import random_legal
from shengji_env.engine.state import State
from shengji_env.engine.words import player_word
from shengji_env.tables.arrays import STAND_STILL, Arrays, Progress
from shengji_env.tables.no_refcount import no_refcount
from shengji_env.tables.observing import write_observation, write_rules


@jit
def prepare_observations(shared: NDArray[Any], observations: NDArray[Any]) -> None:
    """Write the parts of observations that no step changes."""
    for table in range(observations.size):
        write_rules(shared[0].rules, observations[table])


@jit
def first_illegal(masks: NDArray[Any], actions: NDArray[Any]) -> int:
    """Return the first table whose action is neither legal nor STAND_STILL; without one, the number of tables."""
    for table in range(actions.size):
        action = actions[table]
        if action != STAND_STILL and not (0 <= action < NUM_ACTIONS and masks[table, action]):
            return table
    return actions.size


@jit
def first_illegal_row(masks: NDArray[Any], rows: NDArray[Any], actions: NDArray[Any]) -> int:
    """Return the first index into `rows` whose action is not legal; without one, their number."""
    for index in range(rows.size):
        action = actions[index]
        if not (0 <= action < masks.shape[1] and masks[rows[index], action]):
            return index
    return rows.size


@jit
def choose_random(arrays: Arrays, chosen: NDArray[Any]) -> None:
    """Choose a uniformly random legal action for every table: a function of (seed, table number, round, ply)."""
    _choose_range(0, arrays.states.size, no_refcount(arrays), no_refcount(chosen))


@jit_parallel
def choose_random_parallel(arrays: Arrays, chosen: NDArray[Any]) -> None:
    """Choose actions as `choose_random` does, with one share of the tables for each workspace."""
    size = arrays.states.size
    shares = arrays.works.size
    for share in prange(shares):
        first, end = size * share // shares, size * (share + 1) // shares
        _choose_range(first, end, no_refcount(arrays), no_refcount(chosen))


@jit
def _choose_range(first: int, end: int, arrays: Arrays, chosen: NDArray[Any]) -> None:
    seed = arrays.shared[0].seed
    for table in range(first, end):
        mask = arrays.masks[table].legal
        chosen[table] = random_action_at(arrays.states[table], arrays.progress[table], seed, mask)


@jit_inline
def random_action_at(s: State, progress: Progress, seed: np.uint64, mask: NDArray[Any]) -> int:
    """Return a uniformly random legal action at one table."""
    return random_legal(mask, stream_key(seed, progress.number, s.round_index, SAMPLE_STREAM), progress.ply)


@jit
def draw_keys(
    states: NDArray[Any], progress: NDArray[Any], shared: NDArray[Any], rows: NDArray[Any], keys: NDArray[Any]
) -> None:
    """Write the random words for the players of some tables: a function of (seed, table number, round, ply)."""
    for index in range(rows.size):
        row = rows[index]
        table = progress[row]
        keys[index] = player_word(shared[0].seed, table.number, states[row].round_index, table.ply)


@jit
def observe_seat(states: NDArray[Any], shared: NDArray[Any], table: int, seat: int, observations: NDArray[Any]) -> None:
    """Write what any seat of a table sees into ``observations[0]``."""
    write_observation(states[table], shared[0].rules, seat, observations[0])
