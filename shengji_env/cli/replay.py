"""``shengji replay FILE [--check]``: reads a record, checks every ply, and prints it for people."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from shengji_env.cli.commands import Commands
from shengji_env.cli.option_types import file_path, whole_number
from shengji_env.errors import RecordError
from shengji_env.files.text_files import open_text
from shengji_env.records.reading import RecordReader, ReplayedRound
from shengji_env.render import render_record

_DESCRIPTION = "Play a record again: every decision is checked, every figure compared, and the rounds are printed."
_EPILOG = """\
A record is text in JSON lines: a header, then one line for each round. If it is incomplete, or if anything in it does
not follow from its decisions, it is refused with the line (from 1) and the ply (a round's decisions, from 0).

examples:
  shengji arena greedy random --deals 10 --record rounds.jsonl
  shengji replay rounds.jsonl --check
  shengji replay rounds.jsonl --line 2
"""


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "replay", help="check a record and print its rounds", description=_DESCRIPTION, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=_run)
    parser.add_argument("file", metavar="FILE", type=file_path, help="the record")
    parser.add_argument("--check", action="store_true", help="check only: print one line for the whole record")
    parser.add_argument(
        "--line", type=whole_number, metavar="N", help="print only the round of line N (the header is line 1)"
    )


def _run(arguments: argparse.Namespace) -> None:
    lines: set[int] = set()
    num_decisions = 0
    color = sys.stdout.isatty()
    with open_text(arguments.file, RecordError) as file, _progress(arguments) as progress:
        reader = RecordReader(file)
        for replayed in reader:
            lines.add(replayed.line)
            num_decisions += len(replayed.record["decisions"])
            progress(reader.characters)
            if not arguments.check and arguments.line in (None, replayed.line):
                print(_text(reader, replayed, color) + "\n")
    if arguments.line is not None and arguments.line not in lines:
        raise RecordError(f"--line {arguments.line}: no round stands there; the header is line 1")
    rounds = f"{len(lines):,} round{'s' * (len(lines) != 1)}"
    print(f"{arguments.file}: {rounds}, {num_decisions:,} decisions, all as the rules have it ({reader.rules})")


@contextlib.contextmanager
def _progress(arguments: argparse.Namespace) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal if nothing else is printed; yield a function that takes the characters read."""
    console = Console(stderr=True)
    columns = TextColumn("checking"), BarColumn(), TaskProgressColumn(), TextColumn("left"), TimeRemainingColumn()
    hidden = not (arguments.check and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("checking", total=arguments.file.stat().st_size)
        yield lambda read: bar.update(task, completed=read)


def _text(reader: RecordReader, replayed: ReplayedRound, color: bool) -> str:
    players = replayed.record.get("players", reader.players)
    return render_record(replayed.record, reader.rules, players=players, color=color)
