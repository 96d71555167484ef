"""Whole rounds of a policy in all four seats, in one call: shows what a policy costs, gives results fast."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals, later_key
from shengji_env.engine.game import apply_action
from shengji_env.engine.opening import begin_first
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, RulesLike, as_rules
from shengji_env.engine.state import RESULT_DTYPE, STATE_DTYPE, WORKSPACE_DTYPE, Phase
from shengji_env.players.player import PlayerLike
from shengji_env.players.playing import next_action_by, player_with_policy, policies_of
from shengji_env.players.registry import as_player
from shengji_env.support.announcing import part
from shengji_env.support.arguments import MAX_ROUNDS, check_choice, check_index, check_seed
from shengji_env.tables.policies import NO_POLICIES, PackedPolicies
from shengji_env.tables.settings import STARTS, Start


class _Rounds(NamedTuple):
    """The table at which rounds are played, and what is written."""

    states: NDArray[Any]
    """(1,) STATE_DTYPE."""
    rules: NDArray[Any]
    """(1,) RULES_DTYPE."""
    works: NDArray[Any]
    """(1,) WORKSPACE_DTYPE."""
    results: NDArray[Any]
    """(count,) RESULT_DTYPE."""
    plies: NDArray[np.int64]
    """(count,)."""


def policy_rounds(
    player: PlayerLike = "greedy", rules: RulesLike = DEFAULT_RULES, *, seed: int, count: int,
    start: Start = "first",
) -> tuple[NDArray[Any], NDArray[np.int64]]:  # fmt: skip
    """Play `count` rounds with a player's policy in all four seats, in one call.

    Entry i is round 0 of table i of a `BatchEnv` with this seed and start. Decisions with one legal action are made
    without asking the player; they count too.

    Args:
        player: a player with a policy, or its text.
        rules: what is played.
        seed: seed of the deals.
        count: how many rounds.
        start: how they begin.

    Returns:
        (count,) `engine.state.RESULT_DTYPE`; (count,) int64, the number of decisions in each.

    Raises:
        ShengjiError: an argument has an invalid value.
    """
    count, seed = check_index("count", count, 1, MAX_ROUNDS), check_seed(seed)
    any_start = check_choice("start", start, STARTS) == "any"
    rules = as_rules(rules)
    policies = policies_of(player_with_policy(as_player(player)), rules)
    _compile_rounds()
    return _run(policies.packed, rules, seed, count, any_start)


_compile_rounds = part("rounds", "whole rounds: policy_rounds")(
    lambda: _run(NO_POLICIES, as_rules(DEFAULT_RULES), 0, 0, False)
)


def _run(
    policies: PackedPolicies, rules: RuleSet, seed: int, count: int, any_start: bool
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    rounds = _Rounds(
        np.zeros(1, STATE_DTYPE), rules.record(), np.zeros(1, WORKSPACE_DTYPE), np.zeros(count, RESULT_DTYPE),
        np.zeros(count, np.int64),
    )  # fmt: skip
    _play_rounds(rounds, policies, np.uint64(seed), any_start)
    return rounds.results, rounds.plies


@jit
def _play_rounds(rounds: _Rounds, policies: PackedPolicies, seed: np.uint64, any_start: bool) -> None:
    s, r, w = rounds.states[0], rounds.rules[0], rounds.works[0]
    for table in range(rounds.results.size):
        deals, is_new = Deals(seed, table), True
        begin_first(s, r, w, deals, any_start)
        while s.phase != Phase.OVER:
            action, is_new = next_action_by(s, r, w, policies, 0, is_new, later_key(seed, table))
            apply_action(s, r, w, deals, action)
            is_new |= s.taken_size == 0
            rounds.plies[table] += 1
        rounds.results[table] = s.result
