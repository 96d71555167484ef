"""The batch environment behind SB3: what a step returns, and what the rollout keeps of it."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from agents.config_files import override
from agents.ppo.buffer import TEAM_SIGN
from agents.ppo.maskable_ppo import buffer_of, make_tables
from agents.ppo.ppo_config import PPOConfig
from agents.ppo.ppo_learner import PPOLearner
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.tables.observation import OBSERVATION_SIZE

TABLES, STEPS = 16, 200
SMALL = [
    f"environment.tables={TABLES}",
    f"training.rollout_steps={STEPS}",
    "training.minibatch=128",
    "network.policy=[16]",
    "network.critic=[16]",
    "network.precision=float32",
]


@pytest.fixture
def rollout() -> tuple[PPOLearner, dict[str, NDArray[Any]]]:
    """A learner after one rollout, and its tables as they were before it."""
    learner = PPOLearner.fresh(override(PPOConfig(), SMALL))
    before = learner.env.save()
    assert learner.stages[-1].collect(0.0, lambda: None).amount == TABLES * STEPS
    return learner, before


def test_masks_reach_sb3_in_one_piece() -> None:
    env = make_tables(override(PPOConfig(), SMALL))
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (1, TABLES, NUM_ACTIONS)
    assert (masks[0] == env.tables.action_mask).all()
    with pytest.raises(AttributeError):
        env.env_method("render")
    with pytest.raises(AttributeError):
        env.get_attr("spec")


def test_a_step_leaves_the_observation_before_it_alone() -> None:
    env = make_tables(override(PPOConfig(), SMALL))
    before = env.reset()
    assert isinstance(before, np.ndarray)
    for _ in range(50):
        kept = before.copy()
        movers = env.seat.copy()
        after, rewards, ended, infos = env.step(env.tables.sample_actions())
        assert isinstance(after, np.ndarray)
        assert (before == kept).all()
        assert (env.mover == movers).all()
        assert (after[:, :OBSERVATION_SIZE] == env.tables.observation).all()
        assert (rewards == env.tables.reward[:, 0]).all()
        assert (ended == env.tables.terminated).all()
        assert infos == [{}] * TABLES
        before = after


def test_a_rollout_is_what_the_tables_did(rollout: tuple[PPOLearner, dict[str, NDArray[Any]]]) -> None:
    learner, before = rollout
    buffer = buffer_of(learner.ppo)
    assert buffer.observations.dtype == np.int8
    assert buffer.action_masks.dtype == np.bool_
    env = make_tables(learner.config)
    env.reset()
    env.load(before)
    again = env.tables
    signs = TEAM_SIGN[None]
    for step in range(STEPS):
        np.testing.assert_array_equal(buffer.observations[step][:, :OBSERVATION_SIZE], again.observation)
        np.testing.assert_array_equal(buffer.action_masks[step], again.action_mask > 0)
        np.testing.assert_array_equal(buffer.seats[step], again.seat)
        actions = buffer.actions[step, :, 0]
        assert again.action_mask[np.arange(TABLES), actions].all()
        again.step(actions)
        np.testing.assert_array_equal(buffer.rewards[step][:, None] * signs, again.reward)
    assert buffer.episode_starts.sum() > 0


def test_minibatches_cover_the_rollout_once(rollout: tuple[PPOLearner, dict[str, NDArray[Any]]]) -> None:
    buffer = buffer_of(rollout[0].ppo)
    batches = list(buffer.get(128))
    assert len(batches) == TABLES * STEPS // 128
    seen = np.concatenate([batch.returns.numpy() for batch in batches])
    np.testing.assert_array_equal(np.sort(seen), np.sort(buffer.returns.reshape(-1)))
    one = batches[0]
    assert one.action_masks.numpy()[np.arange(128), one.actions.numpy().reshape(-1)].all()
