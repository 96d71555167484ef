"""The warm start: it collects the teacher's play, and learning raises the agreement with the teacher."""

import numpy as np
import pytest
import torch

from agents.config_files import override
from agents.ppo.buffer import TEAM_SIGN
from agents.ppo.imitation import collect_imitation, learn_imitation
from agents.ppo.maskable_ppo import buffer_of, policy_of
from agents.ppo.ppo_config import PPOConfig
from agents.ppo.ppo_learner import PPOLearner
from agents.ppo.teacher import teacher_of
from shengji_env.errors import ConfigError
from shengji_env.players import Decisions, make_player
from shengji_env.tables.observation import OBSERVATION_SIZE

TABLES, STEPS = 32, 128
SETTINGS = [
    f"environment.tables={TABLES}",
    f"training.rollout_steps={STEPS}",
    "training.minibatch=256",
    "network.policy=[64]",
    "network.suits=[32, 32, 64, 32, 32]",
    "network.critic=[64]",
    "network.precision=float32",
    "imitation.epochs=2",
]


@pytest.fixture
def learner() -> PPOLearner:
    return PPOLearner.fresh(override(PPOConfig(), SETTINGS))


@pytest.mark.parametrize("teacher", ["greedy", "heuristic"])
def test_what_is_collected_is_the_teachers_play(learner: PPOLearner, teacher: str) -> None:
    collect_imitation(learner.ppo, learner.env, make_player(teacher), lambda: None)
    buffer = buffer_of(learner.ppo)
    assert buffer.full
    observations = buffer.observations.reshape(-1, buffer.observations.shape[-1])[:, :OBSERVATION_SIZE]
    masks = buffer.action_masks.reshape(-1, buffer.action_masks.shape[-1]).astype(np.int8)
    keys = np.zeros(len(masks), np.uint64)
    again = make_player(teacher).decide(Decisions(np.ascontiguousarray(observations), masks, keys))
    assert (again == buffer.actions.reshape(-1)).all()


def test_returns_are_what_the_round_paid_the_movers_team(learner: PPOLearner) -> None:
    collect_imitation(learner.ppo, learner.env, make_player("greedy"), lambda: None)
    buffer = buffer_of(learner.ppo)
    ends = buffer.episode_starts[1:] > 0
    num_checked = 0
    for table in range(TABLES):
        for first, stop in zip(
            [0, *np.flatnonzero(ends[:, table]) + 1], np.flatnonzero(ends[:, table]) + 1, strict=False
        ):
            paid = buffer.rewards[stop - 1, table] * TEAM_SIGN[buffer.seats[first:stop, table]]
            np.testing.assert_allclose(buffer.returns[first:stop, table], paid, atol=1e-4)
            num_checked += stop - first
    assert num_checked > TABLES


@pytest.mark.parametrize("kind", ["layers", "suits"])
def test_learning_raises_the_agreement(kind: str) -> None:
    learner = PPOLearner.fresh(override(PPOConfig(), [*SETTINGS, f"network.kind={kind}"]))
    torch.manual_seed(0)
    metrics = []
    for _ in range(8):
        collect_imitation(learner.ppo, learner.env, make_player("greedy"), lambda: None)
        metrics.append(learn_imitation(learner.ppo, learner.config, remaining=1.0))
    assert metrics[-1]["agreement"] > metrics[0]["agreement"] + 0.1
    assert metrics[-1]["loss"] < metrics[0]["loss"]
    assert policy_of(learner.ppo).optimizer.param_groups[0]["lr"] == pytest.approx(1e-3)


@pytest.mark.parametrize(
    ("teacher", "message"),
    [("search:10", "needs whole positions"), ("greedi", "no player is called"), ("policy:nowhere", "no policy at")],
)
def test_a_teacher_that_cannot_be_imitated_is_refused(teacher: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"imitation.teacher = '{teacher}'.*{message}"):
        teacher_of(override(PPOConfig(), [f"imitation.teacher={teacher}"]))
