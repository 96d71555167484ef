"""Compiled code: whole plays made at tables, candidate by candidate."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.play import Play, Plays, next_of_play, play_at
from shengji_env.engine.rows import slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.players.candidates.candidate_arrays import Candidates, CandidateScratch, find_at_seat, write_found
from shengji_env.players.candidates.candidate_list import candidate_play
from shengji_env.tables.arrays import STAND_STILL, Arrays
from shengji_env.tables.stepping import step_table

LIST = STAND_STILL - 1
"""Choice at which no play is made: only the candidates of the table's decision are written."""


@jit
def step_plays(
    arrays: Arrays,
    choices: NDArray[Any],
    skips_forced: bool,
    candidate_scratch: CandidateScratch,
    candidates: Candidates,
) -> None:
    """Make the chosen candidate at every table, and go on to its next decision; write the candidates of that decision.

    Args:
        arrays: the tables, with autoreset; rewards and ends cover all cards of the play, and the plays skipped.
        choices: (N,) candidates, STAND_STILL or LIST.
        skips_forced: whether decisions with one candidate are made too.
        candidate_scratch: scratch memory.
        candidates: the candidates, read and written.
    """
    sums = np.zeros(NUM_SEATS, np.float32)
    for table in range(choices.size):
        if choices[table] == LIST:
            number = find_at_seat(arrays.states, table, candidate_scratch, candidates)
            write_found(table, number, candidate_scratch, candidates)
            continue
        sums[:] = 0
        ended = False
        if choices[table] != STAND_STILL:
            play = play_at(Plays(candidates.actions[table], candidates.cards[table]), choices[table])
            ended = _play(arrays, table, play, sums)
            number = find_at_seat(arrays.states, table, candidate_scratch, candidates)
            while number == 1 and skips_forced:
                play = candidate_play(candidate_scratch.memory[0].found, 0)
                ended |= _play(arrays, table, play, sums)
                number = find_at_seat(arrays.states, table, candidate_scratch, candidates)
            write_found(table, number, candidate_scratch, candidates)
        for seat in range(NUM_SEATS):
            arrays.rewards[table].of_seat[seat] = sums[seat]
        arrays.terminated[table] = ended


@jit
def _play(arrays: Arrays, table: int, play: Play, sums: NDArray[Any]) -> bool:
    """Make a whole play at a table, add its rewards, and return whether an episode has ended."""
    s = arrays.states[table]
    ended = False
    while True:
        action = next_of_play(play, s.taken, slots_with(arrays.masks[table].legal, 1))
        step_table(table, arrays, arrays.works[0], action)
        ended |= arrays.terminated[table]
        for seat in range(NUM_SEATS):
            sums[seat] += arrays.rewards[table].of_seat[seat]
        if s.taken_size == 0:
            return bool(ended)
