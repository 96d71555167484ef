"""``shengji replay FILE [--check | --html OUT]``: reads a record, checks every ply, and shows it to people."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn, track

from shengji_env.arena.review import as_valuer, review_replay
from shengji_env.arena.review.reviewing import EVERYBODY
from shengji_env.cli.option_types import file_path, output_file, whole_number
from shengji_env.errors import RecordError
from shengji_env.records.reading import RecordReader, ReplayedRound
from shengji_env.records.replays import Replay
from shengji_env.render import render_record
from shengji_env.support.text_files import is_compressed, open_text
from shengji_env.support.whole_files import whole_file

HELP = "check a record and print its rounds"
DESCRIPTION = "Play a record again: every decision is checked, every value compared, the rounds are printed or drawn."
EPILOG = """\
A record is text in JSON lines, plain or compressed by gzip: a header, then one line for each round. If it has no
round, if one breaks off, or if anything in it does not follow from its decisions, it is refused with the line (from
1) and the ply (a round's decisions, from 0). It does not say how many rounds it is to have, since it grows while they
are played: whole lines that are missing at its end are not noticed.

examples:
  shengji arena greedy random --deals 10 --record rounds.jsonl
  shengji replay rounds.jsonl --check
  shengji replay rounds.jsonl --line 2
  shengji replay rounds.jsonl --html rounds.html --review
  shengji replay rounds.jsonl --html mine.html --review search:200 --of Ann
"""

MAX_ROUNDS = 500
"""Most rounds on one page; each takes about 30 kB."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", type=file_path, help="the record")
    parser.add_argument(
        "--line", type=whole_number, metavar="N", help="only the round of line N (the header is line 1)"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="check only: print one line for the whole record")
    what.add_argument(
        "--html", type=output_file, metavar="OUT",
        help="write a page that shows the rounds play by play; it needs no other file and no network",
    )  # fmt: skip
    parser.add_argument(
        "--review", nargs="?", const="", metavar="PLAYER",
        help="show on the page of --html what the candidates of every decision are worth, and list those that cost "
        "most, as valued by champion (the default), values:PATH, heuristic or distilled (one playout in the real "
        "deal), search:N (in N sampled deals) or champion:N (its network, and playouts in N)",
    )  # fmt: skip
    parser.add_argument(
        "--of", nargs="+", default=[], metavar="WHO",
        help="value only the decisions of these: seats, 0 to 3, or names as in the record (default: everybody's)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    lines: set[int] = set()
    num_decisions = 0
    shown: list[ReplayedRound] = []
    color = sys.stdout.isatty()
    _check(arguments)
    with open_text(arguments.file, RecordError) as file, _progress(arguments) as progress:
        reader = RecordReader(file)
        for replayed in reader:
            lines.add(replayed.line)
            num_decisions += len(replayed.record["decisions"])
            progress(reader.characters)
            if arguments.line not in (None, replayed.line) or arguments.check:
                continue
            if arguments.html is None:
                print(_text(reader, replayed, color) + "\n")
            elif len(shown) < MAX_ROUNDS:
                shown.append(replayed)
            else:
                raise RecordError(f"--html shows {MAX_ROUNDS} rounds at most; choose one with --line N")
    if not lines:
        raise RecordError(f"{arguments.file}: no round follows the header, so there is nothing to check")
    if arguments.line is not None and arguments.line not in lines:
        raise RecordError(f"--line {arguments.line}: no round stands there; the header is line 1")
    rounds = f"{len(lines):,} round{'s' * (len(lines) != 1)}"
    end = f"whether more followed line {max(lines)} is not known"
    print(f"{arguments.file}: {rounds}, {num_decisions:,} decisions, all as the rules have it ({reader.rules}); {end}")
    if arguments.html is not None:
        _write_page(Replay(reader.rules, tuple(reader.players), tuple(shown)), arguments)


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if arguments.review is not None and arguments.html is None:
        raise RecordError("--review marks decisions on a page: give --html OUT too")
    if arguments.of and arguments.review is None:
        raise RecordError("--of says whose decisions are reviewed: give --review too")
    if arguments.html is not None and arguments.html.resolve() == arguments.file.resolve():
        raise RecordError(f"--html {arguments.html}: the page would replace the record")


def _write_page(replay: Replay, arguments: argparse.Namespace) -> None:
    if not replay.rounds:
        raise RecordError("--html: the record has no round to show")
    if arguments.review is not None:
        valuer = as_valuer(arguments.review or None, replay.rules)
        whose = [read_who(text) for text in arguments.of] or EVERYBODY
        replay = review_replay(replay, valuer, track=follow_rounds, whose=whose)
    with whole_file(arguments.html) as file:
        file.write(replay.html(arguments.file.name))
    print(f"written: {arguments.html}", file=sys.stderr)


def read_who(text: str) -> int | str:
    """Return a seat, or the name of somebody."""
    return int(text) if text in map(str, EVERYBODY) else text


def follow_rounds(rounds: Iterable[ReplayedRound]) -> Iterable[ReplayedRound]:
    """Show on a terminal how many rounds have been reviewed."""
    console = Console(stderr=True)
    return track(rounds, "reviewing", console=console, transient=True, disable=not console.is_terminal)


@contextlib.contextmanager
def _progress(arguments: argparse.Namespace) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal if nothing else is printed; yield a function that takes the characters read."""
    console = Console(stderr=True)
    columns = TextColumn("checking"), BarColumn(), TaskProgressColumn(), TextColumn("left"), TimeRemainingColumn()
    hidden = not ((arguments.check or arguments.html is not None) and console.is_terminal)
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        total = None if is_compressed(arguments.file) else arguments.file.stat().st_size
        task = bar.add_task("checking", total=total)
        yield lambda read: bar.update(task, completed=read)


def _text(reader: RecordReader, replayed: ReplayedRound, color: bool) -> str:
    players = replayed.record.get("players", reader.players)
    return render_record(replayed.record, reader.rules, players=players, color=color)
