"""Deep Monte Carlo in one file, to be read from top to bottom: ``python -m agents.dmc_single_file --steps 2000000``.

One network values candidate plays, and plays all four seats of many tables: it makes the play that it values most, and
now and then another one. When a round is over, each of its decisions is labelled with the levels that its seat's team
was paid. The network is regressed on these returns, and plays the next rounds. That is all: nothing is bootstrapped
from values, and there is no policy beside them.

The method is that of DouZero (Zha and others, "DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement Learning",
ICML 2021, and its code). It differs in this:

| here                                          | DouZero                          | why                               |
|-----------------------------------------------|----------------------------------|-----------------------------------|
| one network for all seats                     | one for each of three positions  | Seats see the table alike.        |
| a play is one of at most ten candidates       | any legal play                   | A hand of 25 cards has too many.  |
| a play is its cards and its features          | its cards                        | As the other learners here do.    |
| two layers of 256; no history                 | an LSTM, six layers of 512       | The observation counts the cards. |
| rounds of many tables, then gradient steps    | actors and learner side by side  | It is one process, for minutes.   |
| Adam; its step size falls to 0                | RMSprop; its step size is fixed  | See below.                        |
| the mean of recent weights plays, and is kept | the last weights                 | See below.                        |

A return holds the chance of a whole round, about 1.5 levels, and most plays differ by hundredths. The largest of
several noisy values belongs to the play that is overrated most, so a network whose weights still move by noise plays
worse than it knows. Therefore the step size falls, weights are averaged, and at first every play is worth the same.
research/trials/dmc.md has what was tried, research/baselines.md what it reaches.
"""

import time
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from agents.common_arguments import run_learner
from agents.evaluation import Matchup
from agents.scales import scale_of
from shengji_env.arena import play_matchup
from shengji_env.engine.rule_sets import NUM_SEATS, parse_rules
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.envs.plays import PlayBatchEnv
from shengji_env.errors import ConfigError
from shengji_env.players import CandidatePlayer
from shengji_env.players.candidate_player import Choices
from shengji_env.players.candidates import CANDIDATES_VERSION, NUM_FEATURES
from shengji_env.players.networks.network_file import (
    MAX_LAYER,
    check_arrays,
    check_compatible,
    file_at,
    last_axes,
    read_network,
    reading,
    write_network,
)
from shengji_env.support.arguments import check_index
from shengji_env.tables.arrays import STAND_STILL
from shengji_env.tables.observation import LAYOUT_VERSION, OBSERVATION_SIZE

CANDIDATE_SIZE = NUM_SLOTS + NUM_FEATURES
"""Inputs about a candidate: its cards by slot, and its features."""
MATCHUP_SEED = 20_000
"""Seed of the deals of the match-up at the end; no deal of training comes from it."""
DMC_FILE = "dmc.npz"
"""The network, in the folder of a run."""
VERSIONS = {
    "format": "shengji-dmc/1",
    "layout_version": LAYOUT_VERSION,
    "candidates_version": CANDIDATES_VERSION,
}
"""What the file's header must say."""
MAX_WEIGHT = 1_000_000
"""The largest weight of a file."""


@dataclass(frozen=True)
class Args:
    """The settings; each is an option of the command line."""

    rules: str = "two_deck"
    """Rule set, as in the arena."""
    seed: int = 1
    """Seed of deals, network, exploration and minibatches."""
    steps: int = 4_000_000
    """Decisions in all; 0: no limit."""
    cpu_minutes: float = 0.0
    """Processor time in all, in minutes, of all threads and before the match-up; 0: no limit."""
    tables: int = 512
    """Tables played at once, a round at each between two updates."""
    width: int = 256
    """Width of both hidden layers."""
    epsilon: float = 0.05
    """How often a random candidate is played."""
    learning_rate: float = 1e-3
    """Adam's step size, which falls linearly to 0."""
    minibatch: int = 1024
    """Decisions in one gradient step, about."""
    average: float = 0.995
    """Share of the mean of weights that stays at a gradient step; 0: the last weights are taken."""
    max_gradient_norm: float = 40.0
    """Gradients are scaled down to this norm."""
    deals: int = 500
    """Duplicate deals of the match-up against `random` at the end."""
    out: str = "runs/dmc_single_file"
    """Folder in which dmc.npz is written."""


def check(args: Args) -> None:
    """Refuse settings now that would end the run later, or with which nothing would be learned.

    Raises:
        ConfigError: there is one.
    """
    check_index("width", args.width, 1, MAX_LAYER, error=ConfigError)
    check_index("minibatch", args.minibatch, 1, 2**31, error=ConfigError)
    check_index("deals", args.deals, 2, 10**9, error=ConfigError, why="one deal gives no interval")
    wrong = {
        "steps": args.steps < 0,
        "cpu_minutes": not 0 <= args.cpu_minutes < np.inf,
        "epsilon": not 0 <= args.epsilon <= 1,
        "learning_rate": not 0 < args.learning_rate < np.inf,
        "average": not 0 <= args.average < 1,
        "max_gradient_norm": not args.max_gradient_norm > 0,
    }
    for name in (name for name, is_wrong in wrong.items() if is_wrong):
        raise ConfigError(f"{name}={getattr(args, name)} is out of range; {name} is by default {getattr(Args, name)}")
    if args.steps == 0 and args.cpu_minutes == 0:
        raise ConfigError("steps and cpu_minutes are both 0, so the run would never end; set one of them")


class Network(nn.Module):
    """The return of a play: two ReLU layers on observation and candidate, each input divided by its typical size."""

    observation_scale: Tensor
    candidate_scale: Tensor

    def __init__(self, width: int) -> None:
        """Make fresh weights; at first every play is worth 0."""
        super().__init__()
        self.observation = nn.Linear(OBSERVATION_SIZE, width)
        self.candidate = nn.Linear(CANDIDATE_SIZE, width, bias=False)
        self.hidden = nn.Linear(width, width)
        self.value = nn.Linear(width, 1)
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)
        self.register_buffer("observation_scale", torch.ones(OBSERVATION_SIZE))
        self.register_buffer("candidate_scale", torch.ones(CANDIDATE_SIZE))

    def forward(self, observations: Tensor, candidates: Tensor, owners: Tensor | None = None) -> Tensor:
        """Return the values of candidates, (C,), in levels.

        The first layer reads an observation once for all candidates of its decision.

        Args:
            observations: (D, OBSERVATION_SIZE) int8.
            candidates: (C, CANDIDATE_SIZE) int8.
            owners: (C,) the decision of each candidate; None: each decision has one.
        """
        seen = self.observation(observations.float() * self.observation_scale)
        first = (seen if owners is None else seen[owners]) + self.candidate(candidates.float() * self.candidate_scale)
        value: Tensor = self.value(self.hidden(first.relu()).relu()).squeeze(-1)
        return value


@torch.no_grad()
def values_of(network: Network, choices: Choices | PlayBatchEnv, rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return what the candidates of some decisions are worth, (R, M); where there is none, minus infinity."""
    is_candidate = choices.action_mask[rows].astype(np.bool_)
    cards, features = choices.cards[rows][is_candidate], choices.features[rows][is_candidate]
    owners, _ = np.nonzero(is_candidate)
    inputs = choices.observation[rows], np.concatenate([cards, features], axis=1), owners
    values = np.full(is_candidate.shape, -np.inf, np.float32)
    values[is_candidate] = network(*map(torch.from_numpy, inputs)).numpy()
    return values


@dataclass(frozen=True)
class Experience:
    """D decisions of finished rounds."""

    observations: Tensor
    """(D, OBSERVATION_SIZE) int8, as the seats to move saw them."""
    candidates: Tensor
    """(D, CANDIDATE_SIZE) int8, what they played."""
    returns: Tensor
    """(D,) float32, the levels that their teams were paid at the round's end."""


def play(env: PlayBatchEnv, network: Network, epsilon: float, generator: np.random.Generator) -> Experience:
    """Play one round at every table, the network in all seats.

    A table whose round is over stands still until the others' are: it has begun the next round by itself.
    """
    observations, candidates, tables, seats = [], [], [], []
    paid = np.zeros((env.num_envs, NUM_SEATS), np.float32)
    is_playing = np.ones(env.num_envs, np.bool_)
    while is_playing.any():
        rows = np.flatnonzero(is_playing)
        best = values_of(network, env, rows).argmax(axis=1)
        other = generator.integers(env.action_mask[rows].sum(axis=1))
        choice = np.where(generator.random(len(rows)) < epsilon, other, best)
        observations.append(env.observation[rows])  # a copy: the next step overwrites it
        candidates.append(np.concatenate([env.cards[rows, choice], env.features[rows, choice]], axis=1))
        tables.append(rows)
        seats.append(env.seat[rows])
        actions = np.full(env.num_envs, STAND_STILL)
        actions[rows] = choice
        env.step(actions)
        paid += env.reward  # 0 but for the step that ends a round
        is_playing &= ~env.terminated
    returns = paid[np.concatenate(tables), np.concatenate(seats)]
    return Experience(*map(torch.from_numpy, (np.concatenate(observations), np.concatenate(candidates), returns)))


def learn(
    network: Network, mean: Network, optimizer: torch.optim.Optimizer, played: Experience, args: Args
) -> dict[str, float]:
    """Take one gradient step for each minibatch, and follow with the mean of weights; return metrics."""
    errors = []
    for rows in torch.randperm(len(played.returns)).chunk(max(1, len(played.returns) // args.minibatch)):
        values = network(played.observations[rows], played.candidates[rows])
        loss = functional.mse_loss(values, played.returns[rows])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it unannotated
        nn.utils.clip_grad_norm_(network.parameters(), args.max_gradient_norm)
        optimizer.step()
        errors.append(loss.item())
        with torch.no_grad():
            for kept, weight in zip(mean.parameters(), network.parameters(), strict=True):
                kept.lerp_(weight, 1 - args.average)
    return {"loss": float(np.mean(errors)), "variance of returns": played.returns.var().item()}


def share_done(args: Args, steps: int, seconds: float) -> float:
    """Return how much of the budget is used, of that which ends first; at 1 the run is over."""
    limits = (steps, args.steps), (seconds, 60 * args.cpu_minutes)
    return max(used / limit for used, limit in limits if limit)


def train(args: Args) -> str:
    """Train, play the match-up, and return the text that names the player.

    Raises:
        ShengjiError: a setting is invalid.
        OSError: the folder cannot be written to.
    """
    began = time.process_time()
    check(args)
    env = PlayBatchEnv(args.tables, args.rules, start="any", skip_forced=True, seed=args.seed)
    Path(args.out).mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    generator = np.random.default_rng(args.seed)
    network = Network(args.width)
    played = play(env, network, 1.0, generator)  # at random: of equal values, the first would be `heuristic`'s play
    network.observation_scale.copy_(scale_of(played.observations))
    network.candidate_scale.copy_(scale_of(played.candidates))
    mean = deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=args.learning_rate)
    steps, share = 0, 0.0
    while share < 1:
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - share)
        metrics = learn(network, mean, optimizer, played, args)
        steps += len(played.returns)
        seconds = time.process_time() - began
        share = share_done(args, steps, seconds)
        shown = ", ".join(f"{name} {value:.3f}" for name, value in metrics.items())
        print(f"{steps:,} steps, {seconds:,.0f} s of processor, {steps / seconds:,.0f} steps/s, {shown}", flush=True)
        if share < 1:
            played = play(env, mean, args.epsilon, generator)
    player = export(mean, args)
    result = play_matchup(player, "random", num_deals=args.deals, rules=args.rules, seed=MATCHUP_SEED)
    print(f"{Matchup('random', result)}; play it with: shengji arena {player} heuristic")
    return player


def export(network: Network, args: Args) -> str:
    """Write the network as ``dmc.npz``, whole or not at all; return the text that names the player."""
    header = VERSIONS | {"rules": args.rules, "rules_fingerprint": parse_rules(args.rules).fingerprint}
    path = Path(args.out) / DMC_FILE
    write_network(path, header, {name: tensor.numpy() for name, tensor in network.state_dict().items()})
    return f"agents.dmc_single_file:DMCPlayer?path={quote(str(path))}"


def read(path: Path) -> Network:
    """Read what `export` has written.

    Raises:
        PlayerError: there is no such file, it is damaged, or it is not compatible.
    """
    with reading(path, DMC_FILE):
        header, arrays = read_network(path)
    check_compatible(path, header, VERSIONS)
    with reading(path, DMC_FILE):
        network = Network(*last_axes(arrays, ["hidden.bias"]))
        weights: Mapping[str, Tensor] = network.state_dict()
        check_arrays(arrays, {name: tuple(weight.shape) for name, weight in weights.items()}, MAX_WEIGHT)
    network.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    return network


class DMCPlayer(CandidatePlayer):
    """The network at a table of the arena: it takes the candidate that it values most."""

    def __init__(self, path: str = Args.out) -> None:
        """Read a ``dmc.npz`` file, or the one in a run's folder."""
        self.network = read(file_at(path, DMC_FILE, "network"))
        self.name = f"dmc:{path}"

    def choose(self, choices: Choices) -> NDArray[np.int64]:
        """Choose a candidate for each decision, (B,)."""
        chosen: NDArray[np.int64] = values_of(self.network, choices, np.arange(len(choices))).argmax(axis=1)
        return chosen


def main() -> int:
    """Read the command line and train; return the exit status, 2 after a bad setting."""
    return run_learner(
        train, Args, prog="dmc_single_file", description="Deep Monte Carlo in one file, in all four seats."
    )


if __name__ == "__main__":
    raise SystemExit(main())
