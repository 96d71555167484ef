"""Behaviour cloning in one file, from records: ``python -m agents.clone_single_file --data rounds/club``.

A network learns to do what the players of some records did, by the cross-entropy of its choice among the legal actions.
Nothing is played while it learns; what it has not seen are the deals on which it is measured.

Unlike in `agents.ppo_single_file` no action is tried, so returns are not needed. docs/offline.md has the results.
"""

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from agents.common_arguments import run_learner
from agents.evaluation import Matchup
from agents.scales import scale_of
from shengji_env.arena import play_matchup
from shengji_env.datasets.recorded import RecordedRounds, Samples
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.state import Phase
from shengji_env.players.networks.policy import layer_stack, write_policy
from shengji_env.tables.observation import OBSERVATION_SIZE

ILLEGAL = -1e9
"""Logit of an illegal action."""
MATCHUP_SEED = 20_000
"""Seed of the deals of the match-ups at the end."""


@dataclass(frozen=True)
class Args:
    """The settings; each is an option of the command line."""

    data: str = "rounds/club"
    """Records, or a folder of `shengji collect`."""
    player: str = ""
    """Name of the player that is cloned, if others play in the records too."""
    out: str = "runs/clone"
    """Folder in which policy.npz is written."""
    seed: int = 1
    """Seed of the network and of the order of decisions."""
    width: int = 256
    """Width of both hidden layers."""
    steps: int = 6000
    """Gradient steps."""
    batch: int = 1024
    """Decisions of a step."""
    learning_rate: float = 2e-3
    """Adam's step size, which falls linearly to 0."""
    validation_share: float = 0.05
    """Share of the deals that are held out."""
    deals: int = 500
    """Duplicate deals of each match-up at the end."""


class Clone(nn.Module):
    """A policy: two ReLU layers on the observation, each input divided by its typical size."""

    scale: Tensor

    def __init__(self, width: int) -> None:
        """Make fresh weights."""
        super().__init__()
        self.layers = stack(OBSERVATION_SIZE, [width, width, NUM_ACTIONS])
        self.register_buffer("scale", torch.ones(OBSERVATION_SIZE))

    def forward(self, observation: Tensor, mask: Tensor) -> Tensor:
        """Return the logits of the legal actions, (B, 83); the others' are ILLEGAL."""
        hidden = observation.float() * self.scale
        for layer in self.layers[:-1]:
            hidden = layer(hidden).relu()
        logits: Tensor = self.layers[-1](hidden)
        return logits.masked_fill(mask == 0, ILLEGAL)


def stack(num_inputs: int, widths: Sequence[int]) -> nn.ModuleList:
    """Return linear layers, one after the other."""
    sizes = [num_inputs, *widths]
    return nn.ModuleList(nn.Linear(before, after) for before, after in itertools.pairwise(sizes))


def logits_of(network: Clone, samples: Samples) -> Tensor:
    """Return what the network makes of samples, (B, 83)."""
    logits: Tensor = network(torch.from_numpy(samples.observation), torch.from_numpy(samples.action_mask))
    return logits


def epochs(rounds: RecordedRounds, args: Args) -> Iterator[Samples]:
    """Yield batches without end, in another order in each pass over the records."""
    for epoch in itertools.count():
        yield from rounds.batches(args.batch, seed=args.seed + epoch)


def learn(network: Clone, batches: Iterator[Samples], args: Args) -> None:
    """Take all gradient steps."""
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate)
    began, losses = time.perf_counter(), []
    for number, batch in enumerate(itertools.islice(batches, args.steps), start=1):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - (number - 1) / args.steps)
        loss = functional.cross_entropy(logits_of(network, batch), torch.from_numpy(batch.action))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it unannotated
        optimizer.step()
        losses.append(loss.item())
        if number % 500 == 0 or number == args.steps:
            rate = number * args.batch / (time.perf_counter() - began)
            print(f"{number:,} steps, loss {np.mean(losses[-500:]):.3f}, {rate:,.0f} decisions/s", flush=True)


@torch.no_grad()
def matched(network: Clone, rounds: RecordedRounds) -> dict[str, float]:
    """Return the share of decisions at which the likeliest action is the one that was taken, in all and by phase."""
    phases, hits = [], []
    for batch in rounds.batches(4096):
        hits.append(logits_of(network, batch).argmax(dim=1).numpy() == batch.action)
        phases.append(batch.phase)
    hit: NDArray[np.bool_] = np.concatenate(hits)
    phase = np.concatenate(phases)
    by_phase = {Phase(number).name: float(hit[phase == number].mean()) for number in np.unique(phase).tolist()}
    return {"all": float(hit.mean()), **by_phase}


def export(network: Clone, rounds: RecordedRounds, out: str) -> str:
    """Write the policy as ``policy.npz``, with the scale in its first layer; return the text that names the player."""
    path = Path(out) / "policy.npz"
    write_policy(layer_stack(network.layers, network.scale), path, rules=str(rounds.rules))
    return f"policy:{path}"


def clone(args: Args) -> str:
    """Learn, measure, and return the text that names the player."""
    torch.manual_seed(args.seed)
    players = (args.player,) if args.player else ()
    rounds = RecordedRounds(args.data, part="training", validation_share=args.validation_share, players=players)
    network = Clone(args.width)
    batches = epochs(rounds, args)
    network.scale.copy_(scale_of(torch.from_numpy(next(batches).observation)))
    learn(network, batches, args)
    shares = matched(network, replace(rounds, part="validation"))
    print("matched: " + ", ".join(f"{name} {share:.1%}" for name, share in shares.items()))
    player = export(network, rounds, args.out)
    for opponent in ("random", "greedy", "heuristic"):
        result = play_matchup(player, opponent, num_deals=args.deals, rules=rounds.rules, seed=MATCHUP_SEED)
        print(Matchup(opponent, result))
    return player


def main() -> int:
    """Read the command line and clone; return the exit status, 2 after a bad setting."""
    return run_learner(clone, Args, prog="clone_single_file", description="Behaviour cloning from records.")


if __name__ == "__main__":
    raise SystemExit(main())
