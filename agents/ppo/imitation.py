"""The warm start: a teacher plays in all seats; the network learns its decisions and the returns of its rounds.

The policy's loss is the cross-entropy of the masked logits minus a small entropy bonus. The critic learns the returns
of the same rounds, so that self-play starts with a baseline that fits the policy. Policy and critic share no layer, so
one pass can train both.
"""

from collections.abc import Callable

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from torch.nn import functional

from agents.ppo.buffer import SeatRolloutBuffer
from agents.ppo.maskable_ppo import buffer_of, policy_of
from agents.ppo.ppo_config import PPOConfig
from agents.ppo.table_vec_env import TableVecEnv
from shengji_env.players import Decisions, Player
from shengji_env.tables.observation import OBSERVATION_SIZE

FINAL_RATE = 0.1
"""The step size falls linearly to this fraction of its initial value."""


METRICS = ("loss", "entropy", "value_loss", "agreement")
"""Metrics of a batch; agreement is the mean probability that the policy gives to the teacher's actions."""


def collect_imitation(ppo: MaskablePPO, env: TableVecEnv, player: Player, check: Callable[[], None]) -> None:
    """Fill the buffer with decisions of ``player`` in all seats and their returns; call ``check`` at each step."""
    buffer = buffer_of(ppo)
    buffer.reset()
    starts = np.ones(env.num_envs, np.bool_)
    unknown = torch.zeros(env.num_envs)
    observation = env.observe()
    ended = starts
    while not buffer.full:
        check()
        masks = env.action_masks().copy()
        keys = buffer.generator.integers(0, 2**64, env.num_envs, dtype=np.uint64)
        actions = player.decide(Decisions(observation[:, :OBSERVATION_SIZE], masks, keys))
        following, rewards, ended, _ = env.step(actions)
        assert isinstance(following, np.ndarray)
        buffer.add(observation, actions, rewards, starts, unknown, unknown, action_masks=masks)
        observation, starts = following, ended
    _returns_of_whole_rounds(ppo, buffer, observation, ended)


def learn_imitation(ppo: MaskablePPO, config: PPOConfig, *, remaining: float) -> dict[str, float]:
    """Take one batch's gradient steps with ``remaining`` (1 to 0) of the warm start left; return mean `METRICS`."""
    policy = policy_of(ppo)
    policy.set_training_mode(True)
    rate = config.imitation.learning_rate * (FINAL_RATE + (1 - FINAL_RATE) * max(0.0, remaining))
    for group in policy.optimizer.param_groups:
        group["lr"] = rate
    metrics = []
    for _ in range(config.imitation.epochs):
        for batch in buffer_of(ppo).get(config.training.minibatch):
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
            metrics.append([metric.item() for metric in row])
    return dict(zip(METRICS, np.mean(metrics, axis=0).tolist(), strict=True))


def _returns_of_whole_rounds(
    ppo: MaskablePPO, buffer: SeatRolloutBuffer, observation: np.ndarray, ended: np.ndarray
) -> None:
    """Compute Monte-Carlo returns: lambda is 1, and the critic is used only for rounds cut off by the batch's end."""
    with torch.no_grad():
        last_values = policy_of(ppo).predict_values(torch.from_numpy(observation))
    gae_lambda, buffer.gae_lambda = buffer.gae_lambda, 1.0
    buffer.compute_returns_and_advantage(last_values, ended)
    buffer.gae_lambda = gae_lambda
