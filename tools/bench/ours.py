"""Our own rows: the batch environment, whole rounds in one call, players, the environments of one table."""

import itertools
import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from shengji_env import GYMNASIUM_ID, shengji_v0
from shengji_env.arena import make_player
from shengji_env.datasets.rollouts import RolloutSettings, generate, label
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, rule_set
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.players.decisions import Decisions, num_plays
from shengji_env.players.playing import HEURISTIC
from shengji_env.players.search import DEFAULT_WORLDS, SearchPlayer
from shengji_env.players.whole_plays import begin_decisions
from shengji_env.support.cores import num_cores
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.random_rounds import random_rounds_with_sizes
from shengji_env.vector import BatchEnv
from tools.bench.timing import Case, Group, Pace, Trial, counted, rates, trial_of_rounds, trial_of_work

BATCH_RULES = ("two_deck", "three_deck", "one_deck", "four_deck")
BATCH_SIZES = (1, 64, 1024, 8192)
HEADLINE = f"{DEFAULT_RULES}, N=1,024"
"""The row that peers are compared with."""
_STEPS_A_PIECE = 2048
_MANY = 1024
_PACE_ROUNDS = 2048
_ROLLOUT_NOTE = "no observations; the deal is timed too"
_SEED = 0
_PLAYERS = ("greedy", "heuristic")
_OPPONENTS = ("random", "greedy")
_SEATED = 64
_WARM_STEPS = 100
_SEARCHED = 32
SEARCH = f"search:{DEFAULT_WORLDS}"
SEARCH_UNITS = ("plays/s", "worlds/s", "playouts/s")
LABELS = f"rollout values, {DEFAULT_RULES}"
LABEL_UNITS = ("decisions/s", "candidates/s")
PLAYS = f"whole plays, {DEFAULT_RULES}, N={_MANY:,}"
PLAYOUT_ROWS = {policy: f"playouts by {policy}, {DEFAULT_RULES}" for policy in (HEURISTIC, "champion?part=playouts")}
_PLAYOUTS_NOTE = "from all parts of a round to its end"
_LABELLED_ROUNDS = 32
_PLAYS_A_ROUND = 64
"""Roughly how many whole plays with a choice there are in a round."""

ChooseActions = Callable[[BatchEnv], NDArray[np.int64]]
"""Chooses an action for each table."""


def cases() -> list[Case]:
    """Return all of our cases about stepping."""
    return [*_batch_cases(), *_rollout_cases(), *_player_cases(), *_aec_cases(), *_one_seat_cases()]


def rollout_rounds(rules: str, num_rounds: int, seed: int) -> int:
    """Play whole random rounds, rules only; return the number of decisions."""
    _, sizes = random_rounds_with_sizes(rules, seed=seed, count=num_rounds)
    return int(sizes.sum())


def play_aec_round(env: Any, draw: Callable[[], float]) -> list[int]:
    """Play a round with random legal actions, reading observation and mask at each; return the actions.

    Args:
        env: an AEC environment whose observations are ``{"observation": …, "action_mask": …}``.
        draw: returns a random number in [0, 1).
    """
    env.reset()
    actions: list[int] = []
    while True:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return actions
        legal = observation["action_mask"].nonzero()[0]
        actions.append(int(legal[int(draw() * len(legal))]))
        env.step(actions[-1])


def play_rounds(rules: str, num_rounds: int, seed: int, choose: ChooseActions, **options: Any) -> int:
    """Play one round at each of some tables; return the number of decisions."""
    env = BatchEnv(num_rounds, rules, seed=seed, **options)
    live = np.ones(num_rounds, np.bool_)
    steps = 0
    while live.any():
        steps += int(live.sum())
        env.step(np.where(live, choose(env), STAND_STILL))
        live &= ~env.terminated
    return steps


def _batch_cases() -> list[Case]:
    return [
        Case(
            f"{rules}, N={size:,}" + f", {threads} threads" * (threads > 1),
            Group.BATCH,
            partial(_batch, rules, size, BatchEnv.sample_actions, threads=threads),
            threads=threads,
        )
        for rules in BATCH_RULES
        for threads in sorted({1, num_cores()})
        for size in BATCH_SIZES
    ]


def _rollout_cases() -> list[Case]:
    return [
        Case(f"{rules}, {_MANY:,} random rounds", Group.ROLLOUT, partial(_rollout, rules), note=_ROLLOUT_NOTE)
        for rules in BATCH_RULES
    ]


def _player_cases() -> list[Case]:
    return [
        *(Case(f"{name}, {DEFAULT_RULES}, N={_MANY:,}", Group.PLAYERS, partial(_players, name)) for name in _PLAYERS),
        *(_search_case(threads) for threads in sorted({1, num_cores()})),
        Case(PLAYS, Group.PLAYERS, _plays, LABEL_UNITS[:1], note="random candidates, with observation and features"),
        Case(
            LABELS,
            Group.PLAYERS,
            partial(_labels, HEURISTIC),
            LABEL_UNITS,
            note="labelled decisions, one process; every phase",
        ),
        Case(
            f"{LABELS}, by champion",
            Group.PLAYERS,
            partial(_labels, "champion"),
            LABEL_UNITS,
            note="the same; the network plays, and plays on for a trick",
        ),
        *(
            Case(row, Group.PLAYERS, partial(_playouts, policy), SEARCH_UNITS[2:], note=_PLAYOUTS_NOTE)
            for policy, row in PLAYOUT_ROWS.items()
        ),
    ]


def _search_case(threads: int) -> Case:
    name = f"{SEARCH}, {DEFAULT_RULES}" + f", {threads} threads" * (threads > 1)
    note = "bids, burials and plays with a choice, at 32 points of a round; rounds are played out by heuristic"
    return Case(name, Group.PLAYERS, partial(_search, threads), SEARCH_UNITS, threads=threads, note=note)


def _aec_cases() -> list[Case]:
    return [
        Case(f"{make.__name__}, {DEFAULT_RULES}", Group.AEC, partial(_aec, make))
        for make in (shengji_v0.raw_env, shengji_v0.env)
    ]


def _one_seat_cases() -> list[Case]:
    note = "steps and cards are those of the one seat; the players' decisions take part of the time"
    ways = (
        (f"{GYMNASIUM_ID}", _one_seat),
        (f"make_vec, N={_SEATED}, sync", partial(_seats, _SEATED, "sync")),
        (f"make_vec, N={_SEATED}", partial(_seats, _SEATED, None)),
        (f"make_vec, N={_MANY:,}", partial(_seats, _MANY, None)),
    )
    return [
        Case(f"{name}, against {player}, {DEFAULT_RULES}", Group.ONE_SEAT, partial(make, player), note=note)
        for player in _OPPONENTS
        for name, make in ways
    ]


@cache
def choice_of(player: str) -> ChooseActions:
    """Let one player choose in all seats."""
    decide = make_player(player).decide
    no_words = np.zeros(_MANY, np.uint64)
    return lambda env: decide(Decisions(env.tables.vectors, env.tables.masks, no_words[: env.num_envs]))


def _players(name: str) -> Trial:
    return _batch(DEFAULT_RULES, _MANY, choice_of(name))


def _search(threads: int) -> Trial:
    """Search at some tables, one after another and again and again, until the time is up."""
    env = spread_tables(_SEARCHED, history=num_plays(rule_set(DEFAULT_RULES)))
    decisions = Decisions.at(env.tables, np.arange(_SEARCHED))

    def work(turns: Iterator[int]) -> tuple[int, ...]:
        player = SearchPlayer(threads=threads, seed=next(turns))
        player.decide(decisions)
        return player.num_decisions, player.num_samples, player.num_playouts

    return Trial(lambda seconds: rates(partial(work, itertools.count()), seconds))


def _plays() -> Trial:
    """Make random candidates at tables of whole plays, spread over the course of a round."""
    env = PlayBatchEnv(_MANY, DEFAULT_RULES, seed=_SEED, skip_forced=True)
    for step in range(_PLAYS_A_ROUND):
        env.step(np.where(np.arange(_MANY) * _PLAYS_A_ROUND // _MANY > step, env.sample_actions(), STAND_STILL))
    return trial_of_work(counted(lambda: env.step(env.sample_actions()), _MANY))


def _labels(policy: str) -> Trial:
    settings, turns = RolloutSettings(seed=_SEED, policy=policy), itertools.count()
    generate(settings, 0, 1)

    def work() -> tuple[int, ...]:
        shard = generate(settings, next(turns) * _LABELLED_ROUNDS, _LABELLED_ROUNDS)
        return shard.num_decisions, shard.num_candidates

    return Trial(partial(rates, work))


def _playouts(policy: str) -> Trial:
    tables, settings = spread_tables(_SEARCHED).states.copy(), RolloutSettings(seed=_SEED, playouts=policy)
    begin_decisions(tables)
    label(tables, settings)
    return trial_of_work(lambda: len(label(tables, settings)[1]))


@cache
def pace_of(rules: str, choose: ChooseActions, **options: Any) -> Pace:
    """Measure the decisions per round for a way of choosing; every round is played until all hands are empty."""
    rounds = [play_rounds(rules, _MANY, _SEED + number, choose, **options) for number in range(_PACE_ROUNDS // _MANY)]
    return Pace(sum(rounds) / _PACE_ROUNDS, NUM_SEATS * rule_set(rules).hand)


def spread(env: BatchEnv, choose: ChooseActions, steps: int) -> None:
    """Spread the tables evenly over the course of a round, so that any stretch of time covers all of its parts."""
    starts = np.arange(env.num_envs) * steps // env.num_envs
    for step in range(steps):
        env.step(np.where(step < starts, choose(env), STAND_STILL))


def spread_tables(number: int, **options: Any) -> BatchEnv:
    """Return tables of the default rules that heuristic plays at, spread over the course of a round."""
    heuristic = choice_of("heuristic")
    env = BatchEnv(number, DEFAULT_RULES, seed=_SEED, skip_forced=True, **options)
    spread(env, heuristic, round(pace_of(DEFAULT_RULES, heuristic, skip_forced=True).steps))
    return env


def _batch(rules: str, size: int, choose: ChooseActions, *, threads: int = 1, **options: Any) -> Trial:
    pace = pace_of(rules, choose, **options)
    env = BatchEnv(size, rules, seed=_SEED, threads=threads, **options)
    spread(env, choose, round(pace.steps))
    steps = max(1, _STEPS_A_PIECE // size)

    def work() -> int:
        for _ in range(steps):
            env.step(choose(env))
        return steps * size

    return trial_of_work(work, pace)


def _rollout(rules: str) -> Trial:
    pace = pace_of(rules, BatchEnv.sample_actions)
    rollout_rounds(rules, 1, _SEED)
    return trial_of_work(lambda: rollout_rounds(rules, _MANY, _SEED), pace)


def _aec(make: Callable[[], Any]) -> Trial:
    env, draw = make(), random.Random(_SEED).random
    env.reset(seed=_SEED)
    cards = NUM_SEATS * rule_set(DEFAULT_RULES).hand
    return trial_of_rounds(lambda: play_aec_round(env, draw), lambda _: cards)


def _one_seat(opponents: str) -> Trial:
    """Play rounds with random legal actions of the one seat, and read observation and mask at each."""
    env, draw = gymnasium.make(GYMNASIUM_ID, opponents=opponents), random.Random(_SEED).random
    env.reset(seed=_SEED)

    def play_round() -> list[int]:
        _, info = env.reset()
        actions: list[int] = []
        is_over = False
        while not is_over:
            legal = info["action_mask"].nonzero()[0]
            actions.append(int(legal[int(draw() * len(legal))]))
            _, _, is_over, _, info = env.step(actions[-1])
        return actions

    return trial_of_rounds(play_round, lambda _: rule_set(DEFAULT_RULES).hand)


def _seats(size: int, mode: str | None, opponents: str) -> Trial:
    """Step a vector environment with random legal actions of its seats; read observations and masks."""
    # Single environments take the mode in another way than the batch engine.
    kwargs: dict[str, Any] = {"vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}} if mode else {}
    envs = gymnasium.make_vec(GYMNASIUM_ID, size, vectorization_mode=mode, opponents=opponents, **kwargs)
    draw = np.random.default_rng(_SEED).random
    masks = envs.reset(seed=_SEED)[1]["action_mask"]

    def step() -> NDArray[np.bool_]:
        nonlocal masks
        _, _, ended, _, infos = envs.step((masks * draw(masks.shape, np.float32)).argmax(axis=1))
        masks = infos["action_mask"]
        return np.asarray(ended)

    rounds = sum(int(step().sum()) for _ in range(_WARM_STEPS))
    pace = Pace(_WARM_STEPS * size / rounds, rule_set(DEFAULT_RULES).hand)
    return trial_of_work(counted(step, size), pace)
