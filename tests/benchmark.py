"""The project's speed, measured in one run: medians of several repetitions with their spread.

`make bench` prints the table; `--json FILE` keeps it. Timings belong here and not into tests: machines are shared and
noisy, so compare ratios of one run."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from shengji_env import shengji_v0
from shengji_env.engine.rules import RULE_SETS
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.vector import ShengjiVectorEnv

Measure = Callable[[], float]
_START = "from shengji_env.vector import ShengjiVectorEnv; e = ShengjiVectorEnv(1, seed=0); e.step(e.sample_actions())"


def batch_steps(rules: str, num_envs: int, threads: int = 1, *, skip_forced: bool = False) -> Measure:
    """Steps/s with observation and mask written and random legal actions chosen inside the loop."""
    env = ShengjiVectorEnv(num_envs, rules, seed=0, threads=threads, skip_forced=skip_forced)
    rounds = max(20, 200_000 // num_envs)

    def measure() -> float:
        began = time.perf_counter()
        for _ in range(rounds):
            env.step(env.sample_actions())
        return rounds * num_envs / (time.perf_counter() - began)

    return measure


def aec_steps(make: Callable[..., shengji_v0.raw_env], steps: int = 20_000) -> Measure:
    """Steps/s of the AEC loop: last, a random legal action chosen with NumPy, step."""
    env = make(start="any")
    draws = np.random.default_rng(0).random(steps)

    def measure() -> float:
        env.reset(seed=0)
        began = time.perf_counter()
        for draw in draws:
            observation, _, terminated, _, _ = env.last()
            if terminated:
                env.reset()
                observation = env.last()[0]
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(legal[int(draw * len(legal))]))
        return steps / (time.perf_counter() - began)

    return measure


def process_seconds(code: str, environment: dict[str, str] | None = None) -> Measure:
    """Wall seconds of a fresh interpreter that runs `code`."""

    def measure() -> float:
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, env={**os.environ, **(environment or {})}
        )
        return time.perf_counter() - began

    return measure


def cold_start() -> float:
    """Seconds to a first step with nothing compiled yet."""
    with tempfile.TemporaryDirectory() as folder:
        return process_seconds(_START, {"XDG_CACHE_HOME": folder})()


def measures() -> dict[str, tuple[Measure, str]]:
    """What is measured: name → (measure, unit)."""
    rows: dict[str, tuple[Measure, str]] = {}
    for num_envs in (1, 64, 1024, 8192):
        rows[f"batch two_deck, N={num_envs}"] = (batch_steps("two_deck", num_envs), "steps/s")
    rows["batch two_deck, N=1024, 2 threads"] = (batch_steps("two_deck", 1024, 2), "steps/s")
    rows["batch two_deck, N=1024, skip_forced"] = (batch_steps("two_deck", 1024, skip_forced=True), "steps/s")
    for rules in RULE_SETS:
        if rules != "two_deck":
            rows[f"batch {rules}, N=1024"] = (batch_steps(rules, 1024), "steps/s")
    rows["AEC raw_env"] = (aec_steps(shengji_v0.raw_env), "steps/s")
    rows["AEC env"] = (aec_steps(shengji_v0.env), "steps/s")
    rows["import shengji_env"] = (process_seconds("import shengji_env"), "s")
    rows["warm start to a first step"] = (process_seconds(_START), "s")
    return rows


def main() -> None:
    """Measure everything, print the table, keep it if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5, help="repetitions of each measure (default 5)")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    arguments = parser.parse_args()
    console = Console()
    results: dict[str, dict[str, float | str]] = {}
    table = Table(
        "measure",
        "median",
        "lowest",
        "highest",
        "unit",
        title=f"{os.cpu_count()} cores, state {STATE_DTYPE.itemsize} bytes",
    )
    with console.status("measuring …") as status:
        for name, (measure, unit) in measures().items():
            status.update(f"measuring {name} …")
            measure()
            values = [measure() for _ in range(arguments.repetitions)]
            row = {"median": statistics.median(values), "lowest": min(values), "highest": max(values), "unit": unit}
            results[name] = row
        status.update("measuring the cold start (compiles the engine) …")
        seconds = cold_start()
        results["cold start to a first step"] = {"median": seconds, "lowest": seconds, "highest": seconds, "unit": "s"}
    for name, row in results.items():
        digits = "{:,.2f}" if row["unit"] == "s" else "{:,.0f}"
        table.add_row(name, *(digits.format(row[key]) for key in ("median", "lowest", "highest")), str(row["unit"]))
    console.print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps({"numpy": np.__version__, "results": results}, indent=2) + "\n")


if __name__ == "__main__":
    main()
