"""Compiled code: whole plays made at tables, candidate by candidate."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.play import Play, Plays, next_of_play, play_at
from shengji_env.engine.rows import slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.players.candidates.candidate_arrays import (
    Candidates,
    CandidateScratch,
    find_at,
    list_all,
    list_some,
    make_candidate_scratch,
    make_candidates,
    write_found,
)
from shengji_env.players.candidates.candidate_list import candidate_play
from shengji_env.tables.arrays import STAND_STILL, Arrays
from shengji_env.tables.stepping import step_range

__all__ = [
    "CandidateScratch",
    "Candidates",
    "StepScratch",
    "list_all",
    "list_some",
    "make_candidate_scratch",
    "make_candidates",
    "next_actions",
    "step_plays",
]


class StepScratch(NamedTuple):
    """Scratch memory of `step_plays`."""

    candidate_scratch: CandidateScratch
    actions: NDArray[np.int64]
    """(N,)."""


@jit
def next_actions(
    states: NDArray[Any], masks: NDArray[Any], rows: NDArray[Any], plays: Plays, chosen: NDArray[Any]
) -> None:
    """Write the next actions of legal plays under way, or of plays that begin.

    Args:
        states: the tables, (N,).
        masks: (N, 82), what is legal at them.
        rows: tables, (B,).
        plays: the plays of all tables.
        chosen: (B,), written: an action; DONE after the last card.
    """
    for index in range(rows.size):
        row = rows[index]
        chosen[index] = next_of_play(play_at(plays, row), states[row].taken, slots_with(masks[row], 1))


@jit
def step_plays(a: Arrays, choices: NDArray[Any], skips_forced: bool, scratch: StepScratch, c: Candidates) -> None:
    """Make the chosen candidate at every table, and go on to its next decision; write that one's candidates.

    Args:
        a: the tables, with autoreset; rewards and ends are those of all cards of the play, and of the plays skipped.
        choices: (N,) candidates, or STAND_STILL.
        skips_forced: whether decisions with one candidate are made too.
        scratch: scratch memory.
        c: the candidates, read and written.
    """
    candidate_scratch = scratch.candidate_scratch
    sums = np.zeros(NUM_SEATS, np.float32)
    for table in range(choices.size):
        sums[:] = 0
        ended = False
        if choices[table] != STAND_STILL:
            play = play_at(Plays(c.actions[table], c.cards[table]), choices[table])
            ended = _play(a, table, play, scratch.actions, sums)
            number = find_at(a.states, table, candidate_scratch, c)
            while number == 1 and skips_forced:
                ended |= _play(a, table, candidate_play(candidate_scratch.memory[0].found, 0), scratch.actions, sums)
                number = find_at(a.states, table, candidate_scratch, c)
            write_found(table, number, candidate_scratch, c)
        for seat in range(NUM_SEATS):
            a.rewards[table].of_seat[seat] = sums[seat]
        a.terminated[table] = ended


@jit
def _play(a: Arrays, table: int, play: Play, actions: NDArray[Any], sums: NDArray[Any]) -> bool:
    """Make a whole play at a table, add its rewards, and return whether an episode has ended."""
    s = a.states[table]
    ended = False
    while True:
        actions[table] = next_of_play(play, s.taken, slots_with(a.masks[table].legal, 1))
        step_range(table, table + 1, a, a.works[0], actions)
        ended |= a.terminated[table]
        for seat in range(NUM_SEATS):
            sums[seat] += a.rewards[table].of_seat[seat]
        if s.taken_size == 0:
            return bool(ended)
