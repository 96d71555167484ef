"""MaskablePPO, assembled from tables, buffer, network and schedules."""

from dataclasses import dataclass

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from torch.distributions import Distribution

from agents.buffer import SeatRolloutBuffer
from agents.config import Config
from agents.network import CardPolicy, faster_precision
from agents.vec_env import TableVecEnv
from shengji_env.envs.observation import OBSERVATION_SIZE
from shengji_env.vector import ShengjiVectorEnv

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


def make_tables(config: Config) -> TableVecEnv:
    """Make the tables of a run, freshly dealt."""
    environment = config.environment
    tables = ShengjiVectorEnv(
        environment.tables,
        rules=environment.rules,
        start="any",
        reward=environment.reward,
        shaping=environment.shaping,
        seed=config.run.seed,
        skip_forced=True,
    )
    return TableVecEnv(tables, with_hidden=config.network.critic_sees == "all")


def resolve_precision(config: Config) -> str:
    """Return the precision of the hidden layers on this machine."""
    torch.set_num_threads(config.training.torch_threads)
    precision = config.network.precision
    return faster_precision() if precision == "auto" else precision


def make_learner(config: Config, env: TableVecEnv, precision: str) -> MaskablePPO:
    """Make a learner with a fresh network; its input scale is measured on random play, then the tables are redealt."""
    torch.set_num_threads(config.training.torch_threads)
    Distribution.set_default_validate_args(False)
    training = config.training
    learner = MaskablePPO(
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
        policy_kwargs={
            "net_arch": {"pi": list(config.network.policy), "vf": list(config.network.critic)},
            "activation_fn": torch.nn.ReLU,
            "num_own": OBSERVATION_SIZE,
            "precision": precision,
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        },
        seed=config.run.seed,
        device="cpu",
    )
    buffer_of(learner).attach(env, np.random.default_rng(config.run.seed))
    policy_of(learner).calibrate(torch.from_numpy(_random_observations(env)))
    return learner


def policy_of(learner: MaskablePPO) -> CardPolicy:
    """Return the learner's network, with its own type."""
    assert isinstance(learner.policy, CardPolicy)
    return learner.policy


def buffer_of(learner: MaskablePPO) -> SeatRolloutBuffer:
    """Return the learner's buffer, with its own type."""
    assert isinstance(learner.rollout_buffer, SeatRolloutBuffer)
    return learner.rollout_buffer


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
