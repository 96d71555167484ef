"""Whole rounds of `greedy` in all four seats, in one call: shows the cost of a compiled player, gives results fast."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals, draw_setup
from shengji_env.engine.game import apply_action, begin_round
from shengji_env.engine.masks import write_mask
from shengji_env.engine.rows import first_set
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, as_rules, rule_set
from shengji_env.engine.state import RESULT_DTYPE, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase
from shengji_env.players.greedy import PLAN_DTYPE, greedy_action
from shengji_env.support.announcing import announce_compiling
from shengji_env.support.arguments import MAX_ROUNDS, check_choice, check_index, check_seed
from shengji_env.tables.arrays import MASK_DTYPE
from shengji_env.tables.observation import OBSERVATION_DTYPE, write_observation, write_rules
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
    memory = _Memory(
        np.zeros(1, STATE_DTYPE), rules.record(), np.zeros(1, WORKSPACE_DTYPE), np.zeros(1, OBSERVATION_DTYPE),
        np.zeros(1, MASK_DTYPE), np.zeros(1, PLAN_DTYPE),
    )  # fmt: skip
    results: NDArray[Any] = np.zeros(count, RESULT_DTYPE)
    plies = np.zeros(count, np.int64)
    _play_rounds(memory, np.uint64(seed), any_start, results, plies)
    return results, plies


class _Memory(NamedTuple):
    """The rules, the table and scratch memory, each of shape (1,)."""

    states: NDArray[Any]
    rules: NDArray[Any]
    works: NDArray[Any]
    observations: NDArray[Any]
    masks: NDArray[Any]
    plans: NDArray[Any]


@jit
def _play_rounds(m: _Memory, seed: np.uint64, any_start: bool, results: NDArray[Any], plies: NDArray[Any]) -> None:
    s, r, w = m.states[0], m.rules[0], m.works[0]
    write_rules(r, m.observations[0])
    for table in range(results.size):
        deals = Deals(seed, table)
        s.round_index = 0
        s.trump = UNNAMED
        draw_setup(s, r, deals, any_start)
        begin_round(s, r, w, deals)
        while s.phase != Phase.OVER:
            apply_action(s, r, w, deals, _choose(m))
            plies[table] += 1
        results[table] = s.result


@jit
def _choose(m: _Memory) -> int:
    """Return the only legal action, or the greedy player's choice."""
    s, r, mask, o = m.states[0], m.rules[0], m.masks[0].legal, m.observations[0]
    if write_mask(s, r, m.works[0], mask) == 1:
        return first_set(mask)
    write_observation(s, r, s.seat, o)
    return int(greedy_action(o, mask, m.plans[0]))
