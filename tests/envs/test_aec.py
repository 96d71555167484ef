"""The AEC environment: PettingZoo's own tests, order and legality, rewards, matches, branches."""

import copy
import itertools
import pickle
import subprocess
import sys

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test

import shengji_env
from shengji_env import shengji_v0
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.state import Phase
from shengji_env.errors import IllegalActionError
from shengji_env.tables.truth import TRUTH_LAYOUT, TRUTH_SIZE, view_truth
from shengji_env.vector import BatchEnv

PETTINGZOO_RULES = ["two_deck", "one_deck", "competition", "duplicate", "three_deck"]


def random_action(env, rng):
    return int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"])))


def play_on(env, rng, steps=10**6):
    """Random legal actions until the episode is over, or for some steps."""
    for _ in range(steps):
        if env.terminations[env.agent_selection]:
            return
        env.step(random_action(env, rng))


@pytest.mark.parametrize("episode", ["round", "match"])
@pytest.mark.parametrize("rules", ["two_deck", "one_deck"])
def test_pettingzoo_api(rules, episode, capsys):
    api_test(shengji_v0.env(rules=rules, episode=episode), num_cycles=150)


def test_pettingzoo_api_without_its_checks_of_order(capsys):
    env = shengji_v0.raw_env(rules="one_deck", render_mode="ansi")
    api_test(env, num_cycles=150)
    env.close()


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64"])
def test_pettingzoo_api_with_another_type_of_observation(dtype, capsys):
    env = shengji_v0.env(rules="one_deck", history=4, dtype=dtype)
    api_test(env, num_cycles=150)
    same = shengji_v0.raw_env("one_deck", history=4)
    env.reset(seed=3)
    same.reset(seed=3)
    rng = np.random.default_rng(3)
    for agent in env.agent_iter():
        seen, expected = env.last()[0], same.last()[0]
        assert seen in env.observation_space(agent)
        assert env.state() in env.unwrapped.state_space
        assert {name: array.dtype.name for name, array in seen.items()} == {
            "observation": dtype, "action_mask": "int8", "history": dtype,
        }  # fmt: skip
        assert all((seen[name] == expected[name]).all() for name in expected)
        assert (env.state() == same.state()).all()
        action = None if env.terminations[agent] else random_action(same, rng)
        env.step(action)
        same.step(action)


@pytest.mark.parametrize("rules", PETTINGZOO_RULES)
def test_pettingzoo_seeds(rules):
    seed_test(lambda: shengji_v0.env(rules=rules, start="any"), num_cycles=100)


def test_pettingzoo_render(capsys):
    render_test(shengji_v0.env)
    assert "升级 Shengji" in capsys.readouterr().out


@pytest.mark.thorough
def test_pettingzoo_performance_benchmark(capsys):
    performance_benchmark(shengji_v0.env())
    assert "turns per second" in capsys.readouterr().out


def test_it_is_found_by_name():
    env = pettingzoo.make("aec", shengji_env.PETTINGZOO_ID, rules="one_deck")
    env.reset(seed=1)
    assert env.unwrapped.rules.preset == "one_deck"
    assert str(env.unwrapped) == "shengji_v0"


def test_importing_the_package_loads_no_heavy_library():
    heavy = ["torch", "matplotlib", "stable_baselines3", "tensorboard", "rich", "starlette", "uvicorn"]
    parts = ("shengji_v0", "vector", "envs.seat", "envs.plays", "render")
    modules = ", ".join(["shengji_env", *(f"shengji_env.{part}" for part in parts)])
    script = f"import sys, {modules}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_only_the_seat_to_move_has_a_mask():
    env = shengji_v0.raw_env(start="any")
    rng = np.random.default_rng(1)
    env.reset(seed=1)
    while not env.terminations[env.agent_selection]:
        for agent in env.agents:
            assert env.observe(agent)["action_mask"].any() == (agent == env.agent_selection)
        env.step(random_action(env, rng))


def test_observations_are_the_callers_own():
    env = shengji_v0.raw_env()
    env.reset(seed=1)
    kept = env.last()[0]
    before = {name: array.copy() for name, array in kept.items()}
    play_on(env, np.random.default_rng(1), steps=50)
    assert all((kept[name] == before[name]).all() for name in kept)


@pytest.mark.parametrize("rules", ["two_deck", "one_deck"])
def test_an_illegal_action_raises_and_changes_nothing(rules):
    env = shengji_v0.raw_env(rules, start="any")
    rng = np.random.default_rng(3)
    env.reset(seed=3)
    tables = env._table.tables
    for ply in range(150):
        if env.terminations[env.agent_selection]:
            env.reset()
        mask = env.last()[0]["action_mask"]
        if ply % 5 == 0:
            before = [array.tobytes() for array in tables.arrays if array is not tables.works]
            agent = env.agent_selection
            for action in [*np.flatnonzero(mask == 0).tolist(), -1, NUM_ACTIONS, 2**70, None, 1.5, "S2"]:
                with pytest.raises(IllegalActionError) as raised:
                    env.step(action)
                assert raised.value.seat == int(agent[-1])
                assert raised.value.phase == Phase(int(env.states["phase"][0])).name
                assert len(raised.value.legal) == mask.sum()
            assert before == [array.tobytes() for array in tables.arrays if array is not tables.works]
            assert env.agent_selection == agent
        env.step(np.int32(random_action(env, rng)) if ply % 2 else random_action(env, rng))


def test_the_message_says_what_is_legal():
    env = shengji_v0.env()
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match=r"seat \d cannot take '77 \(name C\)' in BID: .*legal: 54 \(pass\), "):
        env.step(77)


def test_seeds_of_resets_without_one_go_on_reproducibly():
    def starts(seed):
        env = shengji_v0.raw_env(start="any")
        env.reset(seed=seed)
        deals = [env.states["deal"][0].tobytes()]
        for _ in range(3):
            env.reset()
            deals.append(env.states["deal"][0].tobytes())
        return deals

    assert starts(5) == starts(5)
    assert len(set(starts(5))) == 4
    assert starts(5) != starts(6)
    fresh = [shengji_v0.raw_env() for _ in range(2)]
    for env in fresh:
        env.reset()
    assert fresh[0].seed_in_use != fresh[1].seed_in_use


@pytest.mark.parametrize("reward", ["levels", "points", "win"])
@pytest.mark.parametrize("rules", ["two_deck", "one_deck_45"])
def test_rewards_are_zero_sum_and_those_of_the_result(rules, reward):
    env = shengji_v0.raw_env(rules, reward=reward, start="any")
    rng = np.random.default_rng(4)
    threshold, points = (80, 200) if rules == "two_deck" else (45, 100)
    for seed in range(4):
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            assert set(env.rewards.values()) == {0.0}
            env.step(random_action(env, rng))
        result = env.infos["player_0"]["result"]
        side = {"attackers": 1, "declarers": -1, "draw": 0}[result["winner"]]
        levels = side * result["levels_nominal"]
        worth = {"levels": levels, "points": (result["attackers_points"] - threshold) / points, "win": side}[reward]
        for seat in range(4):
            sign = -1 if seat % 2 == result["declarer"] % 2 else 1
            assert env.rewards[f"player_{seat}"] == pytest.approx(sign * worth, abs=1e-6)
        assert env.last()[1] == env.rewards["player_0"]


def test_shaping_rewards_points_as_they_are_taken():
    env = shengji_v0.raw_env(reward="points", shaping="trick_points", start="any")
    rng = np.random.default_rng(5)
    env.reset(seed=5)
    total = np.zeros(4)
    while not env.terminations[env.agent_selection]:
        points = int(env.states["attackers_points"][0])
        env.step(random_action(env, rng))
        rewards = np.array(list(env.rewards.values()))
        assert rewards[0] == rewards[2] == -rewards[1] == -rewards[3]
        if not env.terminations["player_0"]:
            gain = int(env.states["attackers_points"][0]) - points
            assert abs(rewards[0]) == pytest.approx(abs(gain) / 200, abs=1e-6)
        total += rewards
    result = env.infos["player_0"]["result"]
    attacker = (result["declarer"] + 1) % 4
    points = result["attackers_points"]
    assert total[attacker] == pytest.approx((points - 80) / 200 + points / 200, abs=1e-5)


@pytest.mark.parametrize("reward", ["levels", "points", "win"])
@pytest.mark.parametrize("rules", ["two_deck", "one_deck(throw_penalty=10)", "one_deck_45"])
def test_shaping_by_a_potential_pays_points_and_leaves_the_return_as_it_is(rules, reward):
    plain = BatchEnv(32, rules, seed=8, start="any", reward=reward)
    shaped = BatchEnv(32, rules, seed=8, start="any", reward=reward, shaping="potential")
    total, ended, paid_early = np.zeros((32, 4)), 0, 0
    for _ in range(400):
        actions, points = plain.sample_actions(), plain.states["attackers_points"].astype(int)
        attacks = np.arange(4) % 2 != plain.states["declarer"][:, None] % 2
        plain.step(actions)
        shaped.step(actions)
        gain = (plain.states["attackers_points"] - points)[:, None] / plain.rules.points
        goes_on = ~plain.terminated
        assert shaped.reward[goes_on] == pytest.approx(np.where(attacks, gain, -gain)[goes_on], abs=1e-6)
        paid_early += int((shaped.reward[goes_on] != 0).any(axis=1).sum())
        total += shaped.reward
        over = plain.terminated
        assert total[over] == pytest.approx(plain.reward[over], abs=1e-5)
        total[over] = 0
        ended += int(over.sum())
    assert ended > 50
    assert paid_early > 100


def test_a_match_goes_on_within_the_step_and_rewards_every_round():
    env = shengji_v0.raw_env({"preset": "one_deck", "match_end": "rounds", "match_rounds": 3}, episode="match")
    rng = np.random.default_rng(6)
    env.reset(seed=6)
    results, rewards = [], []
    while not env.terminations[env.agent_selection]:
        levels = env.states["levels"][0].tolist()
        env.step(random_action(env, rng))
        if len(results) < int(env.states["match_round"][0]):
            results.append(env.infos["player_1"]["result"])
            rewards.append(env.rewards["player_1"])
            assert all(after >= before for before, after in zip(levels, env.states["levels"][0].tolist(), strict=True))
        else:
            assert env.rewards["player_1"] == 0
    assert len(results) == 3
    assert [result["match_over"] for result in results] == [False, False, True]
    for before, after in itertools.pairwise(results):
        assert after["declarer"] == before["next_declarer"]
    for result, reward in zip(results, rewards, strict=True):
        assert abs(reward) == result["levels_nominal"]


def test_reward_and_result_wait_for_the_agents_next_decision():
    env = shengji_v0.raw_env("one_deck", episode="match")
    rng = np.random.default_rng(7)
    env.reset(seed=7)
    while not env.infos["player_0"]:
        env.step(random_action(env, rng))
    due = dict(env.rewards)
    for agent in ("player_0", "player_1", "player_2", "player_3"):
        while env.agent_selection != agent and agent in env.agents:
            if env.infos[env.agent_selection]:
                assert env.last()[1] == due[env.agent_selection]
            env.step(random_action(env, rng))
        env.step(random_action(env, rng))
        assert env.infos[agent] == {}
        assert env._cumulative_rewards[agent] == 0


def decisions(skip_forced, episode, rules):
    """What a deterministic policy sees whenever it has a choice."""
    env = shengji_v0.raw_env(rules, episode=episode, skip_forced=skip_forced)
    seen = []
    env.reset(seed=11)
    while not env.terminations[env.agent_selection] and len(seen) < 400:
        observation = env.last()[0]
        legal = np.flatnonzero(observation["action_mask"])
        if len(legal) > 1:
            seen.append(observation["observation"].tobytes())
        env.step(int(legal[int(observation["observation"].sum()) % len(legal)]))
    return seen[:400]


@pytest.mark.parametrize("episode", ["round", "match"])
@pytest.mark.parametrize("rules", ["two_deck", "competition"])
def test_skipping_forced_decisions_changes_none_of_the_others(rules, episode):
    assert decisions(True, episode, rules) == decisions(False, episode, rules)


@pytest.mark.parametrize("copy_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_is_a_branch(copy_of):
    env = shengji_v0.raw_env(start="any")
    rng = np.random.default_rng(8)
    env.reset(seed=8)
    play_on(env, rng, steps=120)
    branch = copy_of(env)
    before = env.states.tobytes()
    other = np.random.default_rng(9)
    play_on(branch, other)
    assert env.states.tobytes() == before
    again = copy_of(env)
    play_on(again, np.random.default_rng(9))
    assert again.states.tobytes() == branch.states.tobytes()
    assert again.rewards == branch.rewards


@pytest.mark.parametrize("rules", PETTINGZOO_RULES)
def test_state_is_the_whole_truth(rules):
    env = shengji_v0.raw_env(rules)
    rng = np.random.default_rng(10)
    env.reset(seed=10)
    decks = env.rules.decks
    while not env.terminations[env.agent_selection]:
        truth = env.state()
        assert truth.shape == (TRUTH_SIZE,) == env.state_space.shape
        assert truth in env.state_space
        part = view_truth(truth)
        everywhere = (
            part["hands"].sum(0) + part["coming"].sum(0) + part["kitty"] + part["buried"] + part["played"].sum(0)
        )
        if env.states["phase"][0] <= Phase.BURY:
            assert (everywhere == decks).all()
        seat = int(env.agent_selection[-1])
        assert part["seat"].tolist() == [int(other == seat) for other in range(4)]
        own = env.last()[0]["observation"]
        assert (part["hands"][seat] == own[:54] + own[54:108]).all()
        env.step(random_action(env, rng))
    assert view_truth(env.state())["seat"].tolist() == [0, 0, 0, 0]
    assert sum(segment.size for segment in TRUTH_LAYOUT) == TRUTH_SIZE


def test_when_the_round_is_over_roles_are_still_its_own():
    env = shengji_v0.raw_env(start="any")
    env.reset(seed=12)
    play_on(env, np.random.default_rng(12))
    declarer = env.infos["player_0"]["result"]["declarer"]
    from shengji_env.tables.observation import view

    for seat in range(4):
        seen = view(env.observe(f"player_{seat}")["observation"])
        assert seen["declarer"].argmax() == (declarer - seat) % 4
        assert seen["buried"].any() == (seat == declarer)
