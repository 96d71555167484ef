"""Tianshou: Q-learning from whole rounds, all four seats with one network.

Tianshou's wrapper takes the PettingZoo environment as it is. Its buffers hold the decisions of all seats one after
another, so a seat's reward stands at the round's last decision, which is mostly another seat's. Returns over
`n_step_return_horizon` decisions reach it; the advantages of on-policy algorithms do not (see docs/recipes.md).
"""

import json
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from shengji_env import shengji_v0
from shengji_env.arena import play_matchup

STEPS, ENVS, WIDTH, SEED, DEALS = 20_480, 16, 128, 1, 200
LONGEST = 200
"""More decisions than any round of two decks has: every return reaches the end of its round."""
SETTINGS = {"start": "any", "skip_forced": True, "reward": "points", "shaping": "trick_points"}


class Table(PettingZooEnv):
    """Tianshou's wrapper, without infos: Tianshou 2.0.1 takes the places of texts in its buffers for missing values."""

    def __init__(self) -> None:
        super().__init__(shengji_v0.env(**SETTINGS))

    def step(self, action: int) -> tuple[dict[str, Any], list[float], bool, bool, dict[str, Any]]:
        """Make a decision."""
        *answer, _ = super().step(action)
        return *answer, {}


class Learned:
    """The trained network, as the arena asks its players."""

    def __init__(self, network: Net) -> None:
        self.network = network

    def act(self, observation: NDArray[Any], action_mask: NDArray[Any], key: NDArray[Any]) -> NDArray[np.int64]:
        """Choose the legal actions that are valued highest, (B,)."""
        with torch.no_grad():
            values, _ = self.network(observation)
        return values.masked_fill(torch.tensor(action_mask) == 0, -torch.inf).argmax(1).numpy()


def main() -> None:
    """Train; before and after, play duplicate deals against `random`."""
    np.random.seed(SEED)  # noqa: NPY002  # Tianshou explores with it
    torch.manual_seed(SEED)
    env = Table()
    tables = DummyVectorEnv([Table] * ENVS)
    tables.seed(1 + ENVS * (SEED - 1))  # table i plays this + i: runs of other SEEDs share no deals
    network = Net(
        state_shape=env.observation_space["observation"].shape, action_shape=env.action_space.n, hidden_sizes=[WIDTH]
    )
    policy = DiscreteQLearningPolicy(model=network, action_space=env.action_space, eps_training=0.1)
    learner = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, n_step_return_horizon=LONGEST)
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner] * len(env.agents), env=env)
    collector = Collector(algorithm, tables, VectorReplayBuffer(STEPS, ENVS), exploration_noise=True)
    collector.reset()
    player = Learned(network)
    before = play_matchup(player, "random", num_deals=DEALS)
    started = time.process_time()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=STEPS,
            collection_step_num_env_steps=1024,
            update_step_num_gradient_steps_per_sample=1 / 64,
            batch_size=512,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            show_progress=False,
        )
    )
    seconds = time.process_time() - started
    after = play_matchup(player, "random", num_deals=DEALS)
    results = {"before": before.to_json(), "after": after.to_json()}
    print(json.dumps({"steps": collector.collect_step, "seconds": seconds} | results))


if __name__ == "__main__":
    main()
