"""MaskablePPO, assembled from tables, buffer, network and schedules."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from torch.distributions import Distribution

from agents.ppo.buffer import SeatRolloutBuffer
from agents.ppo.card_policy import CardPolicy
from agents.ppo.ppo_config import PPOConfig
from agents.ppo.table_vec_env import TableVecEnv
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.vector import BatchEnv

CALIBRATION_STEPS = 64
"""Random steps of every table from which the input scale is measured."""


@dataclass(frozen=True)
class LinearRate:
    """A step size that changes linearly from ``first`` to ``last`` as the budget is used up."""

    first: float
    last: float

    def __call__(self, remaining: float) -> float:
        """Return the step size with ``remaining`` (1 to 0) of the budget left."""
        return self.last + (self.first - self.last) * max(0.0, min(1.0, remaining))


def make_tables(config: PPOConfig) -> TableVecEnv:
    """Make the tables of a run, freshly dealt."""
    environment = config.environment
    tables = BatchEnv(
        environment.tables,
        rules=environment.rules,
        start="any",
        reward=environment.reward,
        shaping=environment.shaping,
        seed=config.run.seed,
        skip_forced=True,
    )
    return TableVecEnv(tables, with_hidden=config.network.critic_sees == "all")


def make_ppo(config: PPOConfig, env: TableVecEnv, precision: str) -> MaskablePPO:
    """Make MaskablePPO with a fresh network; its input scale is measured on random play; then all tables deal."""
    torch.set_num_threads(config.training.torch_threads)
    network = config.network
    policy = {
        "net_arch": {"pi": list(network.policy), "vf": list(network.critic)},
        "activation_fn": torch.nn.ReLU,
        "num_own": OBSERVATION_SIZE,
        "suit_widths": network.suit_widths,
        "precision": precision,
    }
    ppo = _assemble(config, env, policy)
    policy_of(ppo).calibrate(torch.from_numpy(_random_observations(env)))
    return ppo


def _assemble(config: PPOConfig, env: TableVecEnv, policy: dict[str, Any]) -> MaskablePPO:
    """Make MaskablePPO with its buffer and its schedules; ``policy`` has the arguments of `CardPolicy`."""
    training, seed = config.training, config.run.seed
    Distribution.set_default_validate_args(False)
    ppo = MaskablePPO(
        CardPolicy,
        env,
        learning_rate=LinearRate(training.learning_rate, training.final_learning_rate),
        n_steps=training.rollout_steps,
        batch_size=training.minibatch,
        n_epochs=training.epochs,
        gamma=training.gamma,
        gae_lambda=training.gae_lambda,
        clip_range=training.clip,
        ent_coef=training.entropy,
        vf_coef=training.value_weight,
        max_grad_norm=training.max_gradient_norm,
        rollout_buffer_class=SeatRolloutBuffer,
        policy_kwargs=policy | {"optimizer_kwargs": {"eps": 1e-5, "fused": True}},
        seed=seed,
        device="cpu",
    )
    buffer_of(ppo).attach(env, np.random.default_rng(seed))
    ppo.set_logger(Logger(folder=None, output_formats=[]))
    return ppo


def policy_of(ppo: MaskablePPO) -> CardPolicy:
    """Return its network, with its own type."""
    assert isinstance(ppo.policy, CardPolicy)
    return ppo.policy


def buffer_of(ppo: MaskablePPO) -> SeatRolloutBuffer:
    """Return its buffer, with its own type."""
    assert isinstance(ppo.rollout_buffer, SeatRolloutBuffer)
    return ppo.rollout_buffer


def _random_observations(env: TableVecEnv) -> np.ndarray:
    """Collect about 8,000 observations of random play, (B, inputs) int8."""
    env.reset()
    kept = max(1, 8192 // env.num_envs)
    sample = []
    for _ in range(max(CALIBRATION_STEPS, kept)):
        env.step(env.tables.sample_actions())
        sample.append(env.observe().copy())
    env.reset()
    return np.concatenate(sample[-kept:])
