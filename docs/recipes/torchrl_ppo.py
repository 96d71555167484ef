"""TorchRL: PPO learns all four seats with one network.

Its PettingZoo wrapper stacks the four seats. At every step one of them acts, as ``mask`` says. Values and advantages
are computed along each seat's row, and only decisions that were really made go into the loss.
"""

import json
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import MarlGroupMapType, PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss, ValueEstimators

from shengji_env import shengji_v0
from shengji_env.arena import play_matchup
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.tables.observation import OBSERVATION_SIZE

BATCH, UPDATES, EPOCHS, MINIBATCH, WIDTH, SEED, DEALS = 1024, 10, 4, 256, 128, 1, 200
SETTINGS = {"start": "any", "skip_forced": True, "reward": "points", "shaping": "trick_points", "dtype": "float32"}
SEEN, LOGITS, MASK = ("agents", "observation", "observation"), ("agents", "logits"), ("agents", "action_mask")


def network(outputs: int) -> nn.Sequential:
    """Make a network on the observation."""
    return nn.Sequential(nn.Linear(OBSERVATION_SIZE, WIDTH), nn.ReLU(), nn.Linear(WIDTH, outputs))


class Learned:
    """The trained network, as the arena asks its players."""

    def __init__(self, network: nn.Module) -> None:
        self.network = network

    def act(self, observation: NDArray[Any], action_mask: NDArray[Any], key: NDArray[Any]) -> NDArray[np.int64]:
        """Choose the likeliest legal actions, (B,)."""
        with torch.no_grad():
            logits = self.network(torch.tensor(observation).float())
        return logits.masked_fill(torch.tensor(action_mask) == 0, -torch.inf).argmax(1).numpy()


def main() -> None:
    """Train; before and after, play duplicate deals against `random`."""
    torch.manual_seed(SEED)
    table = shengji_v0.env(**SETTINGS)
    env = PettingZooWrapper(table, use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP, seed=SEED)
    logits = network(NUM_ACTIONS)
    policy = ProbabilisticActor(
        TensorDictModule(logits, [SEEN], [LOGITS]),
        in_keys={"logits": LOGITS, "mask": MASK},
        out_keys=[env.action_key],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("agents", "sample_log_prob"),
    )
    critic = ValueOperator(network(1), in_keys=[SEEN], out_keys=[("agents", "state_value")])
    loss = ClipPPOLoss(policy, critic, entropy_coeff=0.01)
    loss.set_keys(
        reward=("agents", "reward"),
        action=("agents", "action"),
        sample_log_prob=("agents", "sample_log_prob"),
        value=("agents", "state_value"),
        done=("agents", "done"),
        terminated=("agents", "terminated"),
        advantage=("agents", "advantage"),
        value_target=("agents", "value_target"),
    )
    loss.make_value_estimator(ValueEstimators.GAE, gamma=1.0, lmbda=0.95)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)
    collector = Collector(env, policy, frames_per_batch=BATCH, total_frames=BATCH * UPDATES)
    player = Learned(logits)
    before = play_matchup(player, "random", num_deals=DEALS)
    started = time.process_time()
    for batch in collector:
        with torch.no_grad():
            loss.value_estimator(batch)
        agents = batch["agents"]
        made = TensorDict({"agents": agents[agents["mask"]]}, [BATCH])
        for rows in torch.cat([torch.randperm(BATCH) for _ in range(EPOCHS)]).split(MINIBATCH):
            losses = loss(made[rows])
            optimizer.zero_grad()
            (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
            optimizer.step()
    seconds = time.process_time() - started
    after = play_matchup(player, "random", num_deals=DEALS)
    results = {"before": before.to_json(), "after": after.to_json()}
    print(json.dumps({"steps": BATCH * UPDATES, "seconds": seconds} | results))


if __name__ == "__main__":
    main()
