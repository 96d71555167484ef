"""The benchmark: the speed of this package and of other libraries, measured in one run.

| module | contents |
|---|---|
| `timing`, `loops` | measuring: cases, repetitions, rows; the loop over an AEC environment |
| `ours`, `networks`, `offline`, `part_cases`, `start_cases` | the cases of this package |
| `peer_open_spiel`, `peer_rlcard`, `peer_pettingzoo` | the cases of other libraries, imported only when measured |
| `benchmark` | one run of all cases, and its report |
| `printing`, `chart`, `command` | the report on the terminal, the report as a picture, the options |

>>> from shengji_env.cli.bench import run_benchmark
>>> report = run_benchmark(only=["two_deck, N=64"], peers=False)  # doctest: +SKIP
>>> report.rows[0].median  # doctest: +SKIP
"""

from shengji_env.cli.bench.benchmark import Report, run_benchmark
from shengji_env.cli.bench.command import DESCRIPTION, EPILOG, add_arguments, run

__all__ = ["DESCRIPTION", "EPILOG", "Report", "add_arguments", "run", "run_benchmark"]
