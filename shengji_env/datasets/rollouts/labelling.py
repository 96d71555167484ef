"""Compiled code: each candidate of a decision is played in a copy of the true table, and on to the end of the round."""

from typing import Any

from numpy.typing import NDArray

from shengji_env.datasets.rollouts.memory import deals_of
from shengji_env.datasets.rollouts.policies import Maker, play_on
from shengji_env.datasets.rollouts.shard_sections import MAX_LEVELS, MAX_POINTS
from shengji_env.engine.compile import jit
from shengji_env.engine.play import make_play
from shengji_env.engine.state import NUM_TEAMS, Result
from shengji_env.players.candidates.candidate_list import candidate_play
from shengji_env.players.candidates.finding import find_hidden
from shengji_env.players.candidates.scratch import value_of


@jit
def label_found(maker: Maker, number: int, decisions: NDArray[Any], candidates: NDArray[Any]) -> None:
    """Play every candidate of ``memory.found`` on from the true table, and write what becomes of the round.

    If the outcome of the first candidate has been written already (``memory.known``), it is not played out again.
    """
    memory, settings = maker.memory[0], maker.settings[0]
    found, playout = memory.found, memory.playout
    team = memory.table.seat % NUM_TEAMS
    if memory.num_decisions < decisions.size:
        row = decisions[memory.num_decisions]
        row.ply = memory.num_actions - memory.first_action
        row.num_candidates = number
    first = 0
    if 0 <= memory.known < memory.num_candidates < candidates.size:
        candidates[memory.num_candidates] = candidates[memory.known]
        first = 1
    for index in range(first, number):
        if memory.num_candidates + index < candidates.size:
            playout.state = memory.table
            make_play(
                playout.state, playout.rules, playout.work, deals_of(memory, settings), candidate_play(found, index)
            )
            play_on(maker)
            _write_outcome(playout.state.result, team, candidates[memory.num_candidates + index])
    memory.num_decisions += 1
    memory.num_candidates += number


@jit
def label_tables(
    maker: Maker, states: NDArray[Any], numbers: NDArray[Any], decisions: NDArray[Any], candidates: NDArray[Any]
) -> None:
    """Do the work of `generating.label`."""
    memory, settings = maker.memory[0], maker.settings[0]
    for row in range(states.size):
        memory.table = states[row]
        memory.number = numbers[row]
        memory.others, memory.known = 0, -1
        label_found(maker, find_hidden(memory.table, memory, settings.most, memory.found), decisions, candidates)


@jit
def _write_outcome(result: Result, team: int, row: Any) -> None:
    """Write a finished round from a team's view, a CANDIDATE_DTYPE record."""
    is_attacker = result.declarer % NUM_TEAMS != team
    points = result.attackers_points if is_attacker else -result.attackers_points
    row.is_attacker = is_attacker
    row.points = max(-MAX_POINTS, min(MAX_POINTS, points))
    row.levels = max(-MAX_LEVELS, min(MAX_LEVELS, int(value_of(result, team, 0.0))))
