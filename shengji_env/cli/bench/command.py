"""The benchmark on the command line: its options, and how it runs."""

import argparse
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from shengji_env.cli.bench.benchmark import INSTALL, REPETITIONS, SECONDS, Progress, Report, run_benchmark
from shengji_env.cli.bench.chart import write_chart
from shengji_env.cli.bench.printing import show
from shengji_env.cli.ending import take_longer
from shengji_env.cli.option_types import number, output_file, whole_number
from shengji_env.support.whole_files import write_json

_FILE_WIDTH = 120
_SHOWING = 60.0
"""Seconds that what was measured has to be shown and written after Ctrl-C."""

DESCRIPTION = "Measure this package and other libraries, in one run on this machine."
EPILOG = f"""\
what the table says:
  A step is one agent's decision (in this package one card or bid); dealing cards is not a step. As
  libraries divide play into decisions differently, the table also gives the speed in rounds and in
  cards played. Figures are medians; lowest and highest show how quiet the machine was. Compare
  ratios within one run: the figures themselves depend on the machine.

other libraries:
  OpenSpiel, RLCard and PettingZoo's classic games are measured if they are installed:
  {INSTALL}

examples:
  shengji bench                                       everything: about ten minutes; Ctrl-C shows what
                                                      was measured (the cold starts come last)
  shengji bench --only two_deck peers --json runs/bench.json
  shengji bench --only "cold start" --repetitions 1   the longest row, once
  shengji bench --no-peers --pin 1 --chart runs/bench.png
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Give a parser the benchmark's options."""
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="TEXT", help="only rows whose group or name contains one of these"
    )
    parser.add_argument(
        "--repetitions",
        type=whole_number,
        default=REPETITIONS,
        metavar="N",
        help=f"measurements of each row ({REPETITIONS})",
    )
    parser.add_argument(
        "--seconds", type=number, default=SECONDS, metavar="S", help=f"time of each measurement ({SECONDS})"
    )
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="measure this package only")
    parser.add_argument("--pin", type=whole_number, metavar="CORE", help="keep one-threaded rows on this core (Linux)")
    parser.add_argument("--json", type=output_file, metavar="FILE", help="write every figure as JSON")
    parser.add_argument("--chart", type=output_file, metavar="FILE", help="draw a chart (PNG); needs matplotlib")


def run(arguments: argparse.Namespace) -> None:
    """Measure, print the table, and write the files that were asked for.

    Raises:
        ShengjiError: the options are invalid.
        OSError: a file cannot be written.
        KeyboardInterrupt: it was interrupted; everything measured so far has been shown and written.
    """
    for path in (arguments.json, arguments.chart):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
    take_longer(_SHOWING)
    with _progress() as progress:
        report = run_benchmark(
            only=arguments.only,
            repetitions=arguments.repetitions,
            seconds=arguments.seconds,
            peers=arguments.peers,
            pin=arguments.pin,
            progress=progress,
        )
    show(report, Console() if sys.stdout.isatty() else Console(width=_FILE_WIDTH))
    _write(report, arguments.json, arguments.chart)
    if report.is_interrupted:
        raise KeyboardInterrupt


def _write(report: Report, json_path: Path | None, chart_path: Path | None) -> None:
    if json_path is not None:
        write_json(json_path, report.to_json())
        print(f"written: {json_path}", file=sys.stderr)
    if chart_path is not None and write_chart(report, chart_path):
        print(f"written: {chart_path}", file=sys.stderr)
    elif chart_path is not None:
        print("no chart: it needs matplotlib, and rows in steps/s", file=sys.stderr)


@contextlib.contextmanager
def _progress() -> Iterator[Progress]:
    """Show a bar on a terminal, otherwise a line for each case."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total, name: print(f"{done + 1} of {total}: {name}", file=sys.stderr, flush=True)
        return
    columns = BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}")
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("")
        yield lambda done, total, name: bar.update(task, completed=done, total=total, description=name)
