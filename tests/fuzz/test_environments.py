"""Inputs of environments: arguments, seeds, starts, actions."""

import contextlib
from functools import cache
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from shengji_env import shengji_v0
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import CARD_TEXTS, RANKS
from shengji_env.engine.rule_sets import RULE_SETS, rule_set
from shengji_env.envs.plays import PlayBatchEnv, PlaySeatEnv, PlaySeatVectorEnv
from shengji_env.envs.seat import SeatEnv, SeatVectorEnv
from shengji_env.errors import ShengjiError
from shengji_env.players.random import RandomPlayer
from shengji_env.support.arguments import DTYPES
from shengji_env.vector import BatchEnv, random_rounds
from tests.fuzz.target import target
from tests.fuzz.values import EDGES, anything, arguments, arrays, pick, sometimes

_HUGE = [number for number in EDGES if not 16 < number < 2**62]
"""Sizes that are small, impossible, or more than any machine has: what fits in memory may be asked for."""
_odd_size = pick(_HUGE) | anything.filter(lambda value: not _is_large(value))
_size = sometimes(st.integers(1, 4), _odd_size)
_rules = pick([*RULE_SETS, "two_deck(throws=False)", rule_set("one_deck")])
_seed = st.none() | st.integers(-5, 2**70)
_any_seed = sometimes(_seed)


def _is_large(value: Any) -> bool:
    """Whether a value is a number of tables that a machine might have room for, slowly."""
    try:
        return bool(np.any(np.abs(np.asarray(value, np.complex128)) > 16))
    except (TypeError, ValueError, OverflowError):
        return False


# ---- arguments

_start = st.sampled_from(["first", "any"])
_SHARED: dict[str, SearchStrategy[Any]] = {
    "rules": _rules,
    "start": _start,
    "reward": st.sampled_from(["levels", "points", "win"]),
    "shaping": st.sampled_from(["none", "trick_points", "potential"]),
    "skip_forced": st.booleans(),
    "episode": st.sampled_from(["round", "match"]),
}
_mode = st.sampled_from([None, "ansi", "svg"])
_OF_ONE_SEAT: dict[str, SearchStrategy[Any]] = {
    **_SHARED,
    "seat": st.none() | st.integers(0, 3),
    "illegal_actions": st.sampled_from(["replace", "raise"]),
    "opponents": st.sampled_from(["random", RandomPlayer(), ["random"] * 3]),
    "dtype": st.sampled_from(DTYPES),
    "render_mode": _mode,
}
_candidates = st.integers(2, 96)
_THREADS = {"threads": sometimes(st.just(1), _odd_size)}
_HISTORY = {"history": sometimes(st.integers(0, 4), _odd_size)}


def _named(sizes: dict[str, SearchStrategy[Any]] = _HISTORY, **named: SearchStrategy[Any]) -> SearchStrategy[Any]:
    """Some keyword arguments; of sizes, no large one is drawn."""
    return st.builds(dict.__or__, arguments(**named), st.fixed_dictionaries({}, optional=sizes))


@target(
    weight=30,
    named=_named(**_SHARED, record=st.booleans(), render_mode=_mode, viewer=st.none() | st.integers(0, 3)),
    seed=_any_seed,
)
def test_aec_arguments(named, seed):
    """Make the AEC environment, reset it, look at it and play a little."""
    env = shengji_v0.raw_env(**named)
    env.reset(seed=seed)
    if env.render_mode is not None:
        env.render()
    env.state()
    env.last()
    _play(env, 3)


def _play(env: Any, plies: int) -> None:
    """Take some of the first legal actions."""
    for _ in range(plies):
        if env.terminations[env.agent_selection]:
            return
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))


@target(weight=30, named=_named(**_OF_ONE_SEAT, dict_observation=st.booleans()), seed=_any_seed)
def test_single_arguments(named, seed):
    """Make the Gymnasium environment by name, reset it, look at it and play a little."""
    _play_one_seat(gymnasium.make("shengji/Seat-v0", disable_env_checker=True, **named), seed, 0)


@target(weight=20, named=_named(**_OF_ONE_SEAT, candidates=_candidates), seed=_any_seed)
def test_plays_arguments(named, seed):
    """Make the Gymnasium environment of whole plays by name, reset it, look at it and play a little."""
    _play_one_seat(gymnasium.make("shengji/PlaySeat-v0", disable_env_checker=True, **named), seed, -1)


def _play_one_seat(wrapped: Any, seed: Any, place: int) -> None:
    """Take some legal actions, those at a place among them."""
    env = wrapped.unwrapped
    env.reset(seed=seed)
    if env.render_mode is not None:
        env.render()
    for _ in range(3):
        legal = np.flatnonzero(env.action_masks())
        if not legal.size:
            break  # a small game is over
        env.step(int(legal[place]))


@target(
    weight=20,
    kind=st.sampled_from([SeatVectorEnv, PlaySeatVectorEnv]),
    num_envs=_size,
    named=_named(**_OF_ONE_SEAT, autoreset_mode=st.sampled_from([*AutoresetMode, "NextStep"])),
    seed=sometimes(_seed | st.lists(_seed, min_size=4, max_size=4)),
    mask=sometimes(st.lists(st.booleans(), min_size=4, max_size=4)),
)
def test_seats_arguments(kind, num_envs, named, seed, mask):
    """Make a vector environment of one seat, reset it, play a little, begin anew at some tables."""
    env = kind(num_envs, **named)
    env.reset(seed=seed[: env.num_envs] if isinstance(seed, list) else seed)
    if env.render_mode is not None:
        env.render()
    for _ in range(3):
        env.step(env.sample_actions())
    if isinstance(mask, list):
        mask = mask[: env.num_envs]
        with contextlib.suppress(ValueError, TypeError, OverflowError):  # parts of several lengths stay a list
            mask = np.array(mask)
    env.reset(options={"reset_mask": mask})
    env.step(env.sample_actions())


@pytest.mark.parametrize("kind", [SeatVectorEnv, PlaySeatVectorEnv])
def test_a_mask_of_which_numpy_makes_no_array_is_refused(kind):
    env = kind(3, rules="one_deck", opponents="random")
    env.reset(seed=0)
    with pytest.raises(ShengjiError, match="reset_mask="):
        env.reset(options={"reset_mask": [70, np.zeros((2, 0)), None]})


@target(
    weight=20,
    num_envs=_size,
    named=_named(**_SHARED, candidates=_candidates, seed=_seed, record=st.booleans()),
    seed=_any_seed,
)
def test_plays_batch_arguments(num_envs, named, seed):
    """Make the batch environment of whole plays, step it, reset it with a seed."""
    _step_and_load(PlayBatchEnv(num_envs, **named), seed)


@target(
    weight=30,
    num_envs=_size,
    named=_named(
        _HISTORY | _THREADS,
        **_SHARED,
        seed=_seed,
        record=st.booleans(),
        tables=st.none() | st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=4),
    ),
    seed=_any_seed,
)
def test_batch_arguments(num_envs, named, seed):
    """Make the batch environment, step it, reset it with a seed."""
    _step_and_load(BatchEnv(num_envs, **named), seed)


def _step_and_load(env: Any, seed: Any) -> None:
    env.step(env.sample_actions())
    env.reset(seed)
    env.load(env.save())
    env.step(env.sample_actions())


@target(weight=20, make=st.sampled_from([BatchEnv, PlayBatchEnv]), snapshot=sometimes(st.just("saved"), anything))
def test_snapshots(make, snapshot):
    """Load something; what is refused changes nothing."""
    env = _made(make, 2, "one_deck", seed=0)
    before = env.states.tobytes()
    try:
        env.load(env.save() if isinstance(snapshot, str) and snapshot == "saved" else snapshot)
    finally:
        assert env.states.tobytes() == before


@target(weight=20, seed=_any_seed, count=_size, named=_named(_THREADS, rules=_rules, start=_start))
def test_rounds_arguments(seed, count, named):
    """Play whole rounds at random."""
    random_rounds(seed=seed, count=count, **named)


# ---- starts


@cache
def _made(make: Any, *arguments: Any, **named: Any) -> Any:
    """An environment, which is made once."""
    return make(*arguments, **named)


@st.composite
def _start_options(draw):
    """Rules, and options of a start of interest, most of them possible."""
    rules = draw(st.sampled_from(["two_deck", "duplicate", "one_deck", "competition(no_trump_bids=True)"]))
    cards = [text for text in CARD_TEXTS for _ in range(rule_set(rules.partition("(")[0]).decks)]
    shuffled = st.permutations(cards)
    damaged = st.tuples(shuffled, st.integers(0, len(cards) - 1), anything).map(
        lambda made: [*made[0][: made[1]], made[2], *made[0][made[1] + 1 :]]
    )
    levels = st.lists(st.sampled_from(RANKS), min_size=2, max_size=2)
    optional = {
        "deal": sometimes(shuffled.map(" ".join) | shuffled | shuffled.map(tuple), damaged | anything),
        "levels": sometimes(levels | levels.map(lambda two: dict(enumerate(two)))),
        "declarer": sometimes(st.none() | st.integers(0, 3)),
        "first_drawer": sometimes(st.none() | st.integers(0, 3)),
        "trump": sometimes(st.sampled_from([*"CDHS", "NT"])),
    }
    return rules, draw(sometimes(st.fixed_dictionaries({}, optional=optional)))


@target(weight=50, kind=st.sampled_from(["round", "match", "single"]), start=_start_options(), seed=_any_seed)
def test_starts(kind, start, seed):
    """Reset an environment with a start of interest, and play from there."""
    rules, options = start
    if kind == "single":
        env = _made(SeatEnv, "random", rules=rules)
        env.reset(seed=seed, options=options)
        env.step(int(np.flatnonzero(env.action_masks())[0]))
    else:
        env = _made(shengji_v0.raw_env, rules, episode=kind, render_mode="ansi", record=True)
        env.reset(seed=seed, options=options)
        env.state()
        env.render()
        _play(env, 6)


# ---- actions

_action = st.integers(0, NUM_ACTIONS - 1)
_odd = sometimes(_action, anything)
_batch = st.lists(_action | st.just(-1), min_size=4, max_size=4) | arrays | st.lists(_odd, max_size=5)
_at_one_table = st.lists(_odd, min_size=1, max_size=8)
_at_all_tables = st.lists(sometimes(st.just("legal"), _batch), min_size=1, max_size=6)
_illegal = st.sampled_from(["replace", "raise"])


@target(
    weight=60,
    make=st.sampled_from([shengji_v0.raw_env, shengji_v0.env]),
    actions=st.lists(sometimes(st.just("legal"), _odd), min_size=1, max_size=8),
)
def test_aec_actions(make, actions):
    """Take actions at the AEC environment; a refused one changes nothing."""
    env = _made(make, rules="one_deck")
    env.reset(seed=0)
    for action in actions:
        legal = int(np.flatnonzero(env.last()[0]["action_mask"])[0])
        _step(env, env.unwrapped, legal if isinstance(action, str) and action == "legal" else action)


def _step(env: Any, tables: Any, actions: Any) -> None:
    before = tables.states.tobytes()
    try:
        env.step(actions)
    except Exception:
        assert tables.states.tobytes() == before
        raise


@target(weight=40, kind=_illegal, actions=_at_one_table)
def test_single_actions(kind, actions):
    """Take actions at the Gymnasium environment."""
    _act_one_seat(_made(SeatEnv, "random", rules="one_deck", illegal_actions=kind), actions)


@target(weight=30, kind=_illegal, actions=_at_one_table)
def test_plays_actions(kind, actions):
    """Take actions at the Gymnasium environment of whole plays."""
    _act_one_seat(_made(PlaySeatEnv, "random", rules="one_deck", illegal_actions=kind), actions)


def _act_one_seat(env: Any, actions: list[Any]) -> None:
    env.reset(seed=0)
    for action in actions:
        if env.step(action)[2]:
            env.reset()


@target(weight=60, steps=_at_all_tables)
def test_batch_actions(steps):
    """Take actions at all tables; refused ones change nothing."""
    _act_batch(_made(BatchEnv, 4, "one_deck", seed=0), steps)


@target(weight=30, steps=_at_all_tables)
def test_seats_actions(steps):
    """Take actions at all tables of the vector environment; refused ones change nothing."""
    _act_batch(_made(SeatVectorEnv, 4, "random", rules="one_deck", illegal_actions="raise"), steps)


@target(weight=30, steps=_at_all_tables)
def test_plays_batch_actions(steps):
    """Make whole plays at all tables; refused ones change nothing."""
    _act_batch(_made(PlayBatchEnv, 4, "one_deck", seed=0), steps)


def _act_batch(env: Any, steps: list[Any]) -> None:
    env.reset(seed=0)
    for actions in steps:
        _step(env, env, env.sample_actions() if isinstance(actions, str) and actions == "legal" else actions)
