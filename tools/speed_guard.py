"""A guard of speed: fails where compiled code has become 1.5 times as slow as when it was last measured.

Machines differ, so each part's speed is a ratio to that of `walk`, a fixed compiled loop over tables of counts; both
are measured in turn, in the same run. Processor time counts, and the fastest of several measurements, since other
programs disturb these least. While a part seems too slow, all are measured again, at most `MOST` times. Ratios were
measured on one kind of x86-64: others fail from 2.5 on, other machines never.

    python -m tools.speed_guard         prints each ratio, the usual one, and the least that passes

After a change that is meant to alter a speed, or for another kind of processor, write the new ratios into `USUAL`.
"""

import platform
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.players.playing import HEURISTIC
from tools.bench import networks, ours
from tools.bench.timing import Trial, counted, trial_of_work

USUAL = {
    ours.HEADLINE: 5770.0,
    ours.PLAYOUT_ROWS[HEURISTIC]: 50.0,
    f"champion, {DEFAULT_RULES}, N=1,024": 300.0,
    f"make_vec, N=1,024, against random, {DEFAULT_RULES}": 1125.0,
}
"""Cases of `make bench`, and their units in the time of a thousand tables of `walk`.

Measured on one core of an AMD EPYC (family 25, model 17, with AVX-512) that other programs used too; four runs differed
by up to 8 %, and one with the code for a processor without AVX-512 (`NUMBA_CPU_NAME=haswell`) by up to 10 %.
The champion's was measured later: 267, in a run in which the others made 0.71 to 0.85 of theirs.
"""
MEASURED_ON = "AMD EPYC"
LIMIT, LIMIT_ELSEWHERE = 1.5, 2.5
"""How many times as slow a part may be, on the processor of `USUAL` and on others, whose ratios are not known."""
FEWEST, MOST = 8, 40
SECONDS = 0.1
_TABLES, _ROWS, _SLOTS = 1024, 32, 54


@jit
def walk(tables: NDArray[Any], word: int) -> int:
    """Do what steps do most, whatever the engine becomes: look at rows of a table, add, compare and branch.

    Args:
        tables: (…, 32, 64) int8, about as large as the states of as many tables.
        word: what to begin with, not 0.

    Returns:
        A number that depends on all of it, so that nothing is left out.
    """
    seen = 0
    for table in range(tables.shape[0]):
        for _ in range(_ROWS):
            word ^= word << 13
            word ^= (word >> 7) & 0x1FFFFFFFFFFFFFF
            word ^= word << 17
            row = tables[table, (word >> 9) & (_ROWS - 1)]
            held = 0
            for slot in range(_SLOTS):
                if row[slot] > (word >> slot) & 3:
                    held += slot
                elif row[slot] == 0:
                    held ^= 1
            row[(word >> 20) & 31] = held & 3
            seen += held
    return seen


def trials() -> dict[str, Trial]:
    """Return the parts, ready to be measured."""
    cases = {case.name: case for case in (*ours.cases(), *networks.cases())}
    return {name: cases[name].make() for name in USUAL}


def speed(trial: Trial) -> float:
    """Return the units per second of processor time."""
    began, cpu_began = time.perf_counter(), time.process_time()
    rate = trial.measure(SECONDS)[0]
    return rate * (time.perf_counter() - began) / (time.process_time() - cpu_began)


def limit() -> float:
    """Return how many times as slow a part may be on this machine."""
    info = Path("/proc/cpuinfo")
    is_known = info.is_file() and MEASURED_ON in info.read_text(encoding="utf-8")
    return LIMIT if is_known else LIMIT_ELSEWHERE


def main() -> None:
    """Measure, print, and exit with 1 if a part is too slow for an x86-64."""
    tables = np.zeros((_TABLES, _ROWS, 64), np.int8)
    walk(tables[:1], 1)
    measured = {"walk": trial_of_work(counted(lambda: walk(tables, 1), _TABLES)), **trials()}
    best, most = dict.fromkeys(measured, 0.0), limit()
    for turn in range(MOST):
        best = {name: max(best[name], speed(trial)) for name, trial in measured.items()}
        ratios = {name: 1000 * best[name] / best["walk"] for name in USUAL}
        slow = [name for name, ratio in ratios.items() if most * ratio < USUAL[name]]
        if turn >= FEWEST and not slow:
            break
    print(f"walk: {best['walk']:,.0f} tables/s; ratios to a thousand of them, the best of {turn + 1}")
    for name, ratio in ratios.items():
        verdict = "SLOW" if name in slow else "ok"
        print(f"{verdict:4} {name}: {ratio:.1f}, usually {USUAL[name]}, at least {USUAL[name] / most:.1f}")
    sys.exit(bool(slow) and platform.machine() in ("x86_64", "AMD64"))


if __name__ == "__main__":
    main()
