"""The single-agent environment: Gymnasium's and Stable-Baselines3's checks, opponents, illegal actions."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import shengji_env
from shengji_env import shengji_v0
from shengji_env.arena import make_player
from shengji_env.envs.seat import SeatEnv
from shengji_env.errors import IllegalActionError, PlayerError, ShengjiError
from shengji_env.players import Decisions
from shengji_env.support.arguments import DTYPES

RANDOM = make_player("random")


def play_round(env, rng, seed=None):
    """One round of random legal actions; returns the rewards and the last info."""
    env.reset(seed=seed)
    rewards, terminated, info = [], False, {}
    while not terminated:
        action = int(rng.choice(np.flatnonzero(env.unwrapped.action_masks())))
        _, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        rewards.append(reward)
    return rewards, info


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rules": "one_deck", "seat": None},
        {"start": "first", "skip_forced": True},
        *[{"dtype": dtype} for dtype in DTYPES],
    ],
)
@pytest.mark.filterwarnings("error")
def test_gymnasium_checks_it(options):
    env = gymnasium.make(shengji_env.GYMNASIUM_ID, opponents="greedy", **options)
    with np.errstate(all="raise"):
        check_env(env.unwrapped)


@pytest.mark.filterwarnings("error")
def test_gymnasium_checks_its_rendering():
    check_env(gymnasium.make(shengji_env.GYMNASIUM_ID, opponents="random", render_mode="ansi").unwrapped)


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_stable_baselines_checks_it(dtype):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    checker.check_env(SeatEnv(RANDOM, dtype=dtype))


def test_stable_baselines_makes_it_by_name():
    pytest.importorskip("sb3_contrib")
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env(shengji_env.GYMNASIUM_ID, n_envs=2, env_kwargs={"opponents": "random"})
    envs.reset()
    assert np.stack(envs.env_method("action_masks")).shape == (2, 83)
    learner = MaskablePPO("MlpPolicy", shengji_env.GYMNASIUM_ID, n_steps=32, batch_size=32, n_epochs=1, device="cpu")
    learner.learn(64)
    assert learner.num_timesteps == 64


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasium_makes_many_by_name(mode):
    """Legal and illegal actions, over the end of rounds: infos of other types would not stack."""
    envs = gymnasium.make_vec(
        shengji_env.GYMNASIUM_ID, num_envs=16, vectorization_mode=mode, opponents="random", rules="one_deck_45"
    )
    _, infos = envs.reset(seed=5)
    assert (infos["action_mask"] == np.stack(envs.call("action_masks"))).all()
    results = {}
    rng = np.random.default_rng(5)
    for step in range(160):
        masks = infos["action_mask"]
        assert (masks.dtype, masks.shape) == (np.int8, (16, 83))
        legal = (masks * rng.random(masks.shape)).argmax(1)
        _, _, terminated, _, infos = envs.step(rng.integers(83, size=16) if step % 3 == 0 else legal)
        assert not infos["action_mask"][terminated].any()
        if step % 3 == 0:
            assert infos["replaced"].dtype == np.int64
        for name, values in infos.get("result", {}).items():
            if not name.startswith("_"):
                results.setdefault(name, []).append(values[terminated])
    envs.close()
    results = {name: np.concatenate(values) for name, values in results.items()}
    for name in ("declarer", "next_declarer", "match_winner", "attackers_points", "levels"):
        assert results[name].dtype == np.int64
    assert results["match_over"].dtype == np.bool_
    assert set(results["match_winner"]) <= {-1, 0, 1}
    assert set(results["winner"]) == {"declarers", "attackers", "draw"}
    assert ((results["next_declarer"] == -1) == (results["winner"] == "draw")).all()
    assert all(len(levels) == 2 for levels in results["new_levels"])


def test_maskable_ppo_finds_the_masks():
    masking = pytest.importorskip("sb3_contrib.common.maskable.utils")
    env = gymnasium.make(shengji_env.GYMNASIUM_ID, opponents="random")
    env.reset(seed=1)
    assert masking.is_masking_supported(env)
    masks = masking.get_action_masks(env)
    assert masks.shape == (83,)
    assert masks.dtype == np.bool_


@pytest.mark.parametrize("illegal_actions", ["replace", "raise"])
def test_the_mask_comes_in_every_info_and_through_every_wrapper(illegal_actions):
    env = gymnasium.make(shengji_env.GYMNASIUM_ID, opponents="random", illegal_actions=illegal_actions)
    wrapped = gymnasium.wrappers.RecordEpisodeStatistics(env)
    _, info = wrapped.reset(seed=2)
    terminated = False
    while not terminated:
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        assert (mask == wrapped.get_wrapper_attr("action_masks")()).all()
        kept = mask.copy()
        _, _, terminated, _, info = wrapped.step(wrapped.action_space.sample(mask))
        assert (mask == kept).all()
    assert info["action_mask"].shape == (83,)
    assert not info["action_mask"].any()


@pytest.mark.parametrize("dtype", ["float32", np.float64, np.dtype(">i4")])
def test_another_type_of_observation_has_the_same_values(dtype):
    envs = SeatEnv(RANDOM, dtype=dtype), SeatEnv(RANDOM)
    rng = np.random.default_rng(6)
    (observation, _), (same, info) = (env.reset(seed=6) for env in envs)
    terminated = False
    while not terminated:
        assert observation.dtype == np.dtype(dtype).newbyteorder("=") == envs[0].observation_space.dtype
        assert (observation == same).all()
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        (observation, *_), (same, _, terminated, _, info) = (env.step(action) for env in envs)
    assert observation in envs[0].observation_space
    assert (observation == same).all()


def test_rewards_are_those_of_the_seat():
    rng = np.random.default_rng(1)
    for seat in range(4):
        env = SeatEnv(RANDOM, seat=seat)
        for seed in range(3):
            rewards, info = play_round(env, rng, seed)
            result = info["result"]
            side = {"attackers": 1, "declarers": -1, "draw": 0}[result["winner"]]
            sign = side if (seat - result["declarer"]) % 2 else -side
            assert set(rewards[:-1]) <= {0.0}
            assert rewards[-1] == sign * result["levels_nominal"]


def test_shaping_rewards_of_others_plays_are_not_lost():
    rng = np.random.default_rng(2)
    for seed in range(4):
        rewards, info = play_round(SeatEnv(RANDOM, reward="points", shaping="trick_points"), rng, seed)
        result = info["result"]
        sign = 1 if result["declarer"] % 2 else -1
        points = result["attackers_points"]
        assert sum(rewards) == pytest.approx(sign * ((points - 80) / 200 + points / 200), abs=1e-5)


def decide_as_random(aec):
    return int(RANDOM.decide(Decisions.at(aec.tables, np.zeros(1, np.int64)))[0])


def test_it_is_the_aec_environment_with_players_in_the_other_seats():
    single = SeatEnv(RANDOM, seat=2, start="first")
    aec = shengji_v0.raw_env()
    rng = np.random.default_rng(3)
    observation, _ = single.reset(seed=9)
    aec.reset(seed=9)
    terminated = False
    while not terminated:
        while aec.agent_selection != "player_2":
            aec.step(decide_as_random(aec))
        assert aec.last()[0]["observation"].tobytes() == observation.tobytes()
        action = int(rng.choice(np.flatnonzero(single.action_masks())))
        observation, _, terminated, _, _ = single.step(action)
        aec.step(action)
    while not aec.terminations["player_0"]:
        aec.step(decide_as_random(aec))
    assert aec.observe("player_2")["observation"].tobytes() == observation.tobytes()


def test_illegal_actions_are_replaced_or_raise():
    env = SeatEnv(RANDOM)
    env.reset(seed=4)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    _, _, _, _, info = env.step(illegal)
    assert info["replaced"] == illegal
    strict = SeatEnv(RANDOM, illegal_actions="raise")
    strict.reset(seed=4)
    before = strict._table.tables.states.tobytes()
    with pytest.raises(IllegalActionError):
        strict.step(illegal)
    assert strict._table.tables.states.tobytes() == before


def test_an_agent_never_sees_a_round_that_has_not_begun():
    env = SeatEnv(RANDOM)
    with pytest.raises(ShengjiError, match="call reset"):
        env.step(0)
    play_round(env, np.random.default_rng(5))
    with pytest.raises(ShengjiError, match="call reset"):
        env.step(0)


class Stubborn:
    """Answers 81 whatever it is asked."""

    name = "stubborn"

    def act(self, observation, action_mask, key):
        return np.full(len(observation), 81)


def test_opponents_may_be_one_or_three_and_must_play_legally():
    gymnasium.make(shengji_env.GYMNASIUM_ID, opponents=["random", "greedy", RANDOM]).reset(seed=1)
    with pytest.raises(PlayerError, match="one player or three"):
        SeatEnv([RANDOM, RANDOM])
    assert [player.name for player in SeatEnv("greedy").opponents] == ["greedy"] * 3
    with pytest.raises(PlayerError, match="no method `act`"):
        SeatEnv([RANDOM, RANDOM, 3])
    with pytest.raises(PlayerError, match="no player is called 'clever'"):
        gymnasium.make(shengji_env.GYMNASIUM_ID, opponents="clever")
    with pytest.raises(PlayerError, match="answered illegally"):
        play_round(SeatEnv(Stubborn()), np.random.default_rng(6), seed=1)
