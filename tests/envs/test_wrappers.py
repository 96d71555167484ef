"""The AEC environment under PettingZoo's wrappers and conversions, and under SuperSuit's where that is installed."""

import importlib
import warnings

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from shengji_env import shengji_v0
from shengji_env.errors import IllegalActionError

ODD = [82, 83, -1, 10**30, None, "54", 1.0, [54], np.array([54])]
"""Actions that the first decision of seed 1 does not allow, and things that are no actions."""


def legal(env):
    """The first legal action of the agent to move."""
    return int(np.flatnonzero(env.unwrapped.observe(env.agent_selection)["action_mask"])[0])


def play(env, decisions=40):
    """Make some first legal actions; returns the last observation."""
    env.reset(seed=1)
    for _ in range(decisions):
        env.step(legal(env))
    return env.last()[0]


# ---- PettingZoo


@pytest.mark.parametrize("action", ODD, ids=repr)
def test_an_illegal_action_through_the_wrapper_says_the_same(action):
    said = []
    for make in (shengji_v0.raw_env, shengji_v0.env):
        env = make()
        env.reset(seed=1)
        before = env.unwrapped.states.tobytes()
        with pytest.raises(IllegalActionError) as raised:
            env.step(action)
        said.append((str(raised.value), env.unwrapped.states.tobytes() == before))
    assert said[0] == said[1]
    assert said[0][1]


def test_checks_of_bounds_leave_illegal_actions_to_the_environment():
    env = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(shengji_v0.raw_env()))
    raw = shengji_v0.raw_env()
    said = []
    for each in (env, raw):
        each.reset(seed=1)
        with pytest.raises(IllegalActionError) as raised:
            each.step(81)
        said.append(str(raised.value))
    assert said[0] == said[1]
    with pytest.raises(AssertionError):
        env.step(83)


def test_an_illegal_action_may_end_the_episode_instead():
    env = TerminateIllegalWrapper(shengji_v0.env(), illegal_reward=-1)
    env.reset(seed=1)
    mover = env.agent_selection
    env.last()
    env.step(81)
    ends = {}
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        assert terminated
        assert truncated
        ends[agent] = reward
        env.step(None)
    assert ends == {agent: -1.0 if agent == mover else 0 for agent in env.possible_agents}
    play(env)


@pytest.mark.parametrize("episode", ["round", "match"])
def test_as_a_parallel_environment_it_plays_the_same(episode):
    """Only the agent to move acts; what the others hand in is ignored."""
    arguments = {"rules": "one_deck(match_end=rounds, match_rounds=2)", "episode": episode}
    env, parallel = shengji_v0.env(**arguments), turn_based_aec_to_parallel(shengji_v0.env(**arguments))
    env.reset(seed=2)
    seen, _ = parallel.reset(seed=2)
    totals = dict.fromkeys(parallel.possible_agents, 0.0)
    while parallel.agents:
        mover = env.agent_selection
        assert [agent for agent in seen if seen[agent]["action_mask"].any()] == [mover]
        assert all(
            seen[agent]["observation"].tobytes() == env.observe(agent)["observation"].tobytes() for agent in seen
        )
        action = legal(env)
        env.step(action)
        seen, rewards, terminations, _, infos = parallel.step(dict.fromkeys(parallel.agents, action))
        totals = {agent: totals[agent] + rewards[agent] for agent in totals}
        if not all(terminations.values()):
            assert {infos[agent]["active_agent"] for agent in parallel.agents} == {env.agent_selection}
    assert all(env.terminations.values())
    assert totals["player_0"] == totals["player_2"] == -totals["player_1"] == -totals["player_3"]
    assert "result" in infos["player_0"]


def test_pettingzoo_checks_it_as_a_parallel_environment(capsys):
    parallel_api_test(turn_based_aec_to_parallel(shengji_v0.env(rules="one_deck")), num_cycles=200)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("make", [shengji_v0.raw_env, shengji_v0.env])
def test_only_reset_takes_a_seed(make):
    """PettingZoo once had a method `seed`. Libraries still try it, and go on to `reset` if there is none."""
    env = make()
    assert not hasattr(env, "seed")
    assert env.unwrapped.seed_in_use is None
    env.reset()
    again = make()
    again.reset(seed=env.unwrapped.seed_in_use)
    assert again.unwrapped.states.tobytes() == env.unwrapped.states.tobytes()


# ---- SuperSuit

BOX_ONLY = {
    "dtype_v0": (np.float32,), "flatten_v0": (), "normalize_obs_v0": (), "reshape_v0": ((5, 280),),
    "frame_stack_v1": (3,), "agent_indicator_v0": (), "pad_observations_v0": (),
}  # fmt: skip


@pytest.fixture(name="supersuit")
def import_supersuit():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # old spellings of its dependencies
        return importlib.import_module("supersuit")


def test_supersuit_changes_rewards_actions_and_observations(supersuit):
    env = supersuit.clip_reward_v0(shengji_v0.env(rules="one_deck"))
    env = supersuit.reward_lambda_v0(env, lambda reward: reward / 2)
    env = supersuit.pad_action_space_v0(supersuit.action_lambda_v1(env, lambda action, _: action, lambda space: space))
    halved = lambda seen, _: {**seen, "observation": seen["observation"].astype(np.float32) / 2}  # noqa: E731
    env = supersuit.observation_lambda_v0(env, halved, lambda space: space)
    plain = shengji_v0.env(rules="one_deck")
    assert (play(env)["observation"] * 2 == play(plain)["observation"]).all()
    while not env.terminations[env.agent_selection]:
        env.step(legal(env))
    won = env.unwrapped.rewards[env.agent_selection]
    assert abs(won) >= 1
    assert env.last()[1] == np.sign(won) / 2


@pytest.mark.parametrize("name", BOX_ONLY)
def test_supersuits_wrappers_for_boxes_take_the_vector_alone(supersuit, name):
    wrap, arguments = getattr(supersuit, name), BOX_ONLY[name]
    env = shengji_v0.env(rules="one_deck", dtype="float32")
    vector = supersuit.observation_lambda_v0(
        env, lambda seen, _: seen["observation"], lambda space: space["observation"]
    )
    wrapped = wrap(vector, *arguments)
    assert np.asarray(play(wrapped)).size >= 1400
