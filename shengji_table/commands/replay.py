"""``shengji replay FILE [--check | --html OUT]``: reads a record, checks every ply, and shows it to people."""

import argparse
import contextlib
import shlex
import sys
from collections.abc import Callable, Container, Iterable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn, track

from shengji_env.cli.commands import add_language
from shengji_env.cli.option_types import file_path, output_file, whole_number
from shengji_env.errors import RecordError, printable, show
from shengji_env.players.words.telling import Telling
from shengji_env.records.lost_deals import holds_lost_deals, read_lost_deals
from shengji_env.records.reading import RecordReader, ReplayedRound
from shengji_env.records.replays import Replay, view_transcript
from shengji_env.render import render_record, render_table, render_tricks
from shengji_env.render.text import Language, plural
from shengji_env.support.arguments import check_index
from shengji_env.support.text_files import check_rereadable, open_text, size_of_text
from shengji_env.support.whole_files import whole_file
from shengji_table.review import as_valuer, review_replay
from shengji_table.review.reviewing import EVERYBODY
from shengji_table.review.worst_deals import WorstDeals

DESCRIPTION = "Play a record again: every decision is checked, every value compared, the rounds are printed or drawn."
EPILOG = """\
A record is text in JSON lines, plain or compressed by gzip: a header, then one line for each round. If it has no
round, if one breaks off, or if anything in it does not follow from its decisions, it is refused with the line (from
1) and the ply (a round's decisions, from 0). It does not say how many rounds it is to have, since it grows while they
are played: whole lines that are missing at its end are not noticed.

The lost.jsonl that `shengji arena --out` writes holds deals that a player's fault broke off: each is shown as it was
then, all hands open, with what went wrong.

examples:
  shengji arena greedy random --deals 10 --record rounds.jsonl
  shengji replay rounds.jsonl --check
  shengji replay rounds.jsonl --line 2
  shengji replay rounds.jsonl --html rounds.html --review
  shengji replay rounds.jsonl --html mine.html --review search:200 --of Ann
  shengji replay rounds.jsonl --worst 10 --of Ann
  shengji replay results/lost.jsonl
"""

MAX_ROUNDS = 500
"""Most rounds on one page; each takes about 30 kB."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("file", metavar="FILE", type=file_path, help="the record")
    parser.add_argument(
        "--line", type=whole_number, metavar="N", help="only the round of line N (the header is line 1)"
    )
    parser.add_argument(
        "--worst", type=whole_number, metavar="N",
        help="list the N deals in which --of (default: who sits in seat 0 of the header) lost most; --html shows only "
        "these",
    )  # fmt: skip
    add_language(parser, "rounds that are printed")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--check", action="store_true", help="check only: print one line for the whole record")
    what.add_argument(
        "--html", type=output_file, metavar="OUT",
        help="write a page that shows the rounds play by play; it needs no other file and no network",
    )  # fmt: skip
    parser.add_argument(
        "--review", nargs="?", const="", metavar="PLAYER",
        help="show on the page of --html what the candidates of every decision are worth, and list those that cost "
        "most, as valued by champion (the default), selfplay:PATH, heuristic (one playout in the real deal), "
        "search:N (in N sampled deals) or champion:N (its network, and playouts in N)",
    )  # fmt: skip
    parser.add_argument(
        "--of", nargs="+", default=[], metavar="WHO",
        help="value only the decisions of these: seats, 0 to 3, or names as in the record (default: everybody's); with "
        "--worst one name",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    _check(arguments)
    if holds_lost_deals(arguments.file):
        _show_lost(arguments)
        return
    wanted = None if arguments.line is None else {arguments.line}
    if arguments.worst is not None:
        wanted = _list_worst(arguments)
        if arguments.html is None:
            return
    shown: list[ReplayedRound] = []
    with _opened(arguments) as reader:
        lines, num_decisions = _read(reader, arguments, wanted, shown)
    if not lines:
        raise RecordError(f"{arguments.file}: no round follows the header, so there is nothing to check")
    if arguments.line is not None and arguments.line not in lines:
        raise RecordError(f"--line {arguments.line}: no round stands there; the header is line 1")
    rounds = f"{len(lines):,} round{'s' * (len(lines) != 1)}"
    end = f"the last is line {max(lines)} (a record does not say how many there should be)"
    print(f"{arguments.file}: {rounds}, {num_decisions:,} decisions, all as the rules have it ({reader.rules}); {end}")
    if arguments.html is not None:
        _write_page(Replay(reader.rules, tuple(reader.players), tuple(shown)), arguments)


@contextlib.contextmanager
def _opened(arguments: argparse.Namespace) -> Iterator[RecordReader]:
    with open_text(arguments.file, RecordError) as file:
        yield RecordReader(file)


def _read(
    reader: RecordReader, arguments: argparse.Namespace, wanted: Container[int] | None, shown: list[ReplayedRound]
) -> tuple[set[int], int]:
    """Check all rounds; print those wanted, or gather them for a page; return lines, and the number of decisions."""
    lines: set[int] = set()
    num_decisions, color = 0, sys.stdout.isatty()
    with _progress(arguments) as progress:
        for replayed in reader:
            lines.add(replayed.line)
            num_decisions += len(replayed.record["decisions"])
            progress(reader.characters)
            if (wanted is not None and replayed.line not in wanted) or arguments.check:
                continue
            if arguments.html is None:
                print(_text(reader, replayed, arguments.language, color=color) + "\n")
            elif len(shown) < MAX_ROUNDS:
                shown.append(replayed)
            else:
                raise RecordError(f"--html shows {MAX_ROUNDS} rounds at most; choose one with --line N")
    return lines, num_decisions


def _list_worst(arguments: argparse.Namespace) -> set[int]:
    """Print a player's worst deals, and how to look at them; return their lines."""
    number = check_index("--worst", arguments.worst, 1, MAX_ROUNDS)
    with _opened(arguments) as reader, _progress(arguments) as progress:
        deals = WorstDeals(arguments.of[0] if arguments.of else reader.players[0])
        for replayed in reader:
            deals.add(replayed, replayed.record.get("players", reader.players))
            progress(reader.characters)
    if deals.player not in deals.names:
        names = ", ".join(sorted(deals.names))
        raise RecordError(f"nobody here is called {show(deals.player)}; --of names one of {names}")
    worst, arguments.of = deals.worst(number), [deals.player]
    if not worst:
        print(f"{printable(deals.player)} has lost no deal of {arguments.file}")
        return set()
    print(f"{plural(len(worst), 'deal')} in which {printable(deals.player)} lost most, of seed {reader.seed}:")
    for deal in worst:
        against, lines = printable(", ".join(deal.others)), ", ".join(map(str, deal.lines))
        print(f"  deal {deal.number}: {deal.levels:+d} levels against {against}, line {lines}")
    file = shlex.quote(str(arguments.file))
    print(f"shengji replay {file} --line {worst[0].lines[0]} shows a round; --html worst.html --review, all as a page")
    return {line for deal in worst for line in deal.lines}


def _show_lost(arguments: argparse.Namespace) -> None:
    """Print the deals that players' faults have broken off, each as it was then."""
    if arguments.html is not None or arguments.worst is not None:
        raise RecordError(f"{arguments.file} holds deals that broke off, without results: leave out --html and --worst")
    lines, color = [], sys.stdout.isatty()
    for lost in read_lost_deals(arguments.file):
        lines.append(lost.line)
        if arguments.line not in (None, lost.line) or arguments.check:
            continue
        said = lost.fault
        where = f"deal {said['deal']}, table {said['table']}, seat {said['seat']}, ply {said['ply']}"
        print(f"line {lost.line}: {where}: {printable(said['error'])}\n")
        tricks = render_tricks(lost.transcript.public_record(), color=color)
        table = render_table(view_transcript(lost.transcript, names=lost.players), color=color)
        print("\n\n".join(part for part in (tricks, table) if part) + "\n")
    if arguments.line is not None and arguments.line not in lines:
        raise RecordError(f"--line {arguments.line}: no deal stands there; the header is line 1")
    print(f"{arguments.file}: {plural(len(lines), 'deal')} that broke off, all as the rules have it so far")


def _check(arguments: argparse.Namespace) -> None:
    """Refuse options that do not go together."""
    if arguments.review is not None and arguments.html is None:
        raise RecordError("--review marks decisions on a page: give --html OUT too")
    if arguments.of and arguments.review is None and arguments.worst is None:
        raise RecordError("--of says whose decisions are reviewed, or whose worst deals are listed: give --review too")
    if arguments.worst is not None and (arguments.line is not None or arguments.check or len(arguments.of) > 1):
        raise RecordError("--worst lists the deals of one player: leave out --line and --check, and name one --of")
    if arguments.worst is not None and arguments.html is not None:
        check_rereadable(arguments.file, "--worst with --html reads the record twice", RecordError)
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
        task = bar.add_task("checking", total=size_of_text(arguments.file))
        yield lambda read: bar.update(task, completed=read)


def _text(reader: RecordReader, replayed: ReplayedRound, language: Language, *, color: bool) -> str:
    players = replayed.record.get("players", reader.players)
    if language != "en":
        telling = Telling(language, None)
        telling.tell_record(replayed.record, reader.rules)
        seats = " · ".join(f"{seat} {printable(name)}" for seat, name in enumerate(players))
        return f"{reader.rules} · {seats}\n{telling.text()}"
    return render_record(replayed.record, reader.rules, players=players, color=color)
