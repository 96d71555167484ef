"""Where a step's time goes: each part timed by itself over the same recorded positions.

`make profile` prints nanoseconds per step. The positions are those of a batch environment under random play, recorded
after its tables have drifted apart. Every part is one loop over all tables. The whole includes the loop around the
parts, but also prefetches the next table's memory (`tables/prefetch.py`), which a single part does not. Processor time
is measured, since other programs disturb it less.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from shengji_env.engine.compile import jit
from shengji_env.engine.deal import Deals
from shengji_env.engine.game import apply_action
from shengji_env.engine.masks import write_mask
from shengji_env.engine.opening import begin_round
from shengji_env.engine.rule_sets import RULE_SETS
from shengji_env.engine.state import STATE_DTYPE, UNNAMED, Phase
from shengji_env.tables.arrays import MASK_DTYPE
from shengji_env.tables.observing import write_observation
from shengji_env.tables.queries import choose_random
from shengji_env.tables.random_rounds import random_rounds, random_rounds_with_sizes
from shengji_env.vector import BatchEnv

DRIFT = 2_000
"""Steps before the first recording: tables of equal age would all be in one phase."""
RECORDINGS = 8
APART = 37
"""Steps between two recordings."""

TimedPart = Callable[[], object]


@jit
def apply_all(
    states: NDArray[Any], shared: NDArray[Any], works: NDArray[Any], numbers: NDArray[Any], actions: NDArray[Any]
) -> None:
    """Make one action at every table, without what an environment does around it."""
    for table in range(states.size):
        apply_action(states[table], shared[0].rules, works[0], Deals(shared[0].seed, numbers[table]), actions[table])


@jit
def mask_all(states: NDArray[Any], shared: NDArray[Any], works: NDArray[Any], masks: NDArray[Any]) -> None:
    """Write every table's mask."""
    for table in range(states.size):
        write_mask(states[table], shared[0].rules, works[0], masks[table])


@jit
def observe_all(states: NDArray[Any], shared: NDArray[Any], observations: NDArray[Any]) -> None:
    """Write what the seat to move sees at every table."""
    for table in range(states.size):
        write_observation(states[table], shared[0].rules, max(states[table].seat, 0), observations[table])


@jit
def deal_all(states: NDArray[Any], shared: NDArray[Any], works: NDArray[Any], numbers: NDArray[Any]) -> None:
    """Begin a round at every table."""
    for table in range(states.size):
        begin_round(states[table], shared[0].rules, works[0], Deals(shared[0].seed, numbers[table]))


class Positions:
    """One recording: the tables of an environment, a legal action for each, and spare copies to work on."""

    def __init__(self, env: BatchEnv) -> None:
        tables = env.tables
        self.env, self.states, self.actions = env, tables.states.copy(), env.sample_actions().copy()
        self.shared, self.works, self.progress = tables.shared, tables.works, tables.progress.copy()
        self.masks, self.observations, self.numbers = (
            tables.masks.copy(),
            tables.observations.copy(),
            self.progress["number"].copy(),
        )
        self.beside = tables.arrays._replace(
            states=self.states, progress=self.progress, masks=self.masks.view(MASK_DTYPE)[:, 0]
        )
        self.scratch = np.zeros(env.num_envs, STATE_DTYPE)
        self.chosen = np.zeros(env.num_envs, np.int64)

    def restore(self) -> None:
        """Make the scratch states those recorded."""
        self.scratch[...] = self.states

    def restore_fresh(self) -> None:
        """Make the scratch states ones at which a round may begin."""
        self.restore()
        self.scratch["trump"] = UNNAMED

    def parts(self) -> dict[str, tuple[TimedPart, TimedPart]]:
        """Each part with what must be done before it, untimed."""
        tables = (self.scratch, self.shared)
        return {
            "choose": (lambda: choose_random(self.beside, self.chosen), _nothing),
            "apply": (lambda: apply_all(*tables, self.works, self.numbers, self.actions), self.restore),
            "mask": (lambda: mask_all(self.states, self.shared, self.works, self.masks), _nothing),
            "observation": (lambda: observe_all(self.states, self.shared, self.observations), _nothing),
            "deal (a round)": (lambda: deal_all(*tables, self.works, self.numbers), self.restore_fresh),
        }  # fmt: skip


def _nothing() -> None:
    pass


def _nanoseconds(part: TimedPart, before: TimedPart, repetitions: int) -> float:
    """Median processor time of one call."""
    part()
    times = []
    for _ in range(repetitions):
        before()
        began = time.process_time_ns()
        part()
        times.append(time.process_time_ns() - began)
    return statistics.median(times)


def profile(rules: str, num_envs: int, repetitions: int = 15) -> dict[str, float]:
    """Nanoseconds a step of every part, and of the whole."""
    env = BatchEnv(num_envs, rules, seed=0)
    for _ in range(DRIFT):
        env.step(env.sample_actions())
    sums: dict[str, float] = {}
    kinds = np.zeros(len(Phase), np.int64)
    whole = []
    for _ in range(RECORDINGS):
        positions = Positions(env)
        kinds += np.bincount(env.phase, minlength=len(Phase))
        for name, (part, before) in positions.parts().items():
            nanoseconds = _nanoseconds(part, before, repetitions) / num_envs / RECORDINGS
            sums[name] = sums.get(name, 0.0) + nanoseconds
        began = time.process_time_ns()
        for _ in range(APART):
            env.step(env.sample_actions())
        whole.append((time.process_time_ns() - began) / APART / num_envs)
    sums["whole step"] = statistics.median(whole)
    sums["step of a rollout"] = _rollout_step(rules, repetitions)
    sums |= {f"share of {phase.name}, %": 100 * kinds[phase] / kinds.sum() for phase in Phase if kinds[phase]}
    return sums


def _rollout_step(rules: str, repetitions: int, rounds: int = 1000) -> float:
    """Nanoseconds a decision of whole random rounds in one call, their deals included."""
    decisions = int(random_rounds_with_sizes(rules, seed=0, count=rounds)[1].sum())
    return _nanoseconds(lambda: random_rounds(rules, seed=0, count=rounds), _nothing, repetitions) / decisions


def main() -> None:
    """Print the profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", nargs="+", default=["two_deck"], choices=list(RULE_SETS), help="rule sets")
    parser.add_argument("--envs", type=int, default=1024, help="number of tables (default 1024)")
    arguments = parser.parse_args()
    columns = {rules: profile(rules, arguments.envs) for rules in arguments.rules}
    table = Table("part", *columns, title=f"ns a step, N = {arguments.envs}, one thread")
    for name in next(iter(columns.values())):
        table.add_row(name, *(f"{column.get(name, 0.0):,.0f}" for column in columns.values()))
    Console().print(table)


if __name__ == "__main__":
    main()
