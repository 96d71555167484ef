"""Whole rounds of `greedy` in all four seats, in one call: shows the cost of a compiled player, gives results fast."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import draw_setup
from shengji_env.engine.game import apply_action, begin_round
from shengji_env.engine.masks import write_mask
from shengji_env.engine.rows import first_set
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, as_rules, rule_set
from shengji_env.engine.state import RESULT_DTYPE, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase, Rules, State, Workspace
from shengji_env.players.greedy import PLAN_DTYPE, GreedyPlan, greedy_action
from shengji_env.support.announcing import announce_compiling
from shengji_env.support.arguments import MAX_ROUNDS, check_choice, check_index, check_seed
from shengji_env.tables.arrays import MASK_DTYPE, MaskRecord
from shengji_env.tables.observation import OBSERVATION_DTYPE, ObservationRecord, write_observation, write_rules
from shengji_env.tables.settings import STARTS, Start


def greedy_rounds(
    rules: RuleSet | str = DEFAULT_RULES, *, seed: int, count: int, start: Start = "first"
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Play `count` rounds of greedy players; return their results and the number of decisions in each.

    Entry i is round 0 of table i of a `BatchEnv` with this seed and start. Decisions with one legal action are
    made without asking the player; they count too.

    Returns:
        (count,) `engine.state.RESULT_DTYPE`; (count,) int64.

    Raises:
        ShengjiError: an argument has an invalid value.
    """
    count, seed = check_index("count", count, 1, MAX_ROUNDS), check_seed(seed)
    any_start = check_choice("start", start, STARTS) == "any"
    announce_compiling("rounds", lambda: _run(rule_set(), 0, 0, False), floor="players", what="rounds of greedy")
    return _run(as_rules(rules), seed, count, any_start)


def _run(rules: RuleSet, seed: int, count: int, any_start: bool) -> tuple[NDArray[Any], NDArray[np.int64]]:
    results: NDArray[Any] = np.zeros(count, RESULT_DTYPE)
    plies = np.zeros(count, np.int64)
    _play_rounds(
        np.zeros(1, STATE_DTYPE), np.zeros(1, WORKSPACE_DTYPE), np.zeros(1, OBSERVATION_DTYPE),
        np.zeros(1, MASK_DTYPE), np.zeros(1, PLAN_DTYPE),
        rules.record(), np.uint64(seed), any_start, results, plies,
    )  # fmt: skip
    return results, plies


@jit
def _play_rounds(
    states: NDArray[Any],
    works: NDArray[Any],
    observations: NDArray[Any],
    masks: NDArray[Any],
    plans: NDArray[Any],
    rules: NDArray[Any],
    seed: np.uint64,
    any_start: bool,
    results: NDArray[Any],
    plies: NDArray[Any],
) -> None:
    s, w, o, mask, plan, r = states[0], works[0], observations[0], masks[0], plans[0], rules[0]
    write_rules(r, o)
    for table in range(results.size):
        s.round_index = 0
        s.trump = UNNAMED
        draw_setup(s, r, seed, table, any_start)
        begin_round(s, r, w, seed, table)
        while s.phase != Phase.OVER:
            apply_action(s, r, w, seed, table, _choose(s, r, w, o, mask, plan))
            plies[table] += 1
        results[table] = s.result


@jit
def _choose(s: State, r: Rules, w: Workspace, o: ObservationRecord, mask: MaskRecord, plan: GreedyPlan) -> int:
    """Return the only legal action, or the greedy player's choice."""
    if write_mask(s, r, w, mask.legal) == 1:
        return first_set(mask.legal)
    write_observation(s, r, s.seat, o)
    return int(greedy_action(o, mask.legal, plan))
