"""CleanRL's way: PPO in one file, with `gymnasium.make_vec` and masks from the infos.

It learns one seat, with `random` in the other three. For all four seats with one network, start from
`agents/ppo_single_file.py`.
"""

import json
import time
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.nn import functional

import shengji_env  # noqa: F401  # registers shengji/Seat-v0
from shengji_env.arena import play_matchup

ENVS, STEPS, UPDATES, EPOCHS, MINIBATCH, WIDTH, SEED, DEALS = 128, 64, 25, 2, 1024, 128, 1, 200
GAE_LAMBDA, CLIP, ENTROPY, ILLEGAL = 0.95, 0.2, 0.01, -1e9
SETTINGS = {
    "opponents": "random",
    "skip_forced": True,
    "reward": "points",
    "shaping": "trick_points",
    "illegal_actions": "raise",
}


class Agent(nn.Module):
    """Policy and critic, and the trained policy as the arena asks its players."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, actions))
        self.critic = nn.Sequential(nn.Linear(inputs, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))

    def actions(self, observation: Tensor, mask: Tensor) -> Categorical:
        """Return the distribution over legal actions."""
        return Categorical(logits=self.policy(observation.float()).masked_fill(mask == 0, ILLEGAL))

    def value(self, observation: Tensor) -> Tensor:
        """Return what the agent expects to be paid, (B,)."""
        return self.critic(observation.float()).squeeze(-1)

    @torch.no_grad()
    def act(self, observation: NDArray[Any], action_mask: NDArray[Any], key: NDArray[Any]) -> NDArray[np.int64]:
        """Choose the likeliest legal actions, (B,)."""
        return self.actions(torch.tensor(observation), torch.tensor(action_mask)).logits.argmax(1).numpy()


@dataclass
class Rollout:
    """What T steps of N tables were, each of shape (T, N, ...)."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    rewards: Tensor
    goes_on: Tensor


def play(envs: gymnasium.vector.VectorEnv, agent: Agent, begin: tuple[Any, dict[str, Any]]) -> tuple[Rollout, tuple]:
    """Play STEPS steps; return them, and the observations and infos after them."""
    observation, info = begin
    rows = []
    for _ in range(STEPS):
        seen, mask = torch.tensor(observation), torch.tensor(info["action_mask"])
        with torch.no_grad():
            choice = agent.actions(seen, mask)
            action = choice.sample()
            row = [seen, mask, action, choice.log_prob(action), agent.value(seen)]
        observation, reward, terminated, _, info = envs.step(action.numpy())
        rows.append([*row, torch.tensor(reward, dtype=torch.float32), torch.tensor(~terminated).float()])
    return Rollout(*map(torch.stack, zip(*rows, strict=True))), (observation, info)


def advantages_of(rollout: Rollout, next_value: Tensor) -> Tensor:
    """Compute generalised advantage estimates, (T, N)."""
    advantage, advantages = torch.zeros_like(next_value), torch.zeros_like(rollout.values)
    for step in reversed(range(STEPS)):
        goes_on = rollout.goes_on[step]
        error = rollout.rewards[step] + goes_on * next_value - rollout.values[step]
        advantages[step] = advantage = error + GAE_LAMBDA * goes_on * advantage
        next_value = rollout.values[step]
    return advantages


def update(agent: Agent, optimizer: torch.optim.Optimizer, rollout: Rollout, advantages: Tensor) -> None:
    """Take PPO's gradient steps."""
    seen, masks, actions = (each.flatten(0, 1) for each in (rollout.observations, rollout.masks, rollout.actions))
    old, returns, advantages = (
        rollout.log_probs.flatten(),
        (advantages + rollout.values).flatten(),
        advantages.flatten(),
    )
    for rows in torch.cat([torch.randperm(len(actions)) for _ in range(EPOCHS)]).split(MINIBATCH):
        choice = agent.actions(seen[rows], masks[rows])
        ratio = (choice.log_prob(actions[rows]) - old[rows]).exp()
        gain = (advantages[rows] - advantages[rows].mean()) / (advantages[rows].std() + 1e-8)
        policy_loss = -torch.min(gain * ratio, gain * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
        value_loss = functional.mse_loss(agent.value(seen[rows]), returns[rows])
        optimizer.zero_grad()
        (policy_loss + 0.5 * value_loss - ENTROPY * choice.entropy().mean()).backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()


def main() -> None:
    """Train; before and after, play duplicate deals against `random`."""
    torch.manual_seed(SEED)
    envs = gymnasium.make_vec("shengji/Seat-v0", ENVS, **SETTINGS)
    agent = Agent(envs.single_observation_space.shape[0], envs.single_action_space.n)
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3, eps=1e-5)
    before = play_matchup(agent, "random", num_deals=DEALS)
    started = time.process_time()
    now = envs.reset(seed=1 + ENVS * (SEED - 1))  # table i plays this + i: runs of other SEEDs share no deals
    for _ in range(UPDATES):
        rollout, now = play(envs, agent, now)
        with torch.no_grad():
            advantages = advantages_of(rollout, agent.value(torch.tensor(now[0])))
        update(agent, optimizer, rollout, advantages)
    seconds = time.process_time() - started
    after = play_matchup(agent, "random", num_deals=DEALS)
    results = {"before": before.to_json(), "after": after.to_json()}
    print(json.dumps({"steps": ENVS * STEPS * UPDATES, "seconds": seconds} | results))


if __name__ == "__main__":
    main()
