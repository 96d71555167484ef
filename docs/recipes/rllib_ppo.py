"""RLlib: PPO of the new API stack learns all four seats with one network.

RLlib's own wrapper takes the PettingZoo environment as it is, with ``dtype="float32"``. RLlib knows no masks, so the
network (an `RLModule`) puts them onto its logits itself.
"""

import json
import time
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.tune.registry import register_env
from torch import Tensor, nn

from shengji_env import shengji_v0
from shengji_env.arena import play_matchup

BATCH, UPDATES, WIDTH, SEED, DEALS = 2048, 5, 128, 1, 200
ILLEGAL = -1e9
SETTINGS = {"start": "any", "skip_forced": True, "reward": "points", "shaping": "trick_points", "dtype": "float32"}


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """Policy and critic on the observation's two parts."""

    def setup(self) -> None:
        """Make the networks."""
        inputs, actions = self.observation_space["observation"].shape[0], self.action_space.n
        self.policy = nn.Sequential(nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, actions))
        self.critic = nn.Sequential(nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Tensor]:
        seen = batch[Columns.OBS]
        logits = self.policy(seen["observation"])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, ILLEGAL)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Tensor:
        """Return what each seat expects to be paid, (B,)."""
        return self.critic(batch[Columns.OBS]["observation"]).squeeze(-1)


class Learned:
    """The trained network, as the arena asks its players."""

    def __init__(self, module: MaskedModule) -> None:
        self.module = module

    def act(self, observation: NDArray[Any], action_mask: NDArray[Any], key: NDArray[Any]) -> NDArray[np.int64]:
        """Choose the likeliest legal actions, (B,)."""
        seen = {"observation": torch.tensor(observation).float(), "action_mask": torch.tensor(action_mask)}
        with torch.no_grad():
            logits = self.module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        return logits.argmax(1).numpy()


def main() -> None:
    """Train; before and after, play duplicate deals against `random`."""
    register_env("shengji", lambda settings: PettingZooEnv(shengji_v0.env(**settings)))
    config = (
        PPOConfig()
        .environment("shengji", env_config=SETTINGS, disable_env_checking=True)
        .multi_agent(policies={"seat"}, policy_mapping_fn=lambda agent, episode, **kwargs: "seat")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule))
        .env_runners(num_env_runners=0)
        .training(train_batch_size=BATCH, minibatch_size=512, num_epochs=2, lr=1e-3, gamma=1.0)
        .debugging(seed=SEED)
    )
    algorithm = config.build_algo()
    player = Learned(algorithm.get_module("seat"))
    before = play_matchup(player, "random", num_deals=DEALS)
    started = time.process_time()
    for _ in range(UPDATES):
        algorithm.train()
    seconds = time.process_time() - started
    after = play_matchup(player, "random", num_deals=DEALS)
    results = {"before": before.to_json(), "after": after.to_json()}
    print(json.dumps({"steps": BATCH * UPDATES, "seconds": seconds} | results))


if __name__ == "__main__":
    main()
