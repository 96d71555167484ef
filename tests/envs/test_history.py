"""The history of plays shows what was played, relative to the observing seat, equally in every environment."""

import copy
import pickle

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from shengji_env import shengji_v0
from shengji_env.engine.slots import slot_of_card
from shengji_env.errors import PlayerError, ShengjiError
from shengji_env.players import Decisions, num_plays
from shengji_env.records.writing import finished_round
from shengji_env.tables.history import PLAY_SIZE
from shengji_env.tables.observation import view
from shengji_env.vector import BatchEnv
from tests.helpers import oracle
from tests.helpers.make_playthroughs import failed_throw

ALL = 220
"""More plays than any round has."""
WORLDS = ["two_deck", "two_deck(failed_throw=next_seat_chooses)", "one_deck_45", "competition", "three_deck"]


def by_seat(history):
    """Cards played by each seat, self first, shape (N, 4, 54)."""
    who = history[..., :1] == np.arange(1, 5)
    return np.einsum("nkp,nks->nps", who.astype(np.int64), history[..., 1:].astype(np.int64))


def plays_of(record):
    """Seats and counts by slot of a record's plays, in order."""
    trump = oracle.Trump(None if record["trump"] == "NT" else "CDHS".index(record["trump"]), 0)
    suit, level = 4 if trump.suit is None else trump.suit, oracle.RANKS.index(record["level_rank"])
    led = iter(record["tricks"])
    plays = []
    for decision in record["decisions"]:
        trick = next(led) if "lead" in decision else None
        text = trick["led"] if trick else decision.get("follow")
        if text is not None:
            slots = [int(slot_of_card(card, suit, level)) for card in oracle.parse(text)]
            plays.append([decision["seat"], *np.bincount(slots, minlength=54).tolist()])
    return plays


@pytest.mark.parametrize("skip_forced", [False, True])
@pytest.mark.parametrize("rules", WORLDS)
def test_it_holds_what_the_observation_says_was_played(rules, skip_forced):
    env = BatchEnv(16, rules, seed=41, start="any", skip_forced=skip_forced, history=ALL)
    ended = 0
    for _ in range(450):
        env.step(env.sample_actions())
        ended += int(env.terminated.sum())
        history = env.history
        assert history.shape == (16, ALL, PLAY_SIZE)
        assert (by_seat(history) == view(env.observation)["played"]).all()
        is_play = history[..., 0] > 0
        assert (np.diff(is_play.astype(int), axis=1) >= 0).all()
        assert (history[..., 1:].any(axis=-1) == is_play).all()
    assert ended > 0


@pytest.mark.parametrize("rules", WORLDS)
@pytest.mark.parametrize("length", [1, 7, ALL])
def test_what_a_player_is_shown_is_what_the_environment_shows(rules, length):
    shown = BatchEnv(16, rules, seed=43, start="any", history=length)
    tables = BatchEnv(16, rules, seed=43, start="any", history=num_plays(shown.rules)).tables
    for _ in range(150):
        seen = Decisions.at(tables, np.arange(16)).history(length)
        assert seen.shape == shown.history.shape
        assert seen.dtype == shown.history.dtype
        assert seen.tobytes() == shown.history.tobytes()
        actions = shown.sample_actions()
        shown.step(actions)
        tables.step(actions)
    assert shown.history.any()


def test_a_history_needs_tables_that_keep_it():
    env = BatchEnv(2, history=3)
    for length, message in ((3, "do not keep all plays of a round"), (0, "length=0 must be"), ("3", "length='3' must")):
        with pytest.raises(PlayerError, match=message):
            Decisions.at(env.tables, np.arange(2)).history(length)
    with pytest.raises(PlayerError, match="observations alone"):
        Decisions(env.observation, env.action_mask).history(3)


@pytest.mark.parametrize("rules", WORLDS)
def test_it_is_the_record_of_the_round(rules):
    env = shengji_v0.raw_env(rules, start="any", history=ALL, record=True)
    failed = 0
    for seed in range(6):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        while not env.terminations[env.agent_selection]:
            env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
        record = finished_round(env)
        failed += failed_throw(record)
        plays = plays_of(record)
        for seat in range(4):
            history = env.observe(f"player_{seat}")["history"]
            assert not history[: -len(plays)].any()
            shown = [[(row[0] - 1 + seat) % 4, *row[1:]] for row in history[-len(plays) :].tolist()]
            assert shown == plays
    assert failed or not env.rules.throws


@pytest.mark.parametrize("world", [{"skip_forced": True}, {"episode": "match", "start": "first"}])
def test_batch_and_aec_show_the_same(world):
    batch = BatchEnv(3, "one_deck", seed=42, history=6, **{"start": "any", **world})
    aec = shengji_v0.raw_env("one_deck", history=6, **{"start": "any", **world})
    aec.reset(seed=42)
    for _ in range(400):
        seen = aec.last()[0]
        assert seen["history"].tobytes() == batch.history[0].tobytes()
        assert seen["observation"].tobytes() == batch.observation[0].tobytes()
        actions = batch.sample_actions()
        aec.step(int(actions[0]))
        batch.step(actions)
        if batch.terminated[0]:
            assert not batch.history[0].any()
            aec.reset()
            assert not aec.last()[0]["history"].any()


def test_fewer_plays_are_the_last_ones_and_none_change_nothing():
    envs = [BatchEnv(4, seed=43, start="any", skip_forced=True, history=size, threads=2) for size in (ALL, 5, 1, 0)]
    for step in range(300):
        actions = envs[0].sample_actions()
        for env in envs:
            env.step(actions)
        if step % 7:
            continue
        longest = envs[0].history
        for env, size in zip(envs, (ALL, 5, 1, 0), strict=True):
            assert (env.history == longest[:, ALL - size :]).all()
            assert env.observation.tobytes() == envs[0].observation.tobytes()
    assert envs[-1].tables.plays.size == 0


def test_it_is_saved_and_copied_with_the_tables():
    env = BatchEnv(3, "one_deck", seed=44, start="any", history=8)
    for _ in range(80):
        env.step(env.sample_actions())
    snapshot, before = env.save(), env.history
    assert before.any()
    branches = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(30):
        env.step(env.sample_actions())
    after = env.history
    assert all((branch.history == before).all() for branch in branches)
    branches[0].reset()
    assert not branches[0].history.any()
    branches[0].load(snapshot)
    for branch in branches:
        for _ in range(30):
            branch.step(branch.sample_actions())
        assert (branch.history == after).all()
    with pytest.raises(ShengjiError, match="another history"):
        BatchEnv(3, "one_deck", seed=44, start="any", history=7).load(snapshot)


def test_a_copy_of_the_aec_environment_has_its_own():
    env = shengji_v0.raw_env("one_deck", start="any", history=8)
    rng = np.random.default_rng(45)
    env.reset(seed=45)
    for _ in range(40):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
    branch = copy.deepcopy(env)
    before = env.last()[0]["history"]
    assert before.any()
    while (branch.last()[0]["history"] == before).all():
        branch.step(int(rng.choice(np.flatnonzero(branch.last()[0]["action_mask"]))))
    assert (env.last()[0]["history"] == before).all()


def test_recording_goes_with_it():
    env = BatchEnv(1, "one_deck", seed=46, start="any", history=4, record=True)
    while not env.terminated[0]:
        env.step(env.sample_actions())
    assert len(plays_of(finished_round(env, 0))) == 4 * len(finished_round(env, 0)["tricks"])


def test_pettingzoo_accepts_it(capsys):
    api_test(shengji_v0.env(rules="one_deck", history=5), num_cycles=150)
    seed_test(lambda: shengji_v0.env(rules="one_deck", history=5), num_cycles=100)


@pytest.mark.parametrize("make", [lambda: shengji_v0.raw_env(history=-1), lambda: BatchEnv(1, history=-1)])
def test_less_than_none_is_refused(make):
    with pytest.raises(ShengjiError, match="history=-1"):
        make()
