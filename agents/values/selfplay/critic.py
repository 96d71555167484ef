"""The critic alone learns what the rounds brought, before the policy moves."""

import math

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from torch.nn import functional

from agents.ppo.maskable_ppo import buffer_of
from agents.ppo.sb3_private import LOGGED
from agents.values.value_config import SelfPlayConfig


def learn_critic(ppo: MaskablePPO, config: SelfPlayConfig) -> dict[str, float]:
    """Fit the critic to the returns of a rollout; return the metrics of an update, NaN where they are the policy's."""
    policy, buffer = ppo.policy, buffer_of(ppo)
    for group in policy.optimizer.param_groups:
        group["lr"] = config.critic_learning_rate
    left = float(np.var(buffer.returns - buffer.values) / max(float(np.var(buffer.returns)), 1e-12))
    losses = []
    for _ in range(config.critic_epochs):
        for batch in buffer.get(config.minibatch):
            loss = functional.mse_loss(policy.predict_values(batch.observations).flatten(), batch.returns)
            policy.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it unannotated
            torch.nn.utils.clip_grad_norm_(policy.parameters(), config.max_gradient_norm)
            policy.optimizer.step()
            losses.append(loss.item())
    unknown = dict.fromkeys(LOGGED.values(), math.nan)
    return unknown | {"value_loss": float(np.mean(losses)), "explained_variance": 1 - left}
