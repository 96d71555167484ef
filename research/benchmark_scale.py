"""How the batch environment's speed grows: with tables, with threads, and with spawned processes.

    python -m research.benchmark_scale                 contention: one worker alone, then several at the same time

Machines are shared and noisy. So one worker alone and all workers together are measured alternately, many times; the
result is the ratio of each pair: its median, with quartiles as the spread. Processes are timed by the processor time
that they get, which shows how they slow one another down but not who else uses the cores. Threads of one batch wait for
one another, so they are timed by the clock and need a quiet machine.
"""

import argparse
import multiprocessing
import statistics
import time
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from typing import Any

import numpy as np

from shengji_env.engine.state import STATE_DTYPE
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.vector import BatchEnv


def steps_per_second(env: Any, seconds: float, clock: Callable[[], float] = time.perf_counter) -> float:
    """Steps per second of `clock`, with observation and mask written and random legal actions chosen."""
    began, steps = clock(), 0
    while clock() - began < seconds:
        for _ in range(max(16, 4096 // env.num_envs)):
            env.step(env.sample_actions())
            steps += env.num_envs
    return steps / (clock() - began)


def spread_out(env: BatchEnv, steps: int = 150) -> None:
    """Bring the tables to different points of a round."""
    for step in range(steps):
        chosen = env.sample_actions()
        env.step(np.where(np.arange(env.num_envs) % steps > step, chosen, -1))


def _worker(size: int, seed: int, start: Barrier, repetitions: int, seconds: float, number: int, results: Any) -> None:
    """Measure when the first worker is alone (even turns) and when all run (odd turns)."""
    env = BatchEnv(size, seed=seed)
    spread_out(env)
    rates = []
    for turn in range(2 * repetitions):
        start.wait()
        if number == 0 or turn % 2:
            rates.append(steps_per_second(env, seconds, time.process_time))
    results.put((number, rates))


def process_ratios(size: int, workers: int, repetitions: int, seconds: float) -> tuple[list[float], list[float]]:
    """Rates of one process alone, and of all together over it, turn by turn; the processes are spawned."""
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(workers), context.Queue()
    started = [
        context.Process(target=_worker, args=(size, number, start, repetitions, seconds, number, results))
        for number in range(workers)
    ]
    for process in started:
        process.start()
    rates = dict(results.get() for _ in started)
    for process in started:
        process.join()
    alone = rates[0][::2]
    together = [rates[0][2 * turn + 1] + sum(rates[n][turn] for n in range(1, workers)) for turn in range(repetitions)]
    return alone, [both / one for both, one in zip(together, alone, strict=True)]


def thread_ratios(size: int, threads: int, repetitions: int, seconds: float) -> tuple[list[float], list[float]]:
    """Rates of one batch stepped by one thread, and of the same tables stepped by several over it, turn by turn."""
    one, several = (BatchEnv(size, seed=0, threads=number) for number in (1, threads))
    spread_out(one)
    spread_out(several)
    alone, ratios = [], []
    for _ in range(repetitions):
        alone.append(steps_per_second(one, seconds))
        ratios.append(steps_per_second(several, seconds) / alone[-1])
    return alone, ratios


def quartiles(values: list[float], form: str) -> str:
    """Median and, in brackets, lower and upper quartile."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:{form}} ({low:{form}}–{high:{form}})"


def main() -> None:
    """Print one row for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2, help="processes or threads at the same time (default 2)")
    parser.add_argument("--repetitions", type=int, default=9, help="turns of each size (default 9)")
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a turn (default 1)")
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 256, 1024, 4096, 8192], help="tables a worker")
    chosen = parser.parse_args()
    print(f"state {STATE_DTYPE.itemsize} bytes, observation {OBSERVATION_SIZE} bytes; median (quartiles)")
    for size in chosen.sizes:
        for name, measure in (("processes", process_ratios), ("threads of one batch", thread_ratios)):
            alone, ratios = measure(size, chosen.workers, chosen.repetitions, chosen.seconds)
            print(
                f"N={size:,}, {chosen.workers} {name}: {quartiles(ratios, '.2f')} × one alone, "
                f"which makes {quartiles(alone, ',.0f')} steps/s",
                flush=True,
            )


if __name__ == "__main__":
    main()
