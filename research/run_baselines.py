"""Train the baselines at equal processor time: ``make baselines``.

Every algorithm learns from nothing for so many minutes of processor time, all its processes counted, with each of three
seeds; and for a quarter and a sixteenth of it, each a run of its own whose schedules end there. Then all play the same
duplicate deals. What has been learned and played is kept in the folder: the same command goes on with the rest. After
Ctrl-C, the run at work saves what it has; after a second one, it is killed.

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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from shengji_env import __version__
from shengji_env.arena import Tournament
from shengji_env.arena.limits import MAX_DEALS
from shengji_env.arena.statistics import mean_interval
from shengji_env.arena.to_the_last_deal import play_to_the_last_deal
from shengji_env.cli.exit_codes import EXIT_INTERRUPTED, run_command
from shengji_env.cli.option_types import file_path, number, whole_number
from shengji_env.cli.parser import OnceParser
from shengji_env.engine.rule_sets import DEFAULT_RULES, parse_rules
from shengji_env.errors import ConfigError, ShengjiError
from shengji_env.support.arguments import check_index
from shengji_env.support.ledger import refuse_other
from shengji_env.support.whole_files import lock_folder, write_json
from shengji_env.support.workers.pools import executor_for
from tools.markdown import shown

ROOT = Path(__file__).resolve().parent.parent
RUNS_FILE, COST_FILE = "runs.json", "cost.json"
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
class BaselineAlgorithm:
    """An algorithm."""

    about: str
    """What it does, in half a line."""
    commands: Callable[[float, int, Path], Commands]
    """The commands that learn for so many minutes with a seed in a folder; a command that was stopped goes on."""
    player: Callable[[Path], str]
    """The text that names what was learned."""


@dataclass(frozen=True)
class BaselineRun:
    """A run and what it reached."""

    algorithm: str
    minutes: float
    """Minutes of processor time that it was given."""
    seed: int
    taken: float
    """Those that it took."""
    levels: Mapping[str, Sequence[float]]
    """By opponent: levels a round and the ends of their 95 % interval over deals."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What else this depends on: speed, deals, seed of the deals, rules, version; empty in older files."""


def points_of(outcomes: Sequence[BaselineRun]) -> list[dict[str, Any]]:
    """Return what the runs of each algorithm and time come to: the least time first, seeds in their order.

    `taken` has a number for each run; so has `each` of an opponent, whose `mean` has its interval over runs, too.
    """
    groups: dict[str, dict[float, list[BaselineRun]]] = {}
    for each in outcomes:
        groups.setdefault(each.algorithm, {}).setdefault(each.minutes, []).append(each)
    return [
        {"algorithm": algorithm, "minutes": minutes, "taken": [run.taken for run in runs]}
        | {name: _mean_of([run.levels[name][0] for run in runs]) for name in runs[0].levels}
        for algorithm, points in groups.items()
        for minutes, runs in sorted(points.items())
    ]


def _mean_of(levels: Sequence[float]) -> dict[str, Sequence[float]]:
    """Return the mean of runs, with its interval unless there is only one, and each of them."""
    if len(levels) == 1:
        return {"mean": levels, "each": levels}
    mean, interval = mean_interval(np.array(levels))
    return {"mean": [mean, *interval], "each": levels}


def _train(config: str, folder: Path, **keys: object) -> list[str]:
    """Return the command of a run, or of the rest of it."""
    if (folder / "checkpoint.zip").exists():
        return [sys.executable, "train.py", "--resume", str(folder)]
    named = [f"--set={name.replace('__', '.')}={value!r}" for name, value in keys.items()]
    return [sys.executable, "train.py", f"configs/baselines/{config}.toml", "--out", str(folder), *named]


def _ppo(minutes: float, seed: int, folder: Path) -> Commands:
    return [_train("ppo", folder, run__seed=seed, training__steps=round(330_000 * minutes))]


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


BASELINES: Mapping[str, BaselineAlgorithm] = {
    "MaskablePPO": BaselineAlgorithm("self-play from nothing, card by card", _ppo, lambda folder: f"policy:{folder}"),
    "DMC": BaselineAlgorithm(
        "Deep Monte Carlo, whole plays", _dmc, lambda folder: f"agents.dmc_single_file:DMCPlayer?path={folder}"
    ),
    "cloning": BaselineAlgorithm("imitation of `heuristic`, card by card", _cloning, lambda folder: f"policy:{folder}"),
}


def given_minutes(algorithm: str, minutes: float, speed: float) -> float:
    """Return for how many minutes at speed 1 an algorithm is given steps: `DMC` looks at its clock instead."""
    return minutes if algorithm == "DMC" else minutes * speed


def read_cost(folder: Path, given: float) -> dict[str, Any]:
    """Return what a run has cost so far: its seconds, and how many of its commands are done.

    Raises:
        ConfigError: it was given the steps of other minutes, by another `--speed`.
    """
    note = folder / COST_FILE
    cost = {"seconds": 0.0, "done": 0, "given": given, **(json.loads(note.read_bytes()) if note.exists() else {})}
    advice = "These are minutes at speed 1: give the --speed that it had, or another --out"
    refuse_other(folder, "run", cost, {"given": given}, advice=advice, error=ConfigError)
    return cost


def learn(algorithm: str, minutes: float, seed: int, folder: Path, speed: float) -> float:
    """Do a run, or what is left of it; return the minutes of processor time that it took.

    Raises:
        ConfigError: the folder holds a run of another speed.
        ShengjiError: a command of it failed.
    """
    given = given_minutes(algorithm, minutes, speed)
    cost = read_cost(folder, given)
    commands = BASELINES[algorithm].commands(given, seed, folder)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    for place, command in enumerate(commands[cost["done"] :], start=cost["done"]):
        _write(folder / COST_FILE, cost)
        began = _children_seconds()
        code, is_interrupted = _wait(subprocess.Popen(command, cwd=ROOT, env=environment))
        cost["seconds"] += _children_seconds() - began
        cost["done"] = place + (code == 0)
        _write(folder / COST_FILE, cost)
        if is_interrupted or code == EXIT_INTERRUPTED:
            raise KeyboardInterrupt
        if code:
            raise ShengjiError(f"{algorithm}, seed {seed}: {' '.join(command)} ended with {code}")
    return float(cost["seconds"]) / 60


def _wait(process: "subprocess.Popen[bytes]") -> tuple[int, bool]:
    """Wait for a command to end; return its exit status, and whether there was a Ctrl-C.

    Terminals send Ctrl-C to the command, too, which saves before it ends. A second one kills it.
    """
    is_interrupted = False
    while True:
        try:
            return process.wait(), is_interrupted
        except KeyboardInterrupt:
            if is_interrupted:
                process.kill()
            is_interrupted = True


def play(player: str, folder: Path, deals: Mapping[str, int]) -> dict[str, list[float]]:
    """Play what was learned against all opponents, or what is left of it; return levels a round and their interval.

    Raises:
        ShengjiError: a deal was lost.
    """
    levels = {}
    for opponent, number_of_deals in deals.items():
        tournament = Tournament((player, opponent), parse_rules(DEFAULT_RULES), MATCH_SEED, number_of_deals)
        with executor_for(None) as executor:
            (won,) = play_to_the_last_deal([tournament], folder, [f"against-{opponent}"], executor=executor)
        mean, interval = mean_interval(won)
        levels[opponent] = [round(value, 6) for value in (mean, *interval)]
    return levels


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    return run_command("run_baselines", lambda: _run(_parser().parse_args(arguments)), interrupted="what is done stays")


def _run(options: argparse.Namespace) -> None:
    _check(options)
    minutes, console = 60 * options.hours, Console(soft_wrap=True, highlight=False)
    plans = [
        (algorithm, minutes / part, seed)
        for part in options.points
        for seed in options.seeds
        for algorithm in options.algorithms or BASELINES
    ]
    deals = {name: count if options.deals is None else options.deals for name, count in OPPONENTS.items()}
    settings = {"speed": options.speed, "deals": deals, "match_seed": MATCH_SEED}
    settings |= {"rules": DEFAULT_RULES, "package": __version__}
    for algorithm, given, seed in plans:
        read_cost(_folder(options.out, algorithm, given, seed), given_minutes(algorithm, given, options.speed))
    began = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    with lock_folder(options.out):
        outcomes = _read_outcomes(options.out / RUNS_FILE)
        for place, (algorithm, given, seed) in enumerate(plans):
            what, passed = f"{algorithm}, {given:g} minutes, seed {seed}", (time.monotonic() - began) / 60
            console.print(f"run {place + 1} of {len(plans)}, {passed:.0f} min so far: {what}")
            folder = _folder(options.out, algorithm, given, seed)
            taken = learn(algorithm, given, seed, folder, options.speed)
            levels = play(BASELINES[algorithm].player(folder), folder, deals)
            outcomes = _merged(outcomes, BaselineRun(algorithm, given, seed, round(taken, 3), levels, settings))
            runs = {"points": points_of(outcomes), "runs": [asdict(each) for each in outcomes]}
            _write(options.out / RUNS_FILE, runs)
    for point in points_of(outcomes):
        won = ", ".join(f"{shown(point[name]['mean'], '+.3f')} against {name}" for name in deals)
        console.print(f"{point['algorithm']}, {point['minutes']:g} minutes: {won}", markup=False)
    console.print(f"written: {options.out / RUNS_FILE}")


def _check(options: argparse.Namespace) -> None:
    """Refuse what cannot be run, before anything is.

    Raises:
        ConfigError: an option is out of range, or an algorithm is unknown.
    """
    if min(options.hours, options.speed, *options.points) <= 0:
        raise ConfigError("--hours, --speed and --points must be above 0")
    for seed in options.seeds:
        check_index("--seeds", seed, 0, 2**31 - 1, error=ConfigError)
    for name, given in (("algorithm", options.algorithms), ("seed", options.seeds), ("point", options.points)):
        if len(set(given)) < len(given):
            raise ConfigError(f"a {name} is named twice")
    if options.deals is not None:
        check_index("--deals", options.deals, 2, MAX_DEALS, error=ConfigError, why="one deal gives no interval")
    unknown = [name for name in options.algorithms if name not in BASELINES]
    if unknown:
        raise ConfigError(f"no baseline is called {unknown[0]!r}; there are {', '.join(BASELINES)}")


def _folder(out: Path, algorithm: str, minutes: float, seed: int) -> Path:
    """Return the folder of a run."""
    return (out / f"{algorithm.replace(' ', '-')}-{minutes:g}-seed-{seed}").absolute()


def _read_outcomes(path: Path) -> list[BaselineRun]:
    """Return the runs that earlier commands have written."""
    return [BaselineRun(**run) for run in json.loads(path.read_bytes())["runs"]] if path.exists() else []


def _merged(outcomes: Sequence[BaselineRun], new: BaselineRun) -> list[BaselineRun]:
    """Return runs with another one, which replaces an earlier one of its algorithm, minutes and seed."""
    others = [each for each in outcomes if _key(each) != _key(new)]
    return sorted([*others, new], key=lambda each: (each.minutes, each.seed))


def _key(outcome: BaselineRun) -> tuple[str, str, int]:
    return outcome.algorithm, f"{outcome.minutes:g}", outcome.seed


def _parser() -> argparse.ArgumentParser:
    parser = OnceParser(
        prog="python -m research.run_baselines",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
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
    write_json(path, data, indent=1, ensure_ascii=True)


if __name__ == "__main__":
    raise SystemExit(main())
