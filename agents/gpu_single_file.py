"""PPO on the GPU in one file: ``python -m agents.gpu_single_file --seconds 60``; nothing is copied to the host.

Tables, network and rollouts stay on the device. Without a GPU the same program steps the tables on the processor.

All four seats' decisions are one chain, in the first team's view: the teams' rewards and values are opposite, so a
decision of the other team enters with the other sign. For PPO with a trajectory for each seat see `ppo_single_file.py`.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.nn import functional

from agents.common_arguments import read_arguments
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.players.networks.policy import layer_stack, write_policy
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.vector import BatchEnv

SCALE = 0.25
"""What inputs are multiplied by: counts of a few cards, and points in units of 5."""


@dataclass(frozen=True)
class Args:
    """The settings; each is an option of the command line."""

    rules: str = "two_deck"
    """Rule set, as in the arena."""
    device: str = "cuda" if torch.cuda.is_available() else "cpu"
    """Where tables and network are."""
    seed: int = 1
    """Seed of deals, network and actions."""
    seconds: float = 60.0
    """Wall time of learning, without compiling."""
    tables: int = 8192
    """Tables played at once."""
    rollout_steps: int = 32
    """Decisions of each table between two updates."""
    width: int = 512
    """Width of both hidden layers."""
    learning_rate: float = 1e-3
    """Adam's step size."""
    minibatch: int = 16384
    """Decisions in one gradient step."""
    gae_lambda: float = 0.95
    """Weight of longer estimates."""
    clip: float = 0.2
    """How far an update may move a probability ratio from 1."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    out: str = "runs/gpu_single_file"
    """Folder in which policy.npz is written."""


class Agent(nn.Module):
    """Policy and critic on one body."""

    def __init__(self, width: int) -> None:
        """Make fresh weights; the policy begins close to uniform."""
        super().__init__()
        body = [nn.Linear(OBSERVATION_SIZE, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()]
        self.body, self.policy, self.critic = nn.Sequential(*body), nn.Linear(width, NUM_ACTIONS), nn.Linear(width, 1)
        nn.init.zeros_(self.policy.weight)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution over legal actions, and what the team of the seat to move expects, (B,)."""
        with torch.autocast("cuda", torch.bfloat16, enabled=observation.is_cuda):
            hidden = self.body(observation.float() * SCALE)
            logits, value = self.policy(hidden).float(), self.critic(hidden).float().squeeze(-1)
        return Categorical(logits=logits.masked_fill(mask == 0, -1e9), validate_args=False), value


def make_env(args: Args) -> Any:
    """Make the tables where they are asked for."""
    if args.device == "cpu":
        return BatchEnv(args.tables, args.rules, start="any", skip_forced=True, seed=args.seed)
    from shengji_cuda import CudaBatchEnv

    return CudaBatchEnv(args.tables, args.rules, start="any", skip_forced=True, seed=args.seed, check=False)


def copied(array: Any, device: str) -> Tensor:
    """Return a copy of one of the environment's arrays, which the next step overwrites."""
    return torch.as_tensor(array, device=device).clone() if device == "cuda" else torch.tensor(array)


def decision(env: Any, device: str) -> tuple[Tensor, Tensor, Tensor]:
    """Return observations and masks, and a 1 where the first team is to move, -1 elsewhere."""
    side = 1.0 - 2.0 * (copied(env.seat, device) % 2)
    return copied(env.observation, device), copied(env.action_mask, device), side


@torch.no_grad()
def play(env: Any, agent: Agent, args: Args) -> tuple[Tensor, ...]:
    """Play on; return observations, masks, actions, log-probabilities, advantages and returns of all decisions."""
    steps: list[tuple[Tensor, ...]] = []
    for _ in range(args.rollout_steps):
        seen, mask, side = decision(env, args.device)
        choice, value = agent(seen, mask)
        action = choice.sample()
        env.step(action if args.device == "cuda" else action.numpy())
        reward, end = copied(env.reward, args.device), copied(env.terminated, args.device)
        steps.append((seen, mask, action, choice.log_prob(action), side, side * value, reward[:, 0], end.float()))
    seen, mask, side = decision(env, args.device)
    later, advantage, advantages = side * agent(seen, mask)[1], torch.zeros_like(side), []
    for *_, value, reward, end in reversed(steps):
        advantage = reward + (1 - end) * (later + args.gae_lambda * advantage) - value
        advantages.append(advantage)
        later = value
    seen, mask, action, log_prob, side, value, _, _ = (torch.stack(column) for column in zip(*steps, strict=True))
    gained = side * torch.stack(advantages[::-1])
    return tuple(x.flatten(0, 1) for x in (seen, mask, action, log_prob, gained, gained + side * value))


def update(agent: Agent, optimizer: torch.optim.Optimizer, batch: tuple[Tensor, ...], args: Args) -> None:
    """Take PPO's gradient steps, one pass over the decisions."""
    for rows in torch.split(torch.randperm(len(batch[0]), device=args.device), args.minibatch):
        seen, mask, action, old_log_prob, advantage, target = (column[rows] for column in batch)
        choice, value = agent(seen, mask)
        ratio = (choice.log_prob(action) - old_log_prob).exp()
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        gain = torch.min(advantage * ratio, advantage * ratio.clamp(1 - args.clip, 1 + args.clip)).mean()
        loss = 0.5 * functional.mse_loss(value, target) - gain - args.entropy * choice.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()


def learn(args: Args) -> Iterator[tuple[float, int, Agent]]:
    """Learn from nothing; yield the seconds, decisions and network before each update and at the end."""
    torch.manual_seed(args.seed)
    env, agent = make_env(args), Agent(args.width).to(args.device)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    update(agent, torch.optim.SGD(agent.parameters(), lr=0.0), play(env, agent, args), args)  # compiles and warms up
    began, decisions = time.perf_counter(), 0
    while (seconds := time.perf_counter() - began) < args.seconds:
        yield seconds, decisions, agent
        update(agent, optimizer, play(env, agent, args), args)
        decisions += args.tables * args.rollout_steps
    yield seconds, decisions, agent


def export(agent: Agent, path: Path, rules: str) -> None:
    """Write the policy, with the inputs' scale in its first layer."""
    write_policy(layer_stack((*agent.body, agent.policy), SCALE), path, rules=rules)


def main() -> None:
    """Read the command line and learn."""
    args = read_arguments(Args, prog="gpu_single_file", description="PPO with tables and network on the GPU.")
    if not torch.cuda.is_available():
        print("note: torch finds no GPU, so tables and network are on the processor", file=sys.stderr)
    shown, path = 0.0, Path(args.out) / "policy.npz"
    for seconds, decisions, agent in learn(args):
        if seconds >= shown:
            print(f"{seconds:6.1f} s, {decisions:,} decisions", flush=True)
            export(agent, path, args.rules)
            shown += args.seconds / 10
    print(f"Play it with: shengji arena policy:{path} random greedy")


if __name__ == "__main__":
    main()
