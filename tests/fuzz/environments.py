"""Inputs of environments: arguments, seeds, starts, actions."""

from functools import cache
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from shengji_env import shengji_v0
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import CARD_TEXTS, RANKS
from shengji_env.engine.rule_sets import RULE_SETS, rule_set
from shengji_env.envs.plays import PlayBatchEnv, PlaySeatEnv, PlaySeatVectorEnv
from shengji_env.envs.seat import SeatEnv, SeatVectorEnv
from shengji_env.players.random import RandomPlayer
from shengji_env.support.arguments import DTYPES
from shengji_env.vector import BatchEnv, random_rounds
from tests.fuzz.values import EDGES, anything, arguments, arrays, pick, sometimes

_HUGE = [number for number in EDGES if not 16 < number < 2**62]
"""Sizes that are small, impossible, or more than any machine has: what fits in memory may be asked for."""
_size = st.integers(1, 4)
_odd_size = pick(_HUGE) | anything.filter(lambda value: not _is_large(value))
_rules = pick([*RULE_SETS, "two_deck(throws=False)", rule_set("one_deck")])
_seed = st.none() | st.integers(-5, 2**70)


def _is_large(value: Any) -> bool:
    """Whether a value is a number of tables that a machine might have room for, slowly."""
    try:
        return bool(np.any(np.abs(np.asarray(value, np.float64)) > 16))
    except (TypeError, ValueError, OverflowError):
        return False


# ---- arguments

_SHARED: dict[str, SearchStrategy[Any]] = {
    "rules": _rules,
    "start": st.sampled_from(["first", "any"]),
    "reward": st.sampled_from(["levels", "points", "win"]),
    "shaping": st.sampled_from(["none", "trick_points", "potential"]),
    "skip_forced": st.booleans(),
}
_episode = st.sampled_from(["round", "match"])
_mode = st.sampled_from([None, "ansi", "svg"])
_history = st.fixed_dictionaries({}, optional={"history": sometimes(st.integers(0, 4), _odd_size)})


def _joined(*parts: SearchStrategy[dict[str, Any]]) -> SearchStrategy[dict[str, Any]]:
    return st.tuples(*parts).map(lambda made: {name: value for part in made for name, value in part.items()})


_reset = st.tuples(sometimes(_seed), st.none())
aec_arguments = st.tuples(
    _joined(
        arguments(
            **_SHARED, episode=_episode, record=st.booleans(), render_mode=_mode, viewer=st.none() | st.integers(0, 3)
        ),
        _history,
    ),
    _reset,
)
_OF_ONE_SEAT: dict[str, SearchStrategy[Any]] = {
    **_SHARED,
    "episode": _episode,
    "seat": st.none() | st.integers(0, 3),
    "illegal_actions": st.sampled_from(["replace", "raise"]),
    "opponents": st.sampled_from(["random", RandomPlayer(), ["random"] * 3]),
    "dtype": st.sampled_from(DTYPES),
    "render_mode": _mode,
}
single_arguments = st.tuples(_joined(arguments(**_OF_ONE_SEAT, dict_observation=st.booleans()), _history), _reset)
_candidates = st.integers(2, 96)
plays_arguments = st.tuples(_joined(arguments(**_OF_ONE_SEAT, candidates=_candidates), _history), _reset)
seats_arguments = st.tuples(
    st.sampled_from([SeatVectorEnv, PlaySeatVectorEnv]),
    sometimes(_size, _odd_size),
    _joined(arguments(**_OF_ONE_SEAT, autoreset_mode=st.sampled_from([*AutoresetMode, "NextStep"])), _history),
    sometimes(_seed | st.lists(_seed, min_size=4, max_size=4)),
    sometimes(st.lists(st.booleans(), min_size=4, max_size=4)),
)
plays_batch_arguments = st.tuples(
    sometimes(_size, _odd_size),
    _joined(arguments(**_SHARED, candidates=_candidates, episode=_episode, seed=_seed, record=st.booleans()), _history),
    sometimes(_seed),
)
_threads = {"threads": sometimes(st.just(1), _odd_size)}
batch_arguments = st.tuples(
    sometimes(_size, _odd_size),
    _joined(
        arguments(
            **_SHARED,
            episode=_episode,
            seed=_seed,
            record=st.booleans(),
            tables=st.none() | st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=4),
        ),
        _history,
        st.fixed_dictionaries({}, optional=_threads),
    ),
    sometimes(_seed),
)
rounds_arguments = _joined(
    st.fixed_dictionaries({"seed": sometimes(_seed), "count": sometimes(_size, _odd_size)}, optional=_threads),
    arguments(rules=_rules, start=_SHARED["start"]),
)


def make_aec(case: tuple[dict[str, Any], tuple[Any, Any]]) -> None:
    """Make the AEC environment, reset it, look at it and play a little."""
    named, (seed, options) = case
    env = shengji_v0.raw_env(**named)
    env.reset(seed=seed, options=options)
    if env.render_mode is not None:
        env.render()
    env.state()
    env.last()
    _play(env, 3)


def make_single(case: tuple[dict[str, Any], tuple[Any, Any]]) -> None:
    """Make the Gymnasium environment by name, reset it and play a little."""
    named, (seed, options) = case
    env = gymnasium.make("shengji/Seat-v0", disable_env_checker=True, **named).unwrapped
    env.reset(seed=seed, options=options)
    if env.render_mode is not None:
        env.render()
    for _ in range(3):
        legal = np.flatnonzero(env.action_masks())
        if not legal.size:
            break  # a small game is over
        env.step(int(legal[0]))


def make_plays(case: tuple[dict[str, Any], tuple[Any, Any]]) -> None:
    """Make the Gymnasium environment of whole plays by name, reset it and play a little."""
    named, (seed, options) = case
    env = gymnasium.make("shengji/PlaySeat-v0", disable_env_checker=True, **named).unwrapped
    env.reset(seed=seed, options=options)
    for _ in range(3):
        legal = np.flatnonzero(env.action_masks())
        if not legal.size:
            break  # a small game is over
        env.step(int(legal[-1]))


def make_seats(case: tuple[Any, Any, dict[str, Any], Any, Any]) -> None:
    """Make a vector environment of one seat, reset it, play a little, begin anew at some tables."""
    kind, num_envs, named, seed, mask = case
    env = kind(num_envs, **named)
    env.reset(seed=seed[: env.num_envs] if isinstance(seed, list) else seed)
    if env.render_mode is not None:
        env.render()
    for _ in range(3):
        env.step(env.sample_actions())
    env.reset(options={"reset_mask": _as_array(mask[: env.num_envs]) if isinstance(mask, list) else mask})
    env.step(env.sample_actions())


def _as_array(values: list[Any]) -> Any:
    """Return a list as an array, or as it is if NumPy makes none of it, such as of parts of several lengths."""
    try:
        return np.array(values)
    except (ValueError, TypeError, OverflowError):
        return values


def make_plays_batch(case: tuple[Any, dict[str, Any], Any]) -> None:
    """Make the batch environment of whole plays, step it, reset it with a seed."""
    num_envs, named, seed = case
    env = PlayBatchEnv(num_envs, **named)
    env.step(env.sample_actions())
    env.reset(seed)
    env.load(env.save())
    env.step(env.sample_actions())


def make_batch(case: tuple[Any, dict[str, Any], Any]) -> None:
    """Make the batch environment, step it, reset it with a seed."""
    num_envs, named, seed = case
    env = BatchEnv(num_envs, **named)
    env.step(env.sample_actions())
    env.reset(seed)
    env.load(env.save())
    env.step(env.sample_actions())


def play_rounds(named: dict[str, Any]) -> None:
    """Play whole rounds at random."""
    random_rounds(**named)


def prepare_threads() -> None:
    """Compile what steps with threads."""
    BatchEnv(2, threads=2)
    random_rounds(seed=0, count=2, threads=2)
    random_rounds(seed=0, count=2)


# ---- starts

_RESET_RULES = ("two_deck", "duplicate", "one_deck", "competition(no_trump_bids=True)")


@cache
def _dealt(rules: str) -> str:
    """All cards, in order."""
    return " ".join(text for text in CARD_TEXTS for _ in range(rule_set(rules.partition("(")[0]).decks))


@st.composite
def _starts(draw: st.DrawFn) -> tuple[str, str, Any, Any]:
    rules = draw(st.sampled_from(_RESET_RULES))
    cards = _dealt(rules).split()
    shuffled = st.randoms(use_true_random=False).map(lambda random: random.sample(cards, len(cards)))
    as_given = st.sampled_from([" ".join, list, tuple])
    damaged = st.tuples(shuffled, st.integers(0, len(cards) - 1), anything).map(
        lambda made: [*made[0][: made[1]], made[2], *made[0][made[1] + 1 :]]
    )
    deal = sometimes(st.tuples(shuffled, as_given).map(lambda made: made[1](made[0])), damaged | anything)
    levels = st.lists(st.sampled_from(RANKS), min_size=2, max_size=2)
    options = st.fixed_dictionaries(
        {},
        optional={
            "deal": deal,
            "levels": sometimes(levels | levels.map(lambda two: dict(enumerate(two)))),
            "declarer": sometimes(st.none() | st.integers(0, 3)),
            "first_drawer": sometimes(st.none() | st.integers(0, 3)),
            "trump": sometimes(st.sampled_from([*"CDHS", "NT"])),
        },
    )
    return draw(st.sampled_from(["aec", "match", "single"])), rules, draw(sometimes(_seed)), draw(sometimes(options))


starts = _starts()


@cache
def _env(kind: str, rules: str) -> Any:
    if kind == "single":
        return SeatEnv(RandomPlayer(), rules=rules)
    return shengji_v0.raw_env(rules, episode="match" if kind == "match" else "round", render_mode="ansi", record=True)


def begin(case: tuple[str, str, Any, Any]) -> None:
    """Reset an environment with a start of interest, and play from there."""
    kind, rules, seed, options = case
    env = _env(kind, rules)
    env.reset(seed=seed, options=options)
    if kind == "single":
        env.step(int(np.flatnonzero(env.action_masks())[0]))
    else:
        env.state()
        env.render()
        _play(env, 6)


def _play(env: Any, plies: int) -> None:
    """Take some of the first legal actions."""
    for _ in range(plies):
        if env.terminations[env.agent_selection]:
            return
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))


# ---- actions

_action = st.integers(0, NUM_ACTIONS - 1)
_odd = sometimes(_action, anything)
_legal = sometimes(st.just("legal"), _odd)
single_actions = st.tuples(st.sampled_from(["replace", "raise"]), st.lists(_odd, min_size=1, max_size=8))
aec_actions = st.tuples(st.sampled_from(["raw", "wrapped"]), st.lists(_legal, min_size=1, max_size=8))
_batch = st.lists(_action | st.just(-1), min_size=4, max_size=4) | arrays | st.lists(_odd, max_size=5)
batch_actions = st.lists(sometimes(st.just("legal"), _batch), min_size=1, max_size=6)


@cache
def _fixed_env(kind: str) -> Any:
    if kind == "batch":
        return BatchEnv(4, "one_deck", seed=0)
    if kind == "seats":
        return SeatVectorEnv(4, RandomPlayer(), rules="one_deck", illegal_actions="raise")
    if kind == "plays batch":
        return PlayBatchEnv(4, "one_deck", seed=0)
    if kind.startswith("plays "):
        return PlaySeatEnv(RandomPlayer(), rules="one_deck", illegal_actions=kind.removeprefix("plays "))
    if kind in ("raw", "wrapped"):
        return (shengji_v0.raw_env if kind == "raw" else shengji_v0.env)(rules="one_deck")
    return SeatEnv(RandomPlayer(), rules="one_deck", illegal_actions=kind)


def act_aec(case: tuple[str, list[Any]]) -> None:
    """Take actions at the AEC environment; a refused one changes nothing."""
    kind, actions = case
    env = _fixed_env(kind)
    env.reset(seed=0)
    for action in actions:
        before = env.unwrapped.states.tobytes()
        legal = int(np.flatnonzero(env.last()[0]["action_mask"])[0])
        try:
            env.step(legal if isinstance(action, str) and action == "legal" else action)
        except Exception:
            assert env.unwrapped.states.tobytes() == before
            raise


def act_single(case: tuple[str, list[Any]]) -> None:
    """Take actions at the Gymnasium environment."""
    kind, actions = case
    env = _fixed_env(kind)
    env.reset(seed=0)
    for action in actions:
        if env.step(action)[2]:
            env.reset()


def act_plays(case: tuple[str, list[Any]]) -> None:
    """Take actions at the Gymnasium environment of whole plays."""
    kind, actions = case
    act_single((f"plays {kind}", actions))


def act_seats(case: list[Any]) -> None:
    """Take actions at all tables of the vector environment; refused ones change nothing."""
    act_batch(case, "seats")


def act_plays_batch(case: list[Any]) -> None:
    """Make whole plays at all tables; refused ones change nothing."""
    act_batch(case, "plays batch")


def act_batch(case: list[Any], kind: str = "batch") -> None:
    """Take actions at all tables; refused ones change nothing."""
    env = _fixed_env(kind)
    env.reset(seed=0)
    for actions in case:
        before = env.states.tobytes()
        try:
            env.step(env.sample_actions() if isinstance(actions, str) and actions == "legal" else actions)
        except Exception:
            assert env.states.tobytes() == before
            raise


def prepare() -> None:
    """Compile and load what environments call."""
    for kind in ("raw", "wrapped", "replace", "raise", "batch", "seats", "plays batch", "plays raise"):
        _fixed_env(kind)
