"""``shengji serve [P P P P]``: play in the browser."""

import argparse
import contextlib
import logging
import socket
import sys
import time
import webbrowser
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shengji_env.cli.commands import DEFAULT_PLAYERS, RULES_HELP, check_seats, note_other_rules
from shengji_env.cli.option_types import file_path, number, output_file, whole_number
from shengji_env.cli.saved_rules import named_rules
from shengji_env.engine.rule_sets import DEFAULT_RULES, parse_rules
from shengji_env.errors import ShengjiError, printable
from shengji_env.players.player import Needs, check_learned
from shengji_env.players.registry import make_player, players_help
from shengji_env.render.view import WATCHER
from shengji_env.support.announcing import warm_up_command
from shengji_env.support.extras import install_hint
from shengji_table.puzzles.puzzle import read_puzzles, shipped_puzzles
from shengji_table.review.compiled_reviews import REVIEWS

if TYPE_CHECKING:
    from shengji_table.web.connections import Service
    from shengji_table.web.public_url import PublicUrl
    from shengji_table.web.review_code import ReviewCode
    from shengji_table.web.session_log import SessionLog, SessionPlan
    from shengji_table.web.table import Table

DESCRIPTION = """\
Play in the browser: an address is printed and opened, and you sit at a table among any players. Seats are 0 1 2 3 in
turn order, counter-clockwise; 0 and 2 are partners against 1 and 3. Several people get one link for all: whoever opens
it takes a free seat. The table waits until everybody has come.
"""
EPILOG = f"""\
players, by seat (default: {" ".join(DEFAULT_PLAYERS)}):
{players_help(human="a person in a browser, who types a name if several are invited; human?name=Ann: one who has one")}

{RULES_HELP}; `shengji rules` explains them

the session is kept:
  FILE         the record, a line for each finished round: `shengji replay FILE --html round.html` shows it
  FILE.table   private: the seed, the links, every decision. After a crash, or Ctrl-C, the same --record resumes it
  with --tables, each table has files of its own: FILE-1, FILE-2 …

other machines:
  --host 0.0.0.0 lets others on your network in, over plain HTTP: whoever can read the network can read the cards.
  The link for guests lets anybody take a free seat, that of a seat is its key. Do not do this on a network that you
  do not trust: let a proxy with TLS pass requests on, and name its address with --public-url (docs/web.md).

exit code:
  2   an error
  130 you left (Ctrl-C); what --record holds by then stays, and is resumed next time

examples:
  shengji serve
  shengji serve human search:100 champion search:100 --rules one_deck
  shengji serve human heuristic human heuristic --host 0.0.0.0
  shengji serve human human human human --tables 3 --substitute champion --host 0.0.0.0
  shengji serve 'human?name=Ann' heuristic 'human?name=Bo' heuristic --match
  shengji serve --record friday.jsonl
  shengji serve --lesson                      for who has never played
  shengji serve --puzzles                     110 decisions with one best play, without a table
"""
_DEFAULT_PORT = 8010
_FOLDER = Path("evenings")
_SLOWEST, _FASTEST = 0.2, 20.0
_MAX_TABLES = 16
_GIVEN = ("players", "rules", "match", "adviser")
"""Options that say what table it is: a lesson has its own."""
_OF_TABLES = (*_GIVEN, "substitute", "record", "trust_file", "lesson", "no_counter")
"""Options that are of no use without a table."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("players", metavar="P", nargs="*", help="four players, by seat")
    parser.add_argument("--rules", metavar="P", help=f"rule set ({DEFAULT_RULES})")
    parser.add_argument(
        "--puzzles", nargs="?", const=True, type=file_path, metavar="FILE",
        help="show puzzles instead of a table: those of a file, or the 110 that come with the package",
    )  # fmt: skip
    parser.add_argument(
        "--lesson", action="store_true", help="learn the game: a first round that explains itself, then two with hints"
    )
    parser.add_argument("--match", action="store_true", help="rounds follow one another without anybody's click")
    parser.add_argument("--adviser", metavar="P", help="the player that gives hints (heuristic)")
    parser.add_argument(
        "--substitute", metavar="P", help="the player that decides for persons who are not there (heuristic)"
    )
    parser.add_argument(
        "--tables",
        type=whole_number,
        default=1,
        metavar="N",
        help=f"tables, each with its own cards and links (1; at most {_MAX_TABLES})",
    )
    parser.add_argument("--record", type=output_file, metavar="FILE", help="where the session is kept (a new file)")
    parser.add_argument(
        "--trust-file", action="store_true",
        help="run programs and code of modules that only FILE.table, and not this command, names as players",
    )  # fmt: skip
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (127.0.0.1)")
    parser.add_argument(
        "--public-url", metavar="URL", help="where a proxy shows this server: https://host or https://host/path"
    )
    parser.add_argument("--port", type=whole_number, default=_DEFAULT_PORT, help=f"port ({_DEFAULT_PORT}); 0: any")
    parser.add_argument(
        "--speed", type=number, default=1.0, metavar="X", help="how fast cards come and others play (1)"
    )
    parser.add_argument(
        "--no-counter", action="store_true", help="nobody may let the page count the cards that are out"
    )
    parser.add_argument("--no-browser", action="store_true", help="open no browser")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    texts = tuple(arguments.players)
    if arguments.puzzles is not None:
        _refuse(arguments, "--puzzles there is no table", *_OF_TABLES)
    elif arguments.lesson:
        _refuse(arguments, "--lesson the table is given", *_GIVEN)
    else:
        check_seats(texts)
    if (arguments.puzzles is not None or arguments.lesson) and arguments.tables > 1:
        raise ShengjiError("--tables is for tables of several people: leave it out")
    if not _SLOWEST <= arguments.speed <= _FASTEST:
        raise ShengjiError(f"--speed {arguments.speed:g} must be from {_SLOWEST:g} to {_FASTEST:g}")
    if not 0 <= arguments.port < 1 << 16:
        raise ShengjiError(f"--port {arguments.port} must be from 0 to {(1 << 16) - 1}")
    if not 1 <= arguments.tables <= _MAX_TABLES:
        raise ShengjiError(f"--tables {arguments.tables} must be from 1 to {_MAX_TABLES}")
    _check_extra()
    from shengji_table.web.public_url import read_public_url
    from shengji_table.web.server import listen

    public = read_public_url(arguments.public_url) if arguments.public_url is not None else None

    if arguments.puzzles is not None:
        with contextlib.closing(listen(arguments.host, arguments.port)) as opened:
            _serve_puzzles(arguments, opened, public)
        return
    with contextlib.ExitStack() as stack:
        logs = [stack.enter_context(contextlib.closing(log)) for log in _open_logs(arguments, texts)]
        opened = stack.enter_context(contextlib.closing(listen(arguments.host, arguments.port)))
        _serve(arguments, logs, opened, public)


def _refuse(arguments: argparse.Namespace, why: str, *names: str) -> None:
    """Refuse options that mean nothing beside another one."""
    given = [name if name == "players" else f"--{name.replace('_', '-')}" for name in names if getattr(arguments, name)]
    if given:
        raise ShengjiError(f"with {why}: leave out {' and '.join(given)}")


def _check_extra() -> None:
    try:
        import starlette  # noqa: F401  # is it there?
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as error:
        raise ShengjiError(f"playing in the browser needs {error.name}: {install_hint('web')}") from error


def _open_logs(arguments: argparse.Namespace, texts: tuple[str, ...]) -> "Iterator[SessionLog]":
    """Open each table's files: new ones, or those of a server that has ended."""
    adviser = arguments.adviser or "heuristic"
    substitute = arguments.substitute or "heuristic"
    players = texts or DEFAULT_PLAYERS
    rules = named_rules(arguments.rules or DEFAULT_RULES)
    made = [make_player(text) for text in (*players, adviser, substitute)]
    if Needs.PERSON in made[-1].needs:
        raise ShengjiError(f"--substitute {substitute} is a person: name a player, who is always there")
    first = arguments.record or _FOLDER / time.strftime("%Y-%m-%d_%H%M%S.jsonl")
    for which in range(1, arguments.tables + 1):
        path = first if arguments.tables == 1 else first.with_name(f"{first.stem}-{which}{first.suffix}")
        if not path.exists():
            check_learned(made, rules)  # who refuses to play leaves no files behind
        yield _open_log(arguments, texts, path, (str(rules), players, adviser, substitute))


def _open_log(
    arguments: argparse.Namespace, texts: tuple[str, ...], path: Path, new: tuple[str, tuple[str, ...], str, str]
) -> "SessionLog":
    from shengji_table.web.lesson import lesson_plan
    from shengji_table.web.session_log import SessionLog, new_plan

    rules, players, adviser, substitute = new
    plan = new_plan(parse_rules(rules), players, adviser, substitute)
    plan = lesson_plan(plan) if arguments.lesson else plan
    log = SessionLog(path, plan)
    try:
        if arguments.lesson and log.plan.seed != plan.seed:
            raise ShengjiError(f"{path} is no lesson: resume it without --lesson, or choose another file")
        if log.plan.secrets != plan.secrets:
            log.plan = _resumed(arguments, texts, log.plan, path)
    except ShengjiError:
        log.close()
        raise
    return log


def _resumed(arguments: argparse.Namespace, texts: tuple[str, ...], kept: "SessionPlan", path: Path) -> "SessionPlan":
    """Return what a session began with, in the words of the command where it says the same.

    Raises:
        ShengjiError: the command says something else.
    """
    given = {
        "players": (texts, kept.players),
        "--rules": ((str(named_rules(arguments.rules)),) if arguments.rules else (), (kept.rules,)),
        "--adviser": ((arguments.adviser,) if arguments.adviser else (), (kept.adviser,)),
        "--substitute": ((arguments.substitute,) if arguments.substitute else (), (kept.substitute,)),
    }
    for what, (here, there) in given.items():
        if here and here != there:
            raise ShengjiError(
                f"{path} resumes with {what} {' '.join(there)}, not {' '.join(here)}: leave that out, or choose another"
                " file"
            )
    if arguments.trust_file:
        kept = replace(
            kept, players=tuple(map(str, kept.players)), adviser=str(kept.adviser), substitute=str(kept.substitute)
        )
    return replace(
        kept, players=texts or kept.players, adviser=arguments.adviser or kept.adviser,
        substitute=arguments.substitute or kept.substitute,
    )  # fmt: skip


def _serve(
    arguments: argparse.Namespace, logs: "Sequence[SessionLog]", opened: socket.socket, public: "PublicUrl | None"
) -> None:
    from shengji_table.web.connections import Service
    from shengji_table.web.server import is_loopback, player_threads

    _log_to_stderr()
    adviser = make_player(logs[0].plan.adviser)
    with player_threads() as executor:
        tables = [_make_table(arguments, log, executor) for log in logs]
        for table in tables:
            note_other_rules((*table.players, adviser, table.substitute), table.rules)
        service = Service(
            tables, adviser, executor, review_code=_review_code(), public=public, is_lesson=arguments.lesson
        )
        is_local = is_loopback(arguments.host)
        links = _links(str(public or _own_url(opened)), tables)
        _greet(links, logs, is_local=is_local)
        if is_local and public is None:
            print(f"the rules of your club: {_own_url(opened)}club", flush=True)

        _run_server(arguments, service, opened, next(iter(links.values())))


def _serve_puzzles(arguments: argparse.Namespace, opened: socket.socket, public: "PublicUrl | None") -> None:
    from shengji_table.web.connections import Service
    from shengji_table.web.puzzle_desk import PuzzleDesk
    from shengji_table.web.server import player_threads

    _log_to_stderr()
    desk = PuzzleDesk(shipped_puzzles() if arguments.puzzles is True else read_puzzles(arguments.puzzles))
    with player_threads() as executor:
        adviser = make_player("heuristic")
        service = Service([], adviser, executor, review_code=_review_code(), public=public, puzzles=desk)
        page = str(public or _own_url(opened))
        print(
            f"{len(desk.listed)} puzzles  {page}\nprogress is kept in the browser; Ctrl-C ends the server", flush=True
        )
        _run_server(arguments, service, opened, page)


def _log_to_stderr() -> None:
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.WARNING)


def _review_code() -> "ReviewCode":
    from shengji_table.web.review_code import ReviewCode

    missing = [part.name for part in REVIEWS if not part.is_ready]
    return ReviewCode(warm_up_command(missing), len(missing))


def _run_server(arguments: argparse.Namespace, service: "Service", opened: socket.socket, page: str) -> None:
    """Serve until the process is interrupted, and open a page."""
    from shengji_table.web.server import is_loopback, serve

    def started() -> None:
        if not arguments.no_browser:
            webbrowser.open(page)

    serve(service, opened, is_local=is_loopback(arguments.host), started=started)


def _make_table(arguments: argparse.Namespace, log: "SessionLog", executor: Executor) -> "Table":
    """Make a table of its files; a person who is alone among players has a seat at once."""
    from shengji_table.web.lesson import lesson_timing
    from shengji_table.web.table import Table
    from shengji_table.web.table_timing import Timing

    plan = log.plan
    timing = (lesson_timing(Timing()) if arguments.lesson else Timing()).faster(arguments.speed)
    table = Table(
        tuple(map(make_player, plan.players)), parse_rules(plan.rules), plan.seed, executor=executor, timing=timing,
        log=log, keys=plan.keys(), substitute=make_player(plan.substitute), goes_on=arguments.match,
        has_counter=not arguments.no_counter,
    )  # fmt: skip
    if len(table.seating.persons) == 1:
        for seat in table.seating.free():
            table.open_seat(seat)
    return table


def _own_url(opened: socket.socket) -> str:
    """Return the address of the page without any proxy."""
    address, port = opened.getsockname()[:2]
    if address in ("0.0.0.0", "::"):
        address = socket.gethostname()
    return f"http://{f'[{address}]' if ':' in address else address}:{port}/"


def _links(page: str, tables: "Sequence[Table]") -> dict[str, str]:
    """Return the links by whom they are for: of each table that for guests, seats that are taken, those who watch."""
    from shengji_table.web.links import GUEST, link_of

    links = {}
    for which, table in enumerate(tables):
        seating, prefix = table.seating, f"table {which + 1}, " if len(tables) > 1 else ""
        viewers = {f"seat {seat} {printable(seating.names[seat])}": seat for seat in sorted(seating.keys.seats)}
        if len(seating.persons) > 1:
            viewers = {"guests": GUEST, **viewers}
        for whose, viewer in {**viewers, "watch": WATCHER}.items():
            links[prefix + whose] = f"{page}#{link_of(which, viewer, seating.keys)}"
    return links


def _greet(links: dict[str, str], logs: "Sequence[SessionLog]", *, is_local: bool) -> None:
    """Print the links, where the session is kept, and a warning if others can reach the table."""
    width = max(map(len, links))
    for whose, link in links.items():
        print(f"{whose:<{width}}  {link}")
    goes_on = " (resumed where it ended)" if any(log.kept for log in logs) else ""
    ends = f"the table{'s' * (len(logs) > 1)}"
    print(f"kept in {', '.join(str(log.path) for log in logs)}{goes_on}; Ctrl-C ends {ends}", flush=True)
    if not is_local:
        print(
            "warning: this is plain HTTP for everybody on the network: whoever can read it can read cards and links",
            file=sys.stderr, flush=True,
        )  # fmt: skip
