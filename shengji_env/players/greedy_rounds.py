"""Whole rounds of `greedy` in all four seats, in one call: shows the cost of a compiled player, gives results fast."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import write_mask
from shengji_env.engine.opening import begin_first
from shengji_env.engine.rows import first_set
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, RulesLike, as_rules, rule_set
from shengji_env.engine.state import RESULT_DTYPE, Phase, State
from shengji_env.players.candidates.playing import Scratch, make_scratch
from shengji_env.players.greedy import PLAN_DTYPE, GreedyPlan, greedy_action, write_view
from shengji_env.support.announcing import announce_compiling
from shengji_env.support.arguments import MAX_ROUNDS, check_choice, check_index, check_seed
from shengji_env.tables.settings import STARTS, Start


def greedy_rounds(
    rules: RulesLike = DEFAULT_RULES, *, seed: int, count: int, start: Start = "first"
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Play `count` rounds of greedy players; return their results and the number of decisions in each.

    Entry i is round 0 of table i of a `BatchEnv` with this seed and start. Decisions with one legal action are made
    without asking the player; they count too.

    Returns:
        (count,) `engine.state.RESULT_DTYPE`; (count,) int64.

    Raises:
        ShengjiError: an argument has an invalid value.
    """
    count, seed = check_index("count", count, 1, MAX_ROUNDS), check_seed(seed)
    any_start = check_choice("start", start, STARTS) == "any"
    announce_compiling("rounds", lambda: _run(rule_set(), 0, 0, False), layer="players", what="rounds of greedy")
    return _run(as_rules(rules), seed, count, any_start)


def _run(rules: RuleSet, seed: int, count: int, any_start: bool) -> tuple[NDArray[Any], NDArray[np.int64]]:
    results: NDArray[Any] = np.zeros(count, RESULT_DTYPE)
    plies = np.zeros(count, np.int64)
    scratch, plans = make_scratch(rules.record(), 1), np.zeros(1, PLAN_DTYPE)
    _play_rounds(_Memory(scratch, plans, results, plies), np.uint64(seed), any_start)
    return results, plies


class _Memory(NamedTuple):
    """The table, with scratch memory, and what is written."""

    scratch: NDArray[Any]
    """(1,) SCRATCH_DTYPE."""
    plans: NDArray[Any]
    """(1,) PLAN_DTYPE."""
    results: NDArray[Any]
    """(count,) RESULT_DTYPE."""
    plies: NDArray[np.int64]
    """(count,)."""


@jit
def _play_rounds(memory: _Memory, seed: np.uint64, any_start: bool) -> None:
    scratch = memory.scratch[0]
    s = scratch.state
    for table in range(memory.results.size):
        deals = Deals(seed, table)
        begin_first(s, scratch.rules, scratch.work, deals, any_start)
        while s.phase != Phase.OVER:
            apply_action(s, scratch.rules, scratch.work, deals, next_greedily(s, scratch, memory.plans[0]))
            memory.plies[table] += 1
        memory.results[table] = s.result


@jit
def next_greedily(s: State, scratch: Scratch, plan: GreedyPlan) -> int:
    """Return the only legal action at a table, or the greedy player's choice."""
    if write_mask(s, scratch.rules, scratch.work, scratch.mask) == 1:
        return first_set(scratch.mask)
    write_view(s, scratch.rules, scratch.observation)
    return int(greedy_action(scratch.observation, scratch.mask, plan))
