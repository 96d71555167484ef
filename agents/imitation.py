"""The warm start: let a teacher play in all seats, learn its decisions and what its rounds are worth.

The policy's loss is the cross-entropy of the masked logits less a small entropy bonus; the critic learns the
returns of the same rounds, so that self-play starts with a baseline that fits the policy. Policy and critic
share no layer, which lets one pass train both.
"""

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from torch.nn import functional

from agents.buffer import SeatRolloutBuffer
from agents.config import Config
from agents.learner import buffer_of, policy_of
from agents.vec_env import TableVecEnv
from shengji_env.arena import Player, make_player
from shengji_env.envs.observation import OBSERVATION_SIZE
from shengji_env.errors import ConfigError, PlayerError
from shengji_env.players.veil import sees_tables

FINAL_RATE = 0.1
"""The step size falls linearly to this part of its start."""


FIGURES = ("loss", "entropy", "value_loss", "agreement")
"""Figures of a batch; agreement is the mean probability that the policy gives to what was done."""


def teacher_of(config: Config) -> Player:
    """The player that is imitated.

    Raises:
        ConfigError: ``imitation.teacher`` names no player, or one that needs more than observations.
    """
    name = config.imitation.teacher
    try:
        teacher = make_player(name)
    except PlayerError as error:
        raise ConfigError(f"imitation.teacher = {name!r}: {error}") from error
    if sees_tables(teacher):
        raise ConfigError(f"imitation.teacher = {name!r} needs whole positions; name a player that takes observations")
    return teacher


def collect_imitation(learner: MaskablePPO, env: TableVecEnv, player: Player) -> None:
    """Fill the learner's buffer with decisions of ``player`` in all seats and the returns they led to."""
    buffer = buffer_of(learner)
    buffer.reset()
    starts = np.ones(env.num_envs, np.bool_)
    unknown = torch.zeros(env.num_envs)
    observation = env.observe()
    ended = starts
    while not buffer.full:
        masks = env.action_masks().copy()
        keys = buffer.generator.integers(0, 2**64, env.num_envs, dtype=np.uint64)
        actions = player.act(observation[:, :OBSERVATION_SIZE], masks, keys)
        following, rewards, ended, _ = env.step(actions)
        assert isinstance(following, np.ndarray)
        buffer.add(observation, actions, rewards, starts, unknown, unknown, action_masks=masks)
        observation, starts = following, ended
    _returns_of_whole_rounds(learner, buffer, observation, ended)


def learn_imitation(learner: MaskablePPO, config: Config, *, remaining: float) -> dict[str, float]:
    """One batch's gradient steps, ``remaining`` (1 to 0) of the warm start being left; means of `FIGURES`."""
    policy = policy_of(learner)
    policy.set_training_mode(True)
    rate = config.imitation.learning_rate * (FINAL_RATE + (1 - FINAL_RATE) * max(0.0, remaining))
    for group in policy.optimizer.param_groups:
        group["lr"] = rate
    figures = []
    for _ in range(config.imitation.epochs):
        for batch in buffer_of(learner).get(config.training.minibatch):
            values, log_prob, entropy = policy.evaluate_actions(
                batch.observations, batch.actions.flatten(), batch.action_masks
            )
            assert entropy is not None
            cross_entropy, bonus = -log_prob.mean(), entropy.mean()
            value_loss = functional.mse_loss(values.flatten(), batch.returns)
            loss = cross_entropy - config.imitation.entropy * bonus + config.training.value_weight * value_loss
            policy.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it unannotated
            torch.nn.utils.clip_grad_norm_(policy.parameters(), config.training.max_gradient_norm)
            policy.optimizer.step()
            row = (cross_entropy, bonus, value_loss, log_prob.exp().mean())
            figures.append([figure.item() for figure in row])
    return dict(zip(FIGURES, np.mean(figures, axis=0).tolist(), strict=True))


def _returns_of_whole_rounds(
    learner: MaskablePPO, buffer: SeatRolloutBuffer, observation: np.ndarray, ended: np.ndarray
) -> None:
    """Monte-Carlo returns: lambda is 1, and only rounds cut off by the end of the batch ask the critic."""
    with torch.no_grad():
        last_values = policy_of(learner).predict_values(torch.from_numpy(observation))
    gae_lambda, buffer.gae_lambda = buffer.gae_lambda, 1.0
    buffer.compute_returns_and_advantage(last_values, ended)
    buffer.gae_lambda = gae_lambda
