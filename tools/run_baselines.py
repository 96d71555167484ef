"""What the usual algorithms reach at equal cost: ``make baselines``.

Every algorithm learns from nothing for so many minutes of processor time, all its processes counted, with each of three
seeds; and for a quarter and a sixteenth of it, each a run of its own whose schedules end there. Then all play the same
duplicate deals. What has been learned and played is kept in the folder: the same command goes on with the rest.

Only `DMC` looks at its clock. The others are given as many steps or rounds as short runs on a core of an AMD EPYC
(AVX-512, bfloat16) suggest; the table says what they really took. `--speed 0.5` gives them half as many.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from shengji_env.arena import Tournament, play_tournament
from shengji_env.cli.exit_codes import run_command
from shengji_env.cli.option_types import file_path, number, whole_number
from shengji_env.engine.rule_sets import DEFAULT_RULES, parse_rules
from shengji_env.errors import ConfigError, ShengjiError
from shengji_env.support.whole_files import lock_folder, write_whole
from shengji_env.support.workers.pools import executor_for
from tools.baselines import RUNS_FILE, Outcome, runs_table

ROOT = Path(__file__).resolve().parent.parent
COST_FILE = "cost.json"
SEEDS = (1, 2, 3)
POINTS = (16, 4, 1)
"""Divisors of the minutes: the points of the curve."""
MATCH_SEED = 17_000
"""Seed of the deals that are played at the end, which nothing has learned from."""
OPPONENTS: Mapping[str, int] = {"heuristic": 4000, "greedy": 2000}
"""Who is played at the end, on so many deals."""
_ROUNDS = 1000
"""Rounds of a shard."""

Commands = list[list[str]]


@dataclass(frozen=True)
class Baseline:
    """An algorithm."""

    about: str
    """What it does, in half a line."""
    commands: Callable[[float, int, Path], Commands]
    """The commands that learn for so many minutes with a seed in a folder; a command that was stopped goes on."""
    player: Callable[[Path], str]
    """The text that names what was learned."""


def _train(config: str, folder: Path, **keys: object) -> list[str]:
    """Return the command of a run, or of the rest of it."""
    if (folder / "checkpoint.zip").exists():
        return [sys.executable, "train.py", "--resume", str(folder)]
    named = [f"--set={name.replace('__', '.')}={value!r}" for name, value in keys.items()]
    return [sys.executable, "train.py", f"configs/baselines/{config}.toml", "--out", str(folder), *named]


def _ppo(minutes: float, seed: int, folder: Path) -> Commands:
    return [_train("ppo", folder, run__seed=seed, training__steps=round(800_000 * minutes))]


def _values(minutes: float, seed: int, folder: Path) -> Commands:
    starting = 0.4  # minutes: held-out rounds, compiled code
    rounds = max(_ROUNDS, round(15_000 * (minutes - starting) / _ROUNDS) * _ROUNDS)
    shards = str(folder / "rollouts")
    return [_train("values", folder, run__seed=seed, rollouts__rounds=rounds, rollouts__folder=shards)]


def _cloning(minutes: float, seed: int, folder: Path) -> Commands:
    """Return the commands that record `heuristic`'s rounds and imitate them."""
    rounds, shengji = str(folder / "rounds"), [sys.executable, "-m", "shengji_env.cli"]
    players = ["heuristic"] * 4
    clone = [sys.executable, "-m", "agents.clone_single_file", "--data", rounds, "--out", str(folder)]
    return [
        [*shengji, "collect", *players, "--rounds", str(round(2000 * minutes)), "--seed", str(seed), "--out", rounds],
        [*clone, "--seed", str(seed), "--steps", str(round(1600 * minutes)), "--deals", "2"],
    ]


def _dmc(minutes: float, seed: int, folder: Path) -> Commands:
    learn = [sys.executable, "-m", "agents.dmc_single_file", "--seed", str(seed), "--out", str(folder)]
    return [[*learn, "--steps", "0", "--cpu-minutes", str(minutes), "--deals", "2"]]


BASELINES: Mapping[str, Baseline] = {
    "MaskablePPO": Baseline("self-play from nothing, card by card", _ppo, lambda folder: f"policy:{folder}"),
    "DMC": Baseline(
        "Deep Monte Carlo, whole plays", _dmc, lambda folder: f"agents.dmc_single_file:DMCPlayer?path={folder}"
    ),
    "cloning": Baseline("imitation of `heuristic`, card by card", _cloning, lambda folder: f"policy:{folder}"),
    "value learner": Baseline("rollout values, whole plays", _values, lambda folder: f"values:{folder}"),
}


def learn(algorithm: str, minutes: float, seed: int, folder: Path, speed: float) -> float:
    """Do a run, or what is left of it; return the minutes of processor time that it took.

    Raises:
        ShengjiError: a command of it failed.
    """
    note = folder / COST_FILE
    seconds, done = json.loads(note.read_bytes()).values() if note.exists() else (0.0, 0)
    given = minutes if algorithm == "DMC" else minutes * speed
    commands = BASELINES[algorithm].commands(given, seed, folder)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    for place, command in enumerate(commands[done:], start=done):
        began = _children_seconds()
        try:
            code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        finally:
            seconds += _children_seconds() - began
            folder.mkdir(parents=True, exist_ok=True)
            _write(note, {"seconds": seconds, "done": place})
        if code == 130:
            raise KeyboardInterrupt
        if code:
            raise ShengjiError(f"{algorithm}, seed {seed}: {' '.join(command)} ended with {code}")
        _write(note, {"seconds": seconds, "done": place + 1})
    return float(seconds) / 60


def play(player: str, folder: Path, deals: Mapping[str, int]) -> dict[str, list[float]]:
    """Play what was learned against all opponents, or what is left of it; return levels a round and their interval."""
    levels = {}
    for opponent, number_of_deals in deals.items():
        tournament = Tournament((player, opponent), parse_rules(DEFAULT_RULES), MATCH_SEED, number_of_deals)
        with executor_for(None) as executor:
            (result,) = play_tournament(tournament, folder / f"against-{opponent}", executor=executor).results
        if result is None:
            raise ShengjiError(f"{player} against {opponent}: too few deals were played to their end")
        levels[opponent] = [round(value, 6) for value in (result.levels_per_round, *result.interval)]
    return levels


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return run_command("run_baselines", lambda: _run(_parser().parse_args(arguments)), interrupted="what is done stays")


def _run(options: argparse.Namespace) -> None:
    if min(options.hours, options.speed, *options.points) <= 0:
        raise ConfigError("--hours, --speed and --points must be above 0")
    unknown = [name for name in options.algorithms if name not in BASELINES]
    if unknown:
        raise ConfigError(f"no baseline is called {unknown[0]!r}; there are {', '.join(BASELINES)}")
    minutes, console = 60 * options.hours, Console(soft_wrap=True, highlight=False)
    plans = [
        (algorithm, minutes / part, seed)
        for part in options.points
        for seed in options.seeds
        for algorithm in options.algorithms or BASELINES
    ]
    deals = {name: options.deals or count for name, count in OPPONENTS.items()}
    outcomes, began = [], time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    with lock_folder(options.out):
        for place, (algorithm, given, seed) in enumerate(plans):
            what, passed = f"{algorithm}, {given:g} minutes, seed {seed}", (time.monotonic() - began) / 60
            console.print(f"run {place + 1} of {len(plans)}, {passed:.0f} min so far: {what}")
            folder = (options.out / f"{algorithm.replace(' ', '-')}-{given:g}-seed-{seed}").absolute()
            taken = learn(algorithm, given, seed, folder, options.speed)
            levels = play(BASELINES[algorithm].player(folder), folder, deals)
            outcomes.append(Outcome(algorithm, given, seed, round(taken, 3), levels))
            _write(options.out / RUNS_FILE, {"runs": [asdict(outcome) for outcome in outcomes]})
    console.print(runs_table(outcomes), markup=False)
    console.print(f"written: {options.out / RUNS_FILE}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.run_baselines", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("algorithms", metavar="ALGORITHM", nargs="*", help=f"all, or some of: {', '.join(BASELINES)}")
    parser.add_argument("--hours", type=number, default=1 / 3, help="processor time of the longest runs (a third)")
    parser.add_argument("--speed", type=number, default=1.0, help="this machine's speed, as above (1)")
    parser.add_argument("--seeds", type=whole_number, nargs="+", default=SEEDS, metavar="S", help="seeds (1 2 3)")
    parser.add_argument(
        "--points", type=whole_number, nargs="+", default=POINTS, metavar="D",
        help="what the time is divided by for the points of the curve, each a run of its own (16 4 1)",
    )  # fmt: skip
    parser.add_argument("--deals", type=whole_number, help="deals of each match-up at the end (4,000 and 2,000)")
    parser.add_argument("--out", type=file_path, default=Path("runs/baselines"), help="the folder (runs/baselines)")
    return parser


def _children_seconds() -> float:
    """Return the processor time of all processes that have ended below this one."""
    times = os.times()
    return times.children_user + times.children_system


def _write(path: Path, data: Any) -> None:
    write_whole(path, json.dumps(data, indent=1).encode() + b"\n")


if __name__ == "__main__":
    raise SystemExit(main())
