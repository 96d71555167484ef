"""Playouts: a play is made in a world, and the round played to its end by the heuristic player in all seats.

They decide as the heuristic player does in an environment, action for action; but a play is planned once, not at every
card, and nothing is worked out where only one action is legal.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NUM_ACTIONS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import legal_actions, write_mask
from shengji_env.engine.rows import lowest_slot
from shengji_env.engine.rule_options import RULES_DTYPE
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import NUM_TEAMS, STATE_DTYPE, WORKSPACE_DTYPE, Phase, Rules, State, Winner, Workspace
from shengji_env.envs.observation import OBSERVATION_DTYPE, write_observation, write_rules
from shengji_env.players.heuristic import heuristic_action, plan_cards
from shengji_env.players.heuristic.counting import HEURISTIC_DTYPE

CARDS = -1
"""Instead of an action: the play is a set of cards."""

SCRATCH_DTYPE = record_type(
    [
        ("state", STATE_DTYPE),
        ("rules", RULES_DTYPE),
        ("work", WORKSPACE_DTYPE),
        ("seen", OBSERVATION_DTYPE),
        ("plan", HEURISTIC_DTYPE),
        ("mask", np.int8, (NUM_ACTIONS,)),
    ]
)
"""What a thread needs to play rounds: the table, its rules, and scratch memory."""


def make_scratch(rules: NDArray[Any], size: int) -> NDArray[Any]:
    """Scratch for `size` threads."""
    scratch: NDArray[Any] = np.zeros(size, SCRATCH_DTYPE)
    scratch["rules"] = rules[0]
    _prepare(scratch)
    return scratch


@jit
def _prepare(scratch: NDArray[Any]) -> None:
    for row in range(scratch.size):
        write_rules(scratch[row].rules, scratch[row].seen)


@jit
def play_heuristically(x: np.record, seed: np.uint64) -> None:
    """Make the heuristic player's next play at ``x.state``; of a play under way, its rest."""
    s, r, w = x.state, x.rules, x.work
    is_planned = False
    while True:
        slots, others = legal_actions(s, r, w)
        if others == 0 and slots & (slots - 1) == 0:
            action = lowest_slot(slots)
        elif slots == 0 and others & (others - 1) == 0:
            action = NUM_SLOTS + lowest_slot(others)
        else:
            if not is_planned:
                write_observation(s, r, s.seat, x.seen)
                is_planned = True
                if s.phase <= Phase.NAME or s.phase == Phase.FORCED:
                    apply_action(s, r, w, seed, 0, choose_alone(x))
                    return
                plan_cards(x.seen, x.plan)
            action = next_of_plan(s, slots, others, x.plan)
        apply_action(s, r, w, seed, 0, action)
        if s.taken_size == 0:
            return


@jit
def choose_alone(x: np.record) -> int:
    """The heuristic player's bid, trumps or forced component: one action is all."""
    write_mask(x.state, x.rules, x.work, x.mask)
    return int(heuristic_action(x.seen, x.mask, x.plan))


@jit
def next_of_plan(s: State, slots: int, others: int, plan: np.record) -> int:
    """The next card of a plan that is legal; without one the end of the lead, or the cheapest legal card."""
    best = DONE
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        if plan.want[slot] > s.taken[slot]:
            return slot
        if best == DONE or plan.charge[slot] < plan.charge[best]:
            best = slot
    return DONE if others else best


@jit
def make_play(s: State, r: Rules, w: Workspace, seed: np.uint64, action: int, cards: NDArray[Any]) -> None:
    """Make a whole play: an action, or with CARDS the cards of these counts."""
    if action != CARDS:
        apply_action(s, r, w, seed, 0, action)
        return
    while True:
        apply_action(s, r, w, seed, 0, next_card(s, legal_actions(s, r, w)[0], cards))
        if s.taken_size == 0:
            return


@jit
def next_card(s: State, slots: int, cards: NDArray[Any]) -> int:
    """The next card of a legal play, `slots` being legal; DONE after the last."""
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        if cards[slot] > s.taken[slot]:
            return slot
    return DONE


@jit
def play_out(x: np.record, seed: np.uint64) -> None:
    """Play the round at ``x.state`` to its end; `seed` is that of redeals."""
    while x.state.phase != Phase.OVER:
        play_heuristically(x, seed)


@jit
def value_of(result: np.record, team: int, points_weight: float) -> float:
    """What a finished round is worth to a team: levels, and a little for the points."""
    is_attacker = result.declarer % NUM_TEAMS != team
    levels = 0.0
    if result.winner != Winner.DRAW:
        levels = float(result.levels_nominal)
        if (result.winner == Winner.ATTACKERS) != is_attacker:
            levels = -levels
    points = points_weight * result.attackers_points
    return float(levels + points if is_attacker else levels - points)


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
        team: whose side it is.
        actions: (C,) the candidates: actions, or CARDS for sets of cards.
        cards: (C, 54) those cards.
        is_open: (C,) bool, which candidates are still compared.
        points_weight: levels that a point counts for.
        scratch: SCRATCH_DTYPE.
        thread: its row to be used.
        values: (C, W) written.
    """
    x = scratch[thread]
    for world in range(first, end):
        for candidate in range(actions.size):
            if is_open[candidate]:
                x.state = worlds[world]
                seed = np.uint64(world)
                make_play(x.state, x.rules, x.work, seed, actions[candidate], cards[candidate])
                play_out(x, seed)
                values[candidate, world] = value_of(x.state.result, team, points_weight)
