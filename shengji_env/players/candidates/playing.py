"""Playing on: the heuristic player in all seats plays a round to its end.

Every action is the one that the heuristic player would take in an environment. But a play is planned once, not at every
card, and nothing is computed where only one action is legal.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.deal import Deals
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions, write_mask
from shengji_env.engine.results import worth_to_attackers
from shengji_env.engine.rows import lowest_slot
from shengji_env.engine.rule_record import RULES_DTYPE
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import (
    NUM_TEAMS,
    STATE_DTYPE,
    WORKSPACE_DTYPE,
    Phase,
    Result,
)
from shengji_env.players.heuristic import heuristic_action, plan_cards
from shengji_env.players.heuristic.counting import HEURISTIC_DTYPE
from shengji_env.players.heuristic.seeing import write_view
from shengji_env.players.whole_plays import is_single, next_of_plan
from shengji_env.tables.observation import OBSERVATION_DTYPE
from shengji_env.tables.observing import write_observation, write_rules

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
def play_heuristically(scratch: Scratch, deals: Deals) -> None:
    """Make the heuristic player's next play at ``scratch.state``, or the rest of a play that has begun."""
    s, r, w = scratch.state, scratch.rules, scratch.work
    is_planned = False
    while True:
        slots, others = legal_actions(s, r, w)
        if others == 0 and slots & (slots - 1) == 0:
            action = lowest_slot(slots)
        elif slots == 0 and others & (others - 1) == 0:
            action = NUM_SLOTS + lowest_slot(others)
        else:
            if not is_planned:
                is_planned = True
                if is_single(s.phase):
                    write_observation(s, r, s.seat, scratch.observation)
                    apply_action(s, r, w, deals, choose_alone(scratch))
                    return
                write_view(s, r, scratch.observation)
                plan_cards(scratch.observation, scratch.plan)
            action = next_of_plan(s.taken, slots, others != 0, scratch.plan.want, scratch.plan.charge)
        apply_action(s, r, w, deals, action)
        if s.taken_size == 0:
            return


@jit
def choose_alone(scratch: Scratch) -> int:
    """Choose the heuristic player's action in a phase of single ones, such as its bid."""
    write_mask(scratch.state, scratch.rules, scratch.work, scratch.mask)
    return int(heuristic_action(scratch.observation, scratch.mask, scratch.plan))


@jit
def play_out(scratch: Scratch, deals: Deals) -> None:
    """Play the round at ``scratch.state`` to its end."""
    while scratch.state.phase != Phase.OVER:
        play_heuristically(scratch, deals)


@jit
def value_of(result: Result, team: int, points_weight: float) -> float:
    """Value a finished round for a team: levels, those lost too, and a little for the points."""
    is_attacker = result.declarer % NUM_TEAMS != team
    levels = float(worth_to_attackers(result))
    points = points_weight * result.attackers_points
    return float(levels + points if is_attacker else -levels - points)
