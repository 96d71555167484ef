"""Whole plays as actions: the batch and the Gymnasium environment, against players, each other, and misuse."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

import shengji_env
from shengji_env.engine.rule_sets import as_rules
from shengji_env.engine.state import Phase
from shengji_env.envs.plays import PlayBatchEnv, PlaySeatEnv, PlaySeatVectorEnv
from shengji_env.errors import IllegalActionError, ShengjiError
from shengji_env.players import Decisions
from shengji_env.players.candidates import DEFAULT_CANDIDATES, NUM_FEATURES
from shengji_env.players.candidates.candidate_arrays import list_all, make_candidate_scratch, make_candidates
from shengji_env.players.heuristic import HeuristicPlayer
from shengji_env.tables.infos import result_info
from shengji_env.tables.observation import view
from shengji_env.vector import BatchEnv
from tests.envs.test_seat_vector import assert_same, choose
from tests.helpers.hidden_cards import deal_again
from tests.players.test_candidates import Finder

HEURISTIC = HeuristicPlayer()
RULES = ["two_deck", "one_deck_45", "three_deck", "two_deck(throws=False)"]


def rounds_of(env, choose, count):
    """Results and team 0's summed rewards of the first `count` rounds of every table."""
    found = [[] for _ in range(env.num_envs)]
    sums = np.zeros(env.num_envs)
    while min(map(len, found)) < count:
        env.step(choose(env))
        sums += env.reward[:, 0]
        for table in np.flatnonzero(env.terminated):
            found[table].append((result_info(env.result[table]), round(float(sums[table]), 4)))
            sums[table] = 0
    return [rounds[:count] for rounds in found]


def first(env):
    return np.zeros(env.num_envs, np.int64)


def by_heuristic(env):
    return HEURISTIC.decide(Decisions.at(env.tables, np.arange(env.num_envs)))


# ---- the batch environment


@pytest.mark.parametrize("rules", RULES)
def test_first_candidates_are_the_heuristic_players_rounds(rules):
    arguments = {"seed": 4, "start": "any", "shaping": "trick_points"}
    expected = rounds_of(BatchEnv(4, rules, **arguments), by_heuristic, 2)
    assert rounds_of(PlayBatchEnv(4, rules, **arguments), first, 2) == expected
    assert rounds_of(PlayBatchEnv(4, rules, skip_forced=True, **arguments), first, 2) == expected


@pytest.mark.parametrize(("rules", "most"), [("two_deck", DEFAULT_CANDIDATES), ("four_deck", 6), ("one_deck", 96)])
def test_candidates_are_those_of_the_decision(rules, most):
    env, find, seen = PlayBatchEnv(3, rules, seed=2, start="any", candidates=most), Finder(rules, most), set()
    for _ in range(120):
        for row in range(env.num_envs):
            actions, cards, features, observation = find(env.states[row : row + 1])
            number = len(actions)
            assert env.action_mask[row].tolist() == [1] * number + [0] * (most - number)
            assert env.actions[row, :number].tolist() == actions.tolist()
            assert env.cards[row, :number].tobytes() == cards.tobytes()
            assert env.features[row, :number].tobytes() == features.tobytes()
            for array in (env.actions, env.cards, env.features):
                assert not array[row, number:].any()
            here = view(env.observation[row : row + 1].copy())[0]
            assert (
                here["hand"].tobytes()
                == np.frombuffer(observation, env.tables.tables.observations.dtype)["hand"].tobytes()
            )
            seen.add(int(env.phase[row]))
        env.step(env.sample_actions())
    assert {Phase.BURY, Phase.LEAD, Phase.FOLLOW} <= seen


def test_without_forced_decisions_every_step_is_a_choice():
    env, forced = PlayBatchEnv(8, seed=3, start="any", skip_forced=True), PlayBatchEnv(8, seed=3, start="any")
    numbers = set()
    for _ in range(150):
        assert (env.action_mask.sum(axis=1) > 1).all()
        numbers |= set(forced.action_mask.sum(axis=1).tolist())
        for each in (env, forced):
            each.step(each.sample_actions())
    assert 1 in numbers


@pytest.mark.parametrize("rules", ["two_deck", "three_deck"])
def test_worlds_that_look_the_same_have_the_same_candidates(rules):
    env, rng = PlayBatchEnv(4, rules, seed=5, start="any"), np.random.default_rng(1)
    candidates = make_candidates(1, DEFAULT_CANDIDATES)
    candidate_scratch, changed = make_candidate_scratch(env.rules, candidates), 0
    for _ in range(60):
        for row in range(env.num_envs):
            world = deal_again(env.states[row : row + 1], int(env.seat[row]), as_rules(rules), rng)
            changed += world.tobytes() != env.states[row : row + 1].tobytes()
            list_all(world, candidate_scratch, candidates)
            here = (env.action_mask, env.actions, env.cards, env.features)
            assert all(mine[0].tobytes() == array[row].tobytes() for mine, array in zip(candidates, here, strict=True))
        env.step(env.sample_actions())
    assert changed > 100


def test_a_table_may_stand_still_and_a_wrong_candidate_moves_none():
    env = PlayBatchEnv(3, seed=1)
    before = env.states.copy()
    env.step([-1, 0, -1])
    assert [before[row].tobytes() == env.states[row].tobytes() for row in range(3)] == [True, False, True]
    before, number = env.states.copy(), int(env.action_mask[1].sum())
    for wrong in (number, DEFAULT_CANDIDATES, -2, 2**62):
        with pytest.raises(IllegalActionError, match=rf"candidate {wrong}.*has {number} candidates \(table 1\)"):
            env.step([0, wrong, 0])
    for wrong in ([0, 0], [0.0, 0, 0], "no"):
        with pytest.raises(ShengjiError):
            env.step(wrong)
    assert env.states.tobytes() == before.tobytes()


def test_snapshots_copies_and_resets_are_exact():
    env = PlayBatchEnv(4, seed=6, start="any", skip_forced=True, record=True)
    for _ in range(30):
        env.step(env.sample_actions())
    other = PlayBatchEnv(4, seed=7, start="any", skip_forced=True, record=True)
    other.load(env.save())
    copies = [other, copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(60):
        for each in (env, *copies):
            each.step(each.sample_actions())
    for each in copies:
        assert each.states.tobytes() == env.states.tobytes()
        assert each.features.tobytes() == env.features.tobytes()
    env.reset(6)
    again = PlayBatchEnv(4, seed=6, start="any", skip_forced=True, record=True)
    assert env.cards.tobytes() == again.cards.tobytes()


def test_snapshots_of_plays_that_have_begun_are_refused():
    cards = BatchEnv(1, seed=1, start="any")
    while cards.states["taken_size"][0] == 0:
        cards.step(cards.sample_actions())
    env = PlayBatchEnv(1, seed=1, start="any")
    before = env.states.tobytes()
    with pytest.raises(ShengjiError, match="in the middle of a play"):
        env.load(cards.save())
    assert env.states.tobytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"candidates": 1}, "candidates=1"), ({"skip_forced": 1}, "skip_forced"), ({"rules": "no"}, "no")],
)
def test_wrong_arguments_are_refused(arguments, message):
    for make in (lambda: PlayBatchEnv(1, **arguments), lambda: PlaySeatEnv("random", **arguments)):
        with pytest.raises(ShengjiError, match=message):
            make()


def test_all_bids_are_candidates_if_there_is_room():
    """With the default, bids beyond the tenth are left out: with two decks they are two at most, and rare."""
    env, cards = (kind(64, seed=8, start="any") for kind in (PlayBatchEnv, BatchEnv))
    assert env.states.tobytes() == cards.states.tobytes()
    assert (cards.phase == Phase.BID).any()
    rows = cards.phase == Phase.BID
    legal = np.minimum(cards.action_mask[rows].sum(axis=1), DEFAULT_CANDIDATES)
    assert (env.action_mask[rows].sum(axis=1) == legal).all()


# ---- the Gymnasium environment


@pytest.mark.parametrize(
    "options",
    [{}, {"rules": "one_deck", "seat": None}, {"skip_forced": True, "candidates": 4}, {"dtype": "float32"}],
)
@pytest.mark.filterwarnings("error")
def test_gymnasium_checks_it(options):
    env = gymnasium.make(shengji_env.PLAYS_ID, opponents="greedy", **options)
    check_env(env.unwrapped)


@pytest.mark.filterwarnings("error")
def test_gymnasium_checks_its_rendering():
    check_env(gymnasium.make(shengji_env.PLAYS_ID, opponents="random", render_mode="ansi").unwrapped)


def test_stable_baselines_makes_it_by_name_and_learns_on_it():
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env(shengji_env.PLAYS_ID, n_envs=2, env_kwargs={"opponents": "random"})
    envs.reset()
    assert np.stack(envs.env_method("action_masks")).shape == (2, DEFAULT_CANDIDATES)
    learner = MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=32, n_epochs=1, device="cpu")
    learner.learn(64)
    assert learner.num_timesteps == 64


def test_gymnasium_vectorises_single_environments():
    envs = gymnasium.make_vec(shengji_env.PLAYS_ID, 3, vectorization_mode="sync", opponents="random", rules="one_deck")
    seen, infos = envs.reset(seed=5)
    rng, replaced = np.random.default_rng(5), 0
    for _ in range(60):
        assert (infos["action_mask"] == seen["action_mask"]).all()
        assert seen["features"].shape == (3, DEFAULT_CANDIDATES, NUM_FEATURES)
        seen, _, _, _, infos = envs.step(rng.integers(DEFAULT_CANDIDATES, size=3))
        replaced += int(infos.get("_replaced", np.zeros(3)).sum())
    assert replaced > 0
    envs.close()


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize("skip_forced", [False, True])
def test_one_seat_among_heuristic_players_plays_the_batchs_round(seat, skip_forced):
    batch = PlayBatchEnv(1, seed=9, start="any", shaping="trick_points", skip_forced=skip_forced)
    single = PlaySeatEnv(HEURISTIC, seat=seat, shaping="trick_points", skip_forced=skip_forced)
    seen, info = single.reset(seed=9)
    ended, total = False, 0.0
    while not ended:
        while batch.seat[0] != seat:
            batch.step([0])
        assert seen["observation"].tobytes() == batch.observation[0].tobytes()
        for name, array in (("cards", batch.cards), ("features", batch.features), ("action_mask", batch.action_mask)):
            assert seen[name].tobytes() == array[0].tobytes()
        assert (info["action_mask"] == seen["action_mask"]).all()
        assert (single.action_masks() == seen["action_mask"]).all()
        choice = int(seen["action_mask"].sum()) - 1
        seen, reward, ended, truncated, info = single.step(choice)
        assert not truncated
        total += reward
        batch.step([choice])
    while not batch.terminated[0]:
        batch.step([0])
    assert info["result"] == result_info(batch.result[0])
    assert not seen["action_mask"].any()
    assert not single.action_masks().any()
    assert total != 0


def test_a_candidate_that_there_is_not_is_replaced_or_raises():
    env = PlaySeatEnv("random")
    _, info = env.reset(seed=4)
    wrong = int(info["action_mask"].sum())
    assert wrong < DEFAULT_CANDIDATES
    assert env.step(wrong)[4]["replaced"] == wrong
    strict = PlaySeatEnv("random", illegal_actions="raise")
    strict.reset(seed=4)
    with pytest.raises(IllegalActionError, match=f"has {wrong} candidates"):
        strict.step(wrong)
    for odd in (DEFAULT_CANDIDATES, -1, 1.5, "0"):
        with pytest.raises(IllegalActionError):
            env.step(odd)


def test_no_play_before_the_round_or_after_it():
    env = PlaySeatEnv("random", rules="one_deck")
    for ask in (lambda: env.step(0), env.action_masks):
        with pytest.raises(ShengjiError, match="call reset"):
            ask()
    env.reset(seed=1)
    while not env.step(0)[2]:
        pass
    with pytest.raises(ShengjiError, match="call reset"):
        env.step(0)


# ---- the vector environment of one seat


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seat": None, "rules": "one_deck", "skip_forced": True, "shaping": "trick_points", "candidates": 4},
        {"rules": "two_deck(throw_penalty=10)", "skip_forced": True, "history": 2, "dtype": "float32"},
        {"rules": "one_deck(match_end=rounds, match_rounds=2)", "episode": "match", "skip_forced": True},
        {"rules": "small_three_ranks", "seat": None, "skip_forced": True},
    ],
    ids=str,
)
def test_many_answer_what_single_environments_answer(options, mode):
    options = {"opponents": "random", **options}
    single = SyncVectorEnv([lambda: PlaySeatEnv(**options)] * 4, autoreset_mode=mode)
    many = PlaySeatVectorEnv(4, autoreset_mode=mode, **options)
    assert many.observation_space == single.observation_space
    rng, ends, over = np.random.default_rng(2), 0, np.zeros(4, np.bool_)
    answers = [env.reset(seed=3) for env in (single, many)]
    assert_same(*answers)
    for step in range(120):
        if mode == AutoresetMode.DISABLED and over.any():
            (seen, _), (same, infos) = (env.reset(options={"reset_mask": over}) for env in (single, many))
            assert_same(seen, same)
        else:
            infos = answers[1][-1]
        actions = choose(rng, infos["action_mask"], step)
        answers = [env.step(actions) for env in (single, many)]
        assert_same(*answers)
        over = answers[1][2]
        ends += over.sum()
    assert ends > 4


def test_gymnasium_makes_many_tables_of_plays_by_name():
    envs = gymnasium.make_vec(shengji_env.PLAYS_ID, num_envs=3, opponents="random", rules="one_deck", skip_forced=True)
    assert isinstance(envs, PlaySeatVectorEnv)
    _, infos = RecordEpisodeStatistics(envs).reset(seed=1)
    rewards = []
    for _ in range(40):
        assert (infos["action_mask"].sum(axis=1) > 1).all()
        _, reward, ended, _, infos = envs.step(envs.sample_actions())
        rewards += reward[ended].tolist()
    assert set(np.abs(rewards)) - {0.0}


def test_a_candidate_that_there_is_not_moves_no_table():
    envs = PlaySeatVectorEnv(2, "random", illegal_actions="raise")
    envs.reset(seed=4)
    wrong, before = int(envs.action_masks()[1].sum()), envs.states.tobytes()
    assert wrong < DEFAULT_CANDIDATES
    with pytest.raises(IllegalActionError, match=rf"candidate {wrong}.*has {wrong} candidates \(table 1\)"):
        envs.step([0, wrong])
    assert envs.states.tobytes() == before
    with pytest.raises(IllegalActionError, match=f"candidate {DEFAULT_CANDIDATES}"):
        envs.step([DEFAULT_CANDIDATES, 0])
    replacing = PlaySeatVectorEnv(2, "random")
    replacing.reset(seed=4)
    assert replacing.step([0, wrong])[4]["replaced"].tolist() == [0, wrong]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"candidates": 1}, "candidates=1"), ({"skip_forced": 1}, "skip_forced"), ({"history": -1}, "history=-1")],
)
def test_wrong_arguments_of_many_are_refused(arguments, message):
    with pytest.raises(ShengjiError, match=message):
        PlaySeatVectorEnv(2, "random", **arguments)
