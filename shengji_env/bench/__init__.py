"""The benchmark: this package's speed beside other libraries', in one run.

| module | what is in it |
|---|---|
| `timing` | what a measurement is: cases, repetitions, rows |
| `ours`, `parts`, `starts` | the cases of this package |
| `peer_open_spiel`, `peer_rlcard`, `peer_pettingzoo` | those of other libraries, imported only when measured |
| `benchmark` | one run of it all, and its report |
| `table`, `chart`, `command` | the report on the terminal and as a picture, the options |

>>> from shengji_env.bench import run_benchmark
>>> report = run_benchmark(only=["two_deck, N=64"], peers=False)  # doctest: +SKIP
>>> report.rows[0].median  # doctest: +SKIP
"""

from shengji_env.bench.benchmark import Report, run_benchmark
from shengji_env.bench.command import add_arguments, run

__all__ = ["Report", "add_arguments", "run", "run_benchmark"]
