"""Whole rounds of random play in one call: the fastest way to many results."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import use_threads
from shengji_env.engine.random_play import Rounds, play_rounds, play_rounds_parallel
from shengji_env.engine.rule_sets import DEFAULT_RULES, RuleSet, RulesLike, as_rules, rule_set
from shengji_env.engine.state import RESULT_DTYPE, STATE_DTYPE, WORKSPACE_DTYPE
from shengji_env.support.announcing import part
from shengji_env.support.arguments import MAX_ROUNDS, MAX_THREADS, check_choice, check_index, check_seed
from shengji_env.tables.settings import STARTS, Start


def random_rounds(
    rules: RulesLike = DEFAULT_RULES, *, seed: int, count: int, start: Start = "first", threads: int = 1
) -> NDArray[Any]:
    """Return the results of `count` rounds of random legal actions, shape (count,), `engine.state.RESULT_DTYPE`.

    Entry i is the result of round 0 at table i of a `BatchEnv` with this seed and start that takes the actions of
    `sample_actions`; it depends neither on `count` nor on `threads`.

    Raises:
        ShengjiError: an argument has an invalid value.
    """
    return random_rounds_with_sizes(rules, seed=seed, count=count, start=start, threads=threads)[0]


def random_rounds_with_sizes(
    rules: RulesLike = DEFAULT_RULES, *, seed: int, count: int, start: Start = "first", threads: int = 1
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return what `random_rounds` returns, and the number of decisions made in each round, shape (count,)."""
    count = check_index("count", count, 1, MAX_ROUNDS)
    threads = check_index("threads", threads, 1, MAX_THREADS)
    seed = check_seed(seed)
    is_any = check_choice("start", start, STARTS) == "any"
    (_compile_rounds if threads == 1 else _compile_threads)()
    return _run(as_rules(rules), seed, count, is_any, threads)


def _run(
    rules: RuleSet, seed: int, count: int, any_start: bool, threads: int
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    rounds = Rounds(
        np.zeros(threads, STATE_DTYPE), rules.record(), np.zeros(threads, WORKSPACE_DTYPE), np.uint64(seed), any_start,
        np.zeros(count, RESULT_DTYPE), np.zeros(count, np.int64),
    )  # fmt: skip
    if threads == 1:
        play_rounds(rounds)
    else:
        use_threads(threads)
        play_rounds_parallel(rounds)
    return rounds.results, rounds.plies


_compile_rounds = part("rollout", "the engine: random_rounds")(lambda: _run(rule_set(), 0, 1, False, 1))
_compile_threads = part("rollout-threads", "the engine: random_rounds with threads=2 and more")(
    lambda: _run(rule_set(), 0, 2, False, 2)
)
