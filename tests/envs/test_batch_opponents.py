"""Players in some seats of the batch environment: what they do is what they do when the caller plays for them."""

import copy
import pickle
from collections import deque

import numpy as np
import pytest

from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players import as_player
from shengji_env.players.decisions import Decisions, num_plays
from shengji_env.players.player import Adapter
from shengji_env.vector import BatchEnv

SIZE = 6
KINDS = [
    ({1: "greedy", 3: "greedy"}, {}),
    ({0: "random", 1: "heuristic", 3: "greedy"}, {"rules": "one_deck", "shaping": "trick_points", "start": "any"}),
    ({0: "asked", 2: "random"}, {"rules": "one_deck", "history": 3, "record": True}),
    ({2: "asked", 3: "heuristic"}, {"rules": "one_deck(match_end=rounds, match_rounds=2)", "episode": "match"}),
    ({1: "search:2", 2: "greedy", 3: "greedy"}, {"rules": "one_deck_45", "skip_forced": True}),
    ({0: "greedy", 1: "greedy", 2: "greedy"}, {"rules": "small_two_ranks", "skip_forced": True}),
]
SHOWN = ("observation", "action_mask", "seat", "phase", "ply", "result", "states")


def player(name):
    return Adapter(as_player("greedy")) if name == "asked" else as_player(name)


def play_for(env, players, actions):
    """Step a batch environment without opponents, and for them; return rewards and ends."""
    reward, ended = np.zeros((SIZE, 4), np.float32), np.zeros(SIZE, bool)
    while True:
        env.step(actions)
        reward += env.reward
        ended |= env.terminated
        rows = np.flatnonzero(np.isin(env.seat, list(players)))
        if not len(rows):
            return reward, ended
        actions = np.full(SIZE, -1)
        for seat, at_it in players.items():
            its = rows[env.seat[rows] == seat]
            if len(its):
                actions[its] = at_it.decide(Decisions.at(env.tables, its))


def shown(env):
    return [getattr(env, name).tobytes() for name in SHOWN]


@pytest.mark.parametrize(("opponents", "settings"), KINDS, ids=str)
def test_opponents_play_as_when_the_caller_plays_for_them(opponents, settings):
    players = {seat: player(name) for seat, name in opponents.items()}
    env = BatchEnv(SIZE, seed=4, opponents=players, **settings)
    # A player that searches reads the plays that its table keeps.
    kept = {"history": num_plays(rule_set(settings["rules"]))} if "search:2" in opponents.values() else {}
    other = BatchEnv(SIZE, seed=4, **{**settings, **kept})
    play_for(other, players, np.full(SIZE, -1))
    rng, ended = np.random.default_rng(0), 0
    for _ in range(150):
        assert not np.isin(env.seat, list(players)).any()
        assert shown(env) == shown(other)
        actions = np.where(rng.random(SIZE) < 0.9, env.sample_actions(), -1)
        reward, is_over = play_for(other, players, actions)
        env.step(actions)
        np.testing.assert_allclose(env.reward, reward, atol=1e-6)
        assert (env.terminated == is_over).all()
        ended += int(is_over.sum())
    assert ended > 0
    history = settings.get("history", 0)
    assert env.history.shape == (SIZE, history, 55)
    if history:
        assert env.history.tobytes() == other.history.tobytes()
        assert env.tables.logs.tobytes() == other.tables.logs.tobytes()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_and_snapshots_go_on_as_the_original(duplicate):
    opponents = {1: "greedy", 3: "heuristic"}
    env = BatchEnv(SIZE, "one_deck", seed=9, opponents=opponents)
    for _ in range(20):
        env.step(env.sample_actions())
    others = [duplicate(env), BatchEnv(SIZE, "one_deck", seed=1, opponents=opponents)]
    others[1].load(env.save())
    for _ in range(20):
        actions = env.sample_actions().copy()
        for one in (env, *others):
            one.step(actions)
            assert shown(one) == shown(env)


def test_opponents_play_on_after_loading_where_it_is_their_turn():
    alone = BatchEnv(SIZE, "one_deck", seed=9)
    while not (alone.seat == 1).any():
        alone.step(alone.sample_actions())
    env = BatchEnv(SIZE, "one_deck", seed=1, opponents={1: "random"})
    env.load(alone.save())
    assert (env.seat != 1).all()
    at_others = alone.seat != 1
    assert env.states[at_others].tobytes() == alone.states[at_others].tobytes()
    assert env.seed == 9


def test_a_player_that_answers_wrongly_stops_all_tables():
    class Wrong:
        def act(self, observation, action_mask, key):
            return np.full(len(key), 82) if is_wrong else action_mask.argmax(axis=1)

    is_wrong = False
    env = BatchEnv(SIZE, "one_deck", seed=0, opponents={1: Wrong()})
    while not (env.phase >= Phase.LEAD).all():
        env.step(np.where(env.phase >= Phase.LEAD, -1, env.action_mask.argmax(axis=1)))
    is_wrong = True
    with pytest.raises(PlayerError, match="answered illegally"):
        deque((env.step(env.sample_actions()) for _ in range(30)), maxlen=0)
    with pytest.raises(ShengjiError, match="call reset"):
        env.step(env.sample_actions())
    is_wrong = False
    env.reset(seed=3)
    env.step(env.sample_actions())


@pytest.mark.parametrize(
    ("opponents", "settings", "message"),
    [
        ("greedy", {}, "must name players by seat"),
        ([], {}, "must name players by seat"),
        ("", {}, "must name players by seat"),
        (dict.fromkeys(range(4), "greedy"), {}, "leave out the seats"),
        ({4: "greedy"}, {}, "seat of opponents"),
        ({1: "gready"}, {}, "gready"),
        ({1: "human"}, {}, "a person plays at one table"),
        ({1: "greedy"}, {"threads": 2}, "one thread"),
    ],
    ids=str,
)
def test_wrong_opponents_are_refused(opponents, settings, message):
    with pytest.raises(ShengjiError, match=message):
        BatchEnv(2, opponents=opponents, **settings)
