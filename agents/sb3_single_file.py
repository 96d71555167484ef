"""MaskablePPO in self-play, in one file: ``python -m agents.sb3_single_file``, or ``train.py configs/ppo.toml``.

The learner is sb3-contrib's, by its public interface, from random weights on. It decides for one seat of many tables.
In the other three sits a copy of its network, which makes the likeliest action, inside the compiled step, and gives way
to a newer copy after some updates.

| file in the folder | what it is                                                                                     |
|--------------------|------------------------------------------------------------------------------------------------|
| `policy.npz`       | the last copy, as the player ``policy:FOLDER``: who sits in the other seats, what is measured  |
| `checkpoint.zip`   | weights, optimiser, counters; a program that is started on the folder goes on from there       |
| `result.json`      | the match-ups at the end, and those against `heuristic` at every copy                          |

Ctrl-C saves what the last update has learned, and ends the run. At a copy all tables and generators begin anew, from
the seed and the number of steps: what is learned until the next one follows from the weights alone.

Here a network learns from the decisions of one seat, with a loop that others maintain; in `agents.ppo_single_file` from
those of all four, with a loop to be read. research/baselines.md has what either reaches.
"""

import io
import time
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn
from torch.nn import functional

from agents.checkpoint import (
    CHECKPOINT_NAME,
    Checkpoint,
    check_compatibility,
    check_finite,
    count_of,
    library_versions,
    part_of,
    read_checkpoint,
    write_checkpoint,
)
from agents.command_lines import arena_command
from agents.common_arguments import read_arguments
from agents.evaluation import OPPONENTS, Matchup
from agents.folder import RESULT_NAME, take_new
from agents.interrupt import Interrupted, InterruptFlag
from agents.scales import scale_of
from shengji_env.arena import play_matchup
from shengji_env.cli.exit_codes import EXIT_INTERRUPTED, run_command
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.envs.seat.sb3 import SB3VecEnv
from shengji_env.errors import CheckpointError, ConfigError
from shengji_env.players.networks.policy import POLICY_FILE, VERSIONS, LayerStack, write_policy
from shengji_env.support.arguments import check_index
from shengji_env.support.whole_files import write_json
from shengji_env.tables.observation import OBSERVATION_SIZE

MATCHUP_SEED = 20_000
"""Seed of the deals of all match-ups; no deal of training comes from it."""
SCALE_STEPS = 64
"""Steps of `random` at all tables in which the typical size of inputs is measured."""
LAYERS = ("features_extractor.layer", "mlp_extractor.policy_net.0", "action_net")
"""The policy's layers, as MaskablePPO names them."""


@dataclass(frozen=True)
class Args:
    """The settings; each is an option of the command line."""

    rules: str = "two_deck"
    """Rule set, as in the arena."""
    seed: int = 1
    """Seed of deals, network, actions and minibatches."""
    steps: int = 2_500_000
    """Decisions of the learner in all, in whole rollouts; a run that has ended goes on if there are more."""
    tables: int = 256
    """Tables played at once."""
    rollout_steps: int = 128
    """Decisions at each table between two updates."""
    updates: int = 8
    """Updates between two copies."""
    width: int = 256
    """Width of the first hidden layer, which policy and values share; each has a second one of half the width."""
    learning_rate: float = 1.5e-3
    """Adam's step size, which falls to 0, a little at each copy."""
    epochs: int = 2
    """Passes over each rollout."""
    minibatch: int = 2048
    """Decisions in one gradient step; at most tables times rollout-steps."""
    gae_lambda: float = 0.95
    """Weight of longer estimates of advantages."""
    clip: float = 0.2
    """How far an update may move a probability ratio from 1."""
    entropy: float = 0.005
    """Weight of the entropy bonus."""
    value_weight: float = 0.5
    """Weight of the critic's loss."""
    watched_deals: int = 100
    """Duplicate deals against `heuristic` at each copy."""
    deals: int = 1000
    """Duplicate deals of each match-up at the end."""
    out: str = "runs/sb3_single_file"
    """Folder of the run; one that holds a checkpoint is gone on with."""

    @property
    def rollout(self) -> int:
        """Decisions between two updates."""
        return self.tables * self.rollout_steps

    @property
    def total(self) -> int:
        """Decisions in all: as many whole rollouts as `steps` needs."""
        return -(-self.steps // self.rollout) * self.rollout


def check(args: Args) -> None:
    """Refuse settings now that would end the run later, or with which nothing would be learned.

    Raises:
        ConfigError: there is one.
    """
    for name in ("steps", "tables", "rollout_steps", "updates", "epochs"):
        check_index(name, getattr(args, name), 1, 10**12, error=ConfigError)
    for name, largest in {"width": 4096, "minibatch": args.rollout, "watched_deals": 10**9, "deals": 10**9}.items():
        check_index(name, getattr(args, name), 2, largest, error=ConfigError)
    for name in ("learning_rate", "gae_lambda", "clip", "entropy", "value_weight"):
        value = getattr(args, name)
        if not 0 <= value <= 1 or (value == 0 and name in ("learning_rate", "clip")):
            raise ConfigError(f"{name}={value} must lie in 0 to 1; it is {getattr(Args, name)} by default")


class FirstLayer(BaseFeaturesExtractor):
    """A ReLU layer on the observation, each input divided by its typical size."""

    scale: Tensor

    def __init__(self, space: gymnasium.spaces.Box, width: int) -> None:
        """Make fresh weights."""
        super().__init__(space, width)
        self.layer = nn.Linear(OBSERVATION_SIZE, width)
        self.register_buffer("scale", torch.ones(OBSERVATION_SIZE))

    def forward(self, observation: Tensor) -> Tensor:
        """Return what the layer makes of observations, (B, width)."""
        return functional.linear(observation, self.layer.weight * self.scale, self.layer.bias).relu()


@dataclass
class Progress:
    """What a checkpoint holds."""

    parameters: Mapping[str, Any]
    """The weights and the optimiser, as `MaskablePPO.get_parameters` returns them."""
    steps: int = 0
    """Decisions that have been learned from."""
    seconds: float = 0.0
    """Processor time of learning."""
    curve: list[dict[str, Any]] = field(default_factory=list)
    """Steps, seconds and the match-up of each copy."""


def make_tables(args: Args, opponents: str) -> SB3VecEnv:
    """Make tables with a player in the other seats; actions without a choice are skipped."""
    settings: dict[str, Any] = {"rules": args.rules, "skip_forced": True, "illegal_actions": "raise"}
    return SB3VecEnv(gymnasium.make_vec("shengji/Seat-v0", args.tables, opponents=opponents, **settings))


def make_model(args: Args, opponents: str, steps: int = 0) -> MaskablePPO:
    """Make MaskablePPO with fresh weights, and with the step size that it has after so many steps."""
    layers = {
        "features_extractor_class": FirstLayer,
        "features_extractor_kwargs": {"width": args.width},
        "net_arch": [args.width // 2],
        "activation_fn": nn.ReLU,
        "optimizer_kwargs": {"eps": 1e-5},
    }
    return MaskablePPO(
        "MlpPolicy", make_tables(args, opponents), learning_rate=args.learning_rate * (1 - steps / args.total),
        n_steps=args.rollout_steps, batch_size=args.minibatch, n_epochs=args.epochs, gamma=1.0,
        gae_lambda=args.gae_lambda, clip_range=args.clip, ent_coef=args.entropy, vf_coef=args.value_weight,
        policy_kwargs=layers, seed=zlib.crc32(f"{args.seed} {steps}".encode()), device="cpu",
    )  # fmt: skip


def begin(args: Args) -> Progress:
    """Return fresh weights, and the size that inputs have while `random` plays."""
    model = make_model(args, "random")
    env = make_tables(args, "random")
    env.seed(args.seed)
    seen = [np.asarray(env.reset())]
    for _ in range(SCALE_STEPS):
        seen.append(np.asarray(env.step(np.array(env.env_method("sample_actions")))[0]))
    first = model.policy.features_extractor
    assert isinstance(first, FirstLayer)
    first.scale.copy_(scale_of(torch.from_numpy(np.concatenate(seen))))
    return Progress(model.get_parameters())


def settled(args: Args) -> dict[str, Any]:
    """Return what a run cannot go on without."""
    changeable = ("steps", "watched_deals", "deals", "out")
    kept = {name: value for name, value in asdict(args).items() if name not in changeable}
    return {**VERSIONS, "rules_fingerprint": parse_rules(args.rules).fingerprint, **kept}


def save(progress: Progress, args: Args) -> None:
    """Write the checkpoint, with a config from which `train.py` resumes the run."""
    config = {
        "learner": {"kind": "ppo"},
        "run": {"seed": args.seed},
        "environment": {"rules": args.rules},
        "training": {"steps": args.steps},
        "evaluation": {"deals": args.watched_deals, "final_deals": args.deals},
    }
    counted = {"steps": progress.steps, "seconds": progress.seconds, "curve": progress.curve}
    packed = io.BytesIO()
    torch.save(progress.parameters, packed)
    checkpoint = Checkpoint({"config": config, "settled": settled(args), **counted}, packed.getvalue(), {})
    write_checkpoint(Path(args.out) / CHECKPOINT_NAME, checkpoint)


def restore(args: Args) -> Progress:
    """Read the checkpoint; no code in it runs.

    Raises:
        CheckpointError: it is damaged, of another program, or of a run with other settings.
    """
    path = Path(args.out) / CHECKPOINT_NAME
    saved, model = read_checkpoint(path), make_model(args, "random")
    known = saved.meta.get("settled")
    check_compatibility(known if isinstance(known, dict) else {}, settled(args), path)
    try:
        model.set_parameters(torch.load(io.BytesIO(saved.model), weights_only=True))
        steps, seconds = count_of(saved.meta, "steps"), part_of(saved.meta, "seconds", float)
        return Progress(model.get_parameters(), steps, seconds, part_of(saved.meta, "curve", list))
    except CheckpointError as error:
        raise CheckpointError(f"{path} is damaged: {error}") from None
    except (UnpicklingError, EOFError, RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CheckpointError(f"{path} holds no weights of such a network ({type(error).__name__})") from None


def freeze(progress: Progress, args: Args) -> str:
    """Write a copy of the policy as ``policy.npz``, unless it has diverged; return the text that names the player."""
    weights = {name: tensor.numpy() for name, tensor in progress.parameters["policy"].items()}
    check_finite(weights)
    layers: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = [
        (weights[f"{layer}.weight"].T.copy(), weights[f"{layer}.bias"]) for layer in LAYERS
    ]
    layers[0] = layers[0][0] * weights["features_extractor.scale"][:, None], layers[0][1]
    path = Path(args.out) / POLICY_FILE
    write_policy(LayerStack(tuple(layers)), path, rules=args.rules)
    return f"policy:{path.parent}"


def learn(progress: Progress, opponents: str, args: Args, flag: InterruptFlag) -> None:
    """Learn until the next copy, or until the user asks to stop; what comes after the last update is lost."""
    began = time.process_time()
    model = make_model(args, opponents, progress.steps)
    model.set_parameters(dict(progress.parameters))
    steps = min(args.updates * args.rollout, args.total - progress.steps)
    model.learn(steps, callback=lambda *_: not flag.is_set)
    progress.parameters = model.get_parameters()
    progress.steps += model.num_timesteps // args.rollout * args.rollout
    progress.seconds += time.process_time() - began


def measure(player: str, opponent: str, num_deals: int, args: Args, flag: InterruptFlag) -> Matchup:
    """Play duplicate deals.

    Raises:
        Interrupted: the user asked to stop.
    """
    result = play_matchup(
        player, opponent, num_deals=num_deals, rules=args.rules, seed=MATCHUP_SEED, progress=lambda *_: flag.check()
    )
    return Matchup(opponent, result)


def watch(progress: Progress, player: str, args: Args, flag: InterruptFlag) -> None:
    """Measure a copy and show how far the run is, once for each copy."""
    if progress.curve and progress.curve[-1]["steps"] == progress.steps:
        return
    matchup = measure(player, "heuristic", args.watched_deals, args, flag)
    progress.curve.append({"steps": progress.steps, "seconds": progress.seconds, **matchup.to_json()})
    speed = f", {progress.steps / progress.seconds:,.0f} a second" if progress.steps else ""
    print(f"{progress.steps:,} of {args.total:,} steps, {progress.seconds / 60:.1f} min{speed}; {matchup}", flush=True)


def finish(progress: Progress, player: str, args: Args, flag: InterruptFlag) -> None:
    """Play the match-ups at the end, and write what came of the run."""
    opponents = {}
    for name in OPPONENTS:
        matchup = measure(player, name, args.deals, args, flag)
        print(matchup, flush=True)
        opponents[name] = matchup.to_json()
    result = {
        "settings": asdict(args), "rules_fingerprint": parse_rules(args.rules).fingerprint,
        "steps": progress.steps, "seconds": progress.seconds, "opponents": opponents, "curve": progress.curve,
        "libraries": library_versions(("stable-baselines3", "sb3-contrib")),
    }  # fmt: skip
    write_json(Path(args.out) / RESULT_NAME, result, ensure_ascii=True)
    print(f"evaluate it with: {arena_command(player, rules=args.rules, num_deals=args.deals)}")


def train(args: Args) -> bool:
    """Begin a run or go on with it, and measure what it has learned; return False if the user stopped it first.

    Raises:
        ConfigError: a setting is impossible, or the folder cannot be made.
        CheckpointError: the folder's checkpoint cannot be gone on with.
        ShengjiError: another process uses the folder.
    """
    check(args)
    torch.set_num_threads(1)
    with take_new(Path(args.out)), InterruptFlag() as flag:
        progress = restore(args) if (Path(args.out) / CHECKPOINT_NAME).exists() else begin(args)
        try:
            watch(progress, player := freeze(progress, args), args, flag)
            while progress.steps < args.total:
                learn(progress, player, args, flag)
                player = freeze(progress, args)
                save(progress, args)
                flag.check()
                watch(progress, player, args, flag)
            finish(progress, player, args, flag)
        except Interrupted:
            return False
    return True


def main() -> int:
    """Read the command line and train; return the exit status: 0, 2 after a bad setting, 130 after Ctrl-C."""
    description = (
        "MaskablePPO learns one seat from nothing, with frozen copies of its network in the other three. A million "
        "steps take three minutes of one core. Started again with the same --out, it goes on."
    )
    args = read_arguments(Args, prog="sb3_single_file", description=description)
    return run_command("sb3_single_file", lambda: 0 if train(args) else EXIT_INTERRUPTED)


if __name__ == "__main__":
    raise SystemExit(main())
