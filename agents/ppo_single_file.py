"""PPO in one file, to be read from top to bottom: ``python -m agents.ppo_single_file --steps 2000000``.

One network plays all four seats of many tables. Written in the manner of CleanRL, with torch and NumPy alone; the other
learners (`train.py`) add checkpoints and reports. Three things differ from PPO for a single agent:

| what differs    | why                                                                                               |
|-----------------|---------------------------------------------------------------------------------------------------|
| masks           | Of 83 actions few are legal; the logits of the others are set to a very low value.                |
| seats           | Consecutive decisions belong to different seats. A seat's trajectory is its own decisions only.   |
| reward          | It comes once, at the end of a round, to all seats. A decision gets what its seat was paid later. |
"""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.distributions import Categorical
from torch.nn import functional

from agents.common_arguments import run_learner
from agents.evaluation import Matchup
from shengji_env.arena import play_matchup
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.players.networks.policy import layer_stack, write_policy
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.vector import BatchEnv

ILLEGAL = -1e9
"""Logit of an illegal action."""
MATCHUP_SEED = 20_000
"""Seed of the deals of the match-up at the end; no deal of training comes from it."""


@dataclass(frozen=True)
class Args:
    """The settings; each is an option of the command line."""

    rules: str = "two_deck"
    """Rule set, as in the arena."""
    seed: int = 1
    """Seed of deals, network, actions and minibatches."""
    steps: int = 2_000_000
    """Decisions in all."""
    tables: int = 256
    """Tables played at once."""
    rollout_steps: int = 128
    """Decisions of each table between two updates."""
    width: int = 256
    """Width of both hidden layers."""
    learning_rate: float = 5e-4
    """Adam's step size, which falls linearly to 0."""
    epochs: int = 2
    """Passes over each rollout."""
    minibatch: int = 4096
    """Decisions in one gradient step; at most tables times rollout_steps."""
    gamma: float = 1.0
    """Discount between two decisions of a seat."""
    gae_lambda: float = 0.95
    """Weight of longer estimates."""
    clip: float = 0.2
    """How far an update may move a probability ratio from 1."""
    entropy: float = 0.01
    """Weight of the entropy bonus."""
    value_weight: float = 0.5
    """Weight of the critic's loss."""
    max_gradient_norm: float = 0.5
    """Gradients are scaled down to this norm."""
    deals: int = 500
    """Duplicate deals of the match-up against `random` at the end."""
    out: str = "runs/ppo_single_file"
    """Folder in which policy.npz is written."""


class Agent(nn.Module):
    """Policy and critic: two ReLU networks on the observation, each input divided by its typical size."""

    scale: Tensor

    def __init__(self, width: int) -> None:
        """Make fresh weights; the policy begins close to uniform."""
        super().__init__()
        self.policy = _stack(width, NUM_ACTIONS, gain=0.01)
        self.critic = _stack(width, 1, gain=1.0)
        self.register_buffer("scale", torch.ones(OBSERVATION_SIZE))

    def actions(self, observation: Tensor, mask: Tensor) -> Categorical:
        """Return the distribution over legal actions."""
        logits = self.policy(observation.float() * self.scale)
        return Categorical(logits=torch.where(mask, logits, ILLEGAL), validate_args=False)

    def value(self, observation: Tensor) -> Tensor:
        """Return what the seat to move expects to be paid, (B,)."""
        value: Tensor = self.critic(observation.float() * self.scale).squeeze(-1)
        return value


def _stack(width: int, outputs: int, gain: float) -> nn.Sequential:
    sizes = [(OBSERVATION_SIZE, width, 2**0.5), (width, width, 2**0.5), (width, outputs, gain)]
    layers: list[nn.Module] = []
    for inputs, units, spread in sizes:
        layer = nn.Linear(inputs, units)
        nn.init.orthogonal_(layer.weight, spread)
        nn.init.zeros_(layer.bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


@dataclass
class Rollout:
    """T steps of N tables, and the position after them."""

    observations: Tensor
    """(T, N, OBSERVATION_SIZE) int8."""
    masks: Tensor
    """(T, N, NUM_ACTIONS) bool."""
    actions: Tensor
    """(T, N) int64."""
    log_probs: Tensor
    """(T, N) float32, of the actions when they were taken."""
    values: NDArray[np.float32]
    """(T, N), as the critic saw them then, for the seat that moved."""
    seats: NDArray[np.int8]
    """(T, N) the seat that moved."""
    rewards: NDArray[np.float32]
    """(T, N, 4) what the step paid each seat."""
    ends: NDArray[np.bool_]
    """(T, N) whether the step ended a round."""
    last_values: NDArray[np.float32]
    """(N,) value of the position after the last step, for the seat to move there."""
    last_seats: NDArray[np.int8]
    """(N,) that seat."""


@torch.no_grad()
def play(env: BatchEnv, agent: Agent, num_steps: int) -> Rollout:
    """Let the network play in all seats; a table that ends a round begins the next one by itself."""
    shape = num_steps, env.num_envs
    observations = torch.empty((*shape, OBSERVATION_SIZE), dtype=torch.int8)
    masks = torch.empty((*shape, NUM_ACTIONS), dtype=torch.bool)
    actions, log_probs = torch.empty(shape, dtype=torch.int64), torch.empty(shape)
    values, seats = np.empty(shape, np.float32), np.empty(shape, np.int8)
    rewards, ends = np.empty((*shape, NUM_SEATS), np.float32), np.empty(shape, np.bool_)
    for step in range(num_steps):
        observations[step] = torch.tensor(env.observation)  # a copy: the next step overwrites it
        masks[step] = torch.tensor(env.action_mask).bool()
        choice = agent.actions(observations[step], masks[step])
        actions[step] = choice.sample()  # type: ignore[no-untyped-call]  # torch leaves it unannotated
        log_probs[step] = choice.log_prob(actions[step])  # type: ignore[no-untyped-call]
        values[step], seats[step] = agent.value(observations[step]).numpy(), env.seat
        env.step(actions[step].numpy())
        rewards[step], ends[step] = env.reward, env.terminated
    end = agent.value(torch.tensor(env.observation)).numpy(), env.seat.copy()
    return Rollout(observations, masks, actions, log_probs, values, seats, rewards, ends, *end)


def seat_advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> NDArray[np.float32]:
    """Compute generalised advantage estimates along each seat's own decisions, (T, N).

    Going backwards, three numbers are kept for each table and seat: the value and the advantage of the seat's next
    decision, and what it is paid until then. A round's end clears them. After the last step no seat's next decision is
    known, so each bootstraps from the value of the seat to move there: teams play a zero-sum game.
    """
    tables, seats = np.arange(rollout.values.shape[1]), np.arange(NUM_SEATS)
    is_partner = (rollout.last_seats[:, None] - seats) % NUM_TEAMS == 0
    next_value = np.where(is_partner, 1, -1) * rollout.last_values[:, None]
    next_advantage, paid = np.zeros_like(next_value), np.zeros_like(next_value)
    advantages = np.empty_like(rollout.values)
    for step in reversed(range(len(advantages))):
        for kept in (next_value, next_advantage, paid):
            kept[rollout.ends[step]] = 0
        paid += rollout.rewards[step]
        mover = tables, rollout.seats[step]
        error = paid[mover] + gamma * next_value[mover] - rollout.values[step]
        advantages[step] = error + gamma * gae_lambda * next_advantage[mover]
        next_value[mover], next_advantage[mover], paid[mover] = rollout.values[step], advantages[step], 0
    return advantages


def update(agent: Agent, optimizer: torch.optim.Optimizer, rollout: Rollout, args: Args) -> dict[str, float]:
    """Take PPO's gradient steps; return metrics of the last one."""
    advantages = torch.from_numpy(seat_advantages(rollout, args.gamma, args.gae_lambda)).flatten()
    returns = advantages + torch.from_numpy(rollout.values).flatten()
    observations, masks = rollout.observations.flatten(0, 1), rollout.masks.flatten(0, 1)
    actions, old_log_probs = rollout.actions.flatten(), rollout.log_probs.flatten()
    metrics = {}
    for _ in range(args.epochs):
        order = torch.randperm(len(actions))
        for start in range(0, len(order) - args.minibatch + 1, args.minibatch):
            rows = order[start : start + args.minibatch]
            choice = agent.actions(observations[rows], masks[rows])
            log_probs = choice.log_prob(actions[rows])  # type: ignore[no-untyped-call]
            ratio = (log_probs - old_log_probs[rows]).exp()
            advantage = advantages[rows]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
            value_loss = functional.mse_loss(agent.value(observations[rows]), returns[rows])
            entropy = choice.entropy().mean()  # type: ignore[no-untyped-call]
            loss = policy_loss + args.value_weight * value_loss - args.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), args.max_gradient_norm)
            optimizer.step()
            metrics = {"entropy": entropy.item(), "value loss": value_loss.item()}
    return metrics


def export(agent: Agent, args: Args) -> str:
    """Write the policy as ``policy.npz``, with the scale in its first layer; return the text that names the player."""
    path = Path(args.out) / "policy.npz"
    write_policy(layer_stack(agent.policy, agent.scale), path, rules=args.rules)
    return f"policy:{path}"


def train(args: Args) -> str:
    """Train, play the match-up, and return the text that names the player."""
    torch.manual_seed(args.seed)
    env = BatchEnv(args.tables, args.rules, start="any", skip_forced=True, seed=args.seed)
    agent = Agent(args.width)
    typical = play(env, agent, 64).observations.flatten(0, 1).float().square().mean(0).sqrt()
    agent.scale.copy_(1 / typical.clamp_min(0.25))
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)
    num_updates = max(1, args.steps // (args.tables * args.rollout_steps))  # an incomplete one is left out
    started = time.perf_counter()
    for number in range(num_updates):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - number / num_updates)
        metrics = update(agent, optimizer, play(env, agent, args.rollout_steps), args)
        steps = (number + 1) * args.tables * args.rollout_steps
        shown = ", ".join(f"{name} {value:.3f}" for name, value in metrics.items())
        print(f"{steps:,} steps, {steps / (time.perf_counter() - started):,.0f} steps/s, {shown}", flush=True)
    player = export(agent, args)
    result = play_matchup(player, "random", num_deals=args.deals, rules=args.rules, seed=MATCHUP_SEED)
    print(f"{Matchup('random', result)}; play it with: shengji arena {player} heuristic")
    return player


def main() -> int:
    """Read the command line and train; return the exit status, 2 after a bad setting."""
    return run_learner(train, Args, prog="ppo_single_file", description="PPO in one file, in all four seats.")


if __name__ == "__main__":
    raise SystemExit(main())
