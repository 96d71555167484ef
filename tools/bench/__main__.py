"""The benchmark on the command line: ``python -m tools.bench --help``."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from shengji_env.cli.exit_codes import EXIT_INTERRUPTED, run_command
from shengji_env.cli.option_types import number, output_file, whole_number
from shengji_env.support.whole_files import write_json
from tools.bench.chart import write_chart
from tools.bench.printing import show
from tools.bench.running import Report, run_benchmark

_FILE_WIDTH = 120
_EPILOG = """\
A step is one agent's decision (in this package one card or bid); dealing cards is not a step. As libraries divide play
into decisions differently, the table also gives rounds and cards played. Figures are medians, with the lowest and the
highest. Compare ratios within one run: the figures themselves depend on the machine. `make peers` installs the other
libraries.

  python -m tools.bench                                    everything: about ten minutes; Ctrl-C shows what was measured
  python -m tools.bench --only "two_deck, N" peers --json runs/bench.json
"""


def main(argv: list[str] | None = None) -> int:
    """Measure, print the table, and write the files that were asked for; return the exit code."""
    return run_command("bench", lambda: _run(argv))


def _run(argv: list[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench", description="Measure this package and other libraries, in one run.",
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    add = parser.add_argument
    add("--only", nargs="+", default=[], metavar="TEXT", help="only rows whose group or name contains one of these")
    add("--repetitions", type=whole_number, default=5, metavar="N", help="measurements of each row (5)")
    add("--seconds", type=number, default=0.5, metavar="S", help="time of each measurement (0.5)")
    add("--no-peers", dest="peers", action="store_false", help="measure this package only")
    add("--pin", type=whole_number, metavar="CORE", help="keep one-threaded rows on this core (Linux)")
    add("--json", type=output_file, metavar="FILE", help="write every figure as JSON")
    add("--chart", type=output_file, metavar="FILE", help="draw a chart (PNG); needs matplotlib")
    options = vars(parser.parse_args(argv))
    json_path, chart_path = options.pop("json"), options.pop("chart")
    report = run_benchmark(**options)
    show(report, Console() if sys.stdout.isatty() else Console(width=_FILE_WIDTH))
    _write(report, json_path, chart_path)
    return EXIT_INTERRUPTED if report.is_interrupted else 0


def _write(report: Report, json_path: Path | None, chart_path: Path | None) -> None:
    if json_path is not None:
        json_path.parent.mkdir(parents=True, exist_ok=True)
        write_json(json_path, report.to_json())
    if chart_path is not None:
        chart_path.parent.mkdir(parents=True, exist_ok=True)
        write_chart(report, chart_path)


if __name__ == "__main__":
    sys.exit(main())
