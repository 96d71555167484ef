"""`SB3VecEnv` is to Stable-Baselines3 what its own `DummyVecEnv` around single environments is, only faster."""

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from shengji_env.envs.seat import SeatEnv
from shengji_env.envs.seat.sb3 import SB3VecEnv
from shengji_env.errors import ShengjiError
from shengji_env.render.picture.raster import can_rasterise

N = 5


def fast(**arguments):
    return SB3VecEnv(gymnasium.make_vec("shengji/Seat-v0", N, **arguments))


def slow(**arguments):
    return DummyVecEnv([lambda: SeatEnv(**arguments)] * N)


def assert_same(one, other):
    if isinstance(other, dict):
        assert one.keys() == other.keys()
        for name in other:
            assert_same(one[name], other[name])
    else:
        np.testing.assert_array_equal(one, other)
        assert np.asarray(one).dtype.kind == np.asarray(other).dtype.kind


def without_masks(info):
    return {name: value for name, value in info.items() if name not in ("action_mask", "TimeLimit.truncated")}


@pytest.mark.parametrize(
    "arguments",
    [
        {"opponents": "random", "rules": "one_deck"},
        {
            "opponents": "greedy",
            "rules": "one_deck_45",
            "skip_forced": True,
            "reward": "points",
            "shaping": "potential",
        },
        {"opponents": "greedy", "rules": "one_deck", "history": 4, "dtype": "float32", "seat": None},
        {"opponents": "random", "rules": "one_deck(match_end=rounds, match_rounds=2)", "episode": "match"},
    ],
)
def test_it_gives_what_single_environments_give(arguments):
    one, other = fast(**arguments), slow(**arguments)
    assert one.observation_space == other.observation_space
    assert one.action_space == other.action_space
    other._seeds = one.seed(6)
    for envs in (one, other):
        envs.set_options({"levels": ["5", "7"]})
    assert_same(one.reset(), other.reset())
    generator, ended = np.random.default_rng(1), 0
    for step in range(150):
        masks = get_action_masks(one)
        assert_same(masks, get_action_masks(other))
        chosen = np.array([generator.choice(np.flatnonzero(mask)) for mask in masks])
        if step == 9:
            chosen[2] = int(np.flatnonzero(~masks[2])[0])  # replaced, and said so
        (*seen, infos), (*expected, wanted) = one.step(chosen), other.step(chosen)
        for found, right in zip(seen, expected, strict=True):
            assert_same(found, right)
        for info, right, done in zip(infos, wanted, seen[2], strict=True):
            assert_same(without_masks(info), without_masks(right))
            assert info.get("TimeLimit.truncated", False) == right["TimeLimit.truncated"]
            assert ("terminal_observation" in info) == bool(done)
        ended += int(seen[2].sum())
    assert ended > N


@pytest.mark.thorough
def test_a_learner_learns_the_same_on_it():
    settings = {"n_steps": 32, "batch_size": 80, "seed": 3, "device": "cpu"}
    weights = []
    for make in (fast, slow):
        model = MaskablePPO("MlpPolicy", make(opponents="random", rules="one_deck", skip_forced=True), **settings)
        model.env._seeds = fast().seed(3)
        model.learn(2 * 32 * N)
        weights.append([value.numpy() for value in model.policy.state_dict().values()])
    for one, other in zip(*weights, strict=True):
        np.testing.assert_array_equal(one, other)


def test_runs_of_neighbouring_seeds_share_no_deals():
    settings = {"opponents": "random", "rules": "one_deck", "skip_forced": True}
    tables = gymnasium.make_vec("shengji/Seat-v0", 64, **settings).unwrapped
    envs, played, shown = SB3VecEnv(tables), [], []
    for seed in (1, 2, 1):
        shown.append(envs.seed(seed))
        envs.reset()
        played.append(set())
        for _ in range(60):
            played[-1] |= {deal.tobytes() for deal in tables.states["deal"]}
            envs.step(tables.sample_actions())
    assert len(played[0]) > 200
    assert (played[0], shown[0]) == (played[2], shown[2])
    assert not played[0] & played[1]
    assert SB3VecEnv(gymnasium.make_vec("shengji/Seat-v0", 3, **settings)).seed(1) == shown[0][:3]


def test_masks_are_found_through_wrappers_of_both_libraries():
    envs = RecordEpisodeStatistics(gymnasium.make_vec("shengji/PlaySeat-v0", N, opponents="random", rules="one_deck"))
    wrapped = VecMonitor(SB3VecEnv(envs))
    assert is_masking_supported(wrapped)
    wrapped.seed(4)
    wrapped.reset()
    episodes = []
    for _ in range(40):
        *_, infos = wrapped.step(get_action_masks(wrapped).argmax(axis=1))
        episodes += [info["episode"] for info in infos if "episode" in info]
    assert len(episodes) >= N
    assert {each["l"] for each in episodes} >= {12}


def test_what_it_cannot_wrap_is_refused_with_what_it_can():
    for envs in (gymnasium.make("shengji/Seat-v0"), "shengji/Seat-v0", gymnasium.make_vec("CartPole-v1", 2)):
        with pytest.raises(ShengjiError, match=r'is not what gymnasium.make_vec\("shengji/Seat-v0", N\) makes'):
            SB3VecEnv(envs)
    with pytest.raises(ShengjiError, match='autoreset_mode is NextStep; Stable-Baselines3 needs "SameStep"'):
        fast(autoreset_mode="NextStep")


def test_what_it_cannot_do_is_said():
    envs = fast(rules="one_deck")
    with pytest.raises(AttributeError, match=r"cannot set 'seat': give it to gymnasium\.make_vec"):
        envs.set_attr("seat", 1)
    envs.set_options([{"levels": ["2", "3"]}, *[{}] * (N - 1)])
    with pytest.raises(ShengjiError, match="options differ from table to table"):
        envs.reset()
    assert envs.env_is_wrapped(gymnasium.Wrapper, indices=[1, 2]) == [False, False]
    assert not envs.has_attr("no_such_thing")


@pytest.mark.skipif(not can_rasterise(), reason="needs the extra render")
def test_pictures_are_one_for_each_table():
    envs = fast(rules="one_deck", render_mode="rgb_array")
    envs.reset()
    assert [image.shape for image in envs.get_images()] == [(800, 1280, 3)] * N


def test_the_package_does_not_import_it():
    code = "import sys, shengji_env, shengji_env.envs.seat; sys.exit('stable_baselines3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
