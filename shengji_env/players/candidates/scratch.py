"""What a thread needs to find candidates and to play rounds on, and what a round is worth."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.masks import write_mask
from shengji_env.engine.results import worth_to_attackers
from shengji_env.engine.rule_record import RULES_DTYPE
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE, WORKSPACE_DTYPE, Result
from shengji_env.players.heuristic import heuristic_action
from shengji_env.players.heuristic.counting import HEURISTIC_DTYPE
from shengji_env.tables.observation import OBSERVATION_DTYPE
from shengji_env.tables.observing import write_rules

Scratch: TypeAlias = np.record

SCRATCH_DTYPE = record_type(
    [
        ("state", STATE_DTYPE),
        ("rules", RULES_DTYPE),
        ("work", WORKSPACE_DTYPE),
        ("observation", OBSERVATION_DTYPE),
        ("plan", HEURISTIC_DTYPE),
        ("mask", np.int8, (NUM_ACTIONS,)),
    ]
)
"""What a thread needs to play rounds: the table, its rules, and scratch memory."""


def make_scratch(rules: NDArray[Any], size: int) -> NDArray[Any]:
    """Make scratch memory for `size` threads."""
    scratch: NDArray[Any] = np.zeros(size, SCRATCH_DTYPE)
    scratch["rules"] = rules[0]
    _prepare(scratch)
    return scratch


@jit
def _prepare(scratch: NDArray[Any]) -> None:
    for row in range(scratch.size):
        write_rules(scratch[row].rules, scratch[row].observation)


@jit
def choose_alone(scratch: Scratch) -> int:
    """Choose the heuristic player's action in a phase of single ones, such as its bid."""
    write_mask(scratch.state, scratch.rules, scratch.work, scratch.mask)
    return int(heuristic_action(scratch.observation, scratch.mask, scratch.plan))


@jit
def value_of(result: Result, team: int, points_weight: float) -> float:
    """Value a finished round for a team: levels, those lost too, and a little for the points."""
    is_attacker = result.declarer % NUM_TEAMS != team
    levels = float(worth_to_attackers(result))
    points = points_weight * result.attackers_points
    return float(levels + points if is_attacker else -levels - points)
