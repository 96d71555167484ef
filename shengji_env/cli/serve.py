"""``shengji serve [P P P P]``: play in the browser."""

import argparse
import contextlib
import logging
import socket
import sys
import time
import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shengji_env.cli.commands import DEFAULT_PLAYERS, RULES_HELP, check_seats, note_other_rules
from shengji_env.cli.option_types import file_path, number, whole_number
from shengji_env.engine.rule_sets import DEFAULT_RULES, parse_rules
from shengji_env.errors import ShengjiError
from shengji_env.players.networks.champion.champion_player import notes_on
from shengji_env.players.player import Needs, Player
from shengji_env.players.registry import make_player, players_help
from shengji_env.render.view import WATCHER

if TYPE_CHECKING:
    from shengji_env.web.session_log import Plan, SessionLog

HELP = "play in the browser"
DESCRIPTION = """\
Play in the browser: an address is printed and opened, and you sit at a table among any players. Seats are 0 1 2 3 in
turn order, counter-clockwise; 0 and 2 are partners against 1 and 3. Several people get one link each.
"""
EPILOG = f"""\
players, by seat (default: {" ".join(DEFAULT_PLAYERS)}); `human` is a person in a browser:
{players_help()}

{RULES_HELP}; `shengji rules` explains them

the session is kept:
  FILE         the record, a line for each finished round: `shengji replay FILE --html round.html` shows it
  FILE.table   private: the seed, the links, every decision. After a crash, or Ctrl-C, the same --record resumes it

other machines:
  --host 0.0.0.0 lets others on your network in, over plain HTTP: whoever can read the network can read the cards.
  A link is a key to its seat. Do not do this on a network that you do not trust.

exit code:
  2   an error
  130 you left (Ctrl-C); what --record holds by then stays, and is resumed next time

examples:
  shengji serve
  shengji serve human search:100 champion search:100 --rules one_deck
  shengji serve 'human?name=Ann' heuristic 'human?name=Bo' heuristic --match --host 0.0.0.0
  shengji serve --record friday.jsonl
"""
_DEFAULT_PORT = 8010
_FOLDER = Path("evenings")
_SLOWEST, _FASTEST = 0.2, 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("players", metavar="P", nargs="*", help="four players, by seat")
    parser.add_argument("--rules", metavar="P", help=f"rule set ({DEFAULT_RULES})")
    parser.add_argument("--match", action="store_true", help="rounds follow one another without anybody's click")
    parser.add_argument("--adviser", metavar="P", help="the player that gives hints (heuristic)")
    parser.add_argument("--record", type=file_path, metavar="FILE", help="where the session is kept (a new file)")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=whole_number, default=_DEFAULT_PORT, help=f"port ({_DEFAULT_PORT}); 0: any")
    parser.add_argument(
        "--speed", type=number, default=1.0, metavar="X", help="how fast cards come and others play (1)"
    )
    parser.add_argument("--no-browser", action="store_true", help="open no browser")


def run(arguments: argparse.Namespace) -> None:
    """Run the command."""
    texts = tuple(arguments.players)
    check_seats(texts)
    if not _SLOWEST <= arguments.speed <= _FASTEST:
        raise ShengjiError(f"--speed {arguments.speed:g} must be from {_SLOWEST:g} to {_FASTEST:g}")
    if not 0 <= arguments.port < 1 << 16:
        raise ShengjiError(f"--port {arguments.port} must be from 0 to {(1 << 16) - 1}")
    _check_extra()
    from shengji_env.web.server import listen

    log = _open_log(arguments, texts)
    with contextlib.closing(log), contextlib.closing(listen(arguments.host, arguments.port)) as opened:
        _serve(arguments, log, opened)


def _check_extra() -> None:
    try:
        import starlette  # noqa: F401  # is it there?
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as error:
        raise ShengjiError(f"playing in the browser needs {error.name}: pip install 'shengji-env[web]'") from error


def _open_log(arguments: argparse.Namespace, texts: tuple[str, ...]) -> "SessionLog":
    """Open the session's files: new ones, or those of a server that has ended."""
    from shengji_env.web.session_log import SessionLog, new_plan

    players, adviser = texts or DEFAULT_PLAYERS, arguments.adviser or "heuristic"
    made, rules = [make_player(text) for text in (*players, adviser)], parse_rules(arguments.rules or DEFAULT_RULES)
    plan = new_plan(rules, players, adviser)
    path = arguments.record or _FOLDER / time.strftime("%Y-%m-%d_%H%M%S.jsonl")
    if not path.exists():
        notes_on(made, rules)  # who refuses to play leaves no files behind
    log = SessionLog(path, plan)
    try:
        if log.plan.secrets != plan.secrets:
            _check_same(arguments, texts, log.plan, path)
    except ShengjiError:
        log.close()
        raise
    return log


def _check_same(arguments: argparse.Namespace, texts: tuple[str, ...], kept: "Plan", path: Path) -> None:
    """Refuse to resume with other players or rules than a session began with."""
    given = {"players": " ".join(texts), "--rules": arguments.rules and str(parse_rules(arguments.rules))}
    for what, here, there in zip(given, given.values(), (" ".join(kept.players), kept.rules), strict=True):
        if here and here != there:
            raise ShengjiError(
                f"{path} resumes with {what} {there}, not {here}: leave that out, or choose another file"
            )


def _serve(arguments: argparse.Namespace, log: "SessionLog", opened: socket.socket) -> None:
    from shengji_env.web.connections import Service
    from shengji_env.web.server import is_loopback, new_executor, serve
    from shengji_env.web.table import Table
    from shengji_env.web.table_timing import Timing

    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.WARNING)
    plan = log.plan
    rules = parse_rules(plan.rules)
    players = tuple(make_player(text) for text in plan.players)
    adviser = make_player(plan.adviser)
    note_other_rules((*players, adviser), rules)
    usual, speed = Timing(), arguments.speed
    timing = replace(usual, draw=usual.draw / speed, play=usual.play / speed, trick=usual.trick / speed)
    with new_executor() as executor:
        table = Table(
            players, rules, plan.seed, executor=executor, timing=timing, log=log, goes_on=arguments.match
        )  # fmt: skip
        service = Service([table], [plan.secrets], adviser, executor)
        is_local = is_loopback(arguments.host)
        links = _links(arguments.host, opened, players, plan.secrets)
        _greet(links, log, is_local=is_local, num_kept=len(log.kept))

        def started() -> None:
            if not arguments.no_browser:
                webbrowser.open(next(iter(links.values())))

        serve(service, opened, is_local=is_local, started=started)


def _links(host: str, opened: socket.socket, players: tuple[Player, ...], secrets: tuple[str, ...]) -> dict[str, str]:
    """Return the links by whom they are for: persons first, then those who watch."""
    from shengji_env.web.links import link_of

    address, port = opened.getsockname()[:2]
    if address in ("0.0.0.0", "::"):
        address = socket.gethostname()
    base = f"http://{f'[{address}]' if ':' in address else address}:{port}/#"
    seats = [seat for seat, player in enumerate(players) if Needs.PERSON in player.needs]
    links = {f"seat {seat} {players[seat].name}": base + link_of(0, seat, secrets) for seat in seats}
    return {**links, "watch": base + link_of(0, WATCHER, secrets)}


def _greet(links: dict[str, str], log: "SessionLog", *, is_local: bool, num_kept: int) -> None:
    """Print the links, where the session is kept, and a warning if others can reach the table."""
    width = max(map(len, links))
    for whose, link in links.items():
        print(f"{whose:<{width}}  {link}")
    goes_on = " (resumed where it ended)" if num_kept else ""
    print(f"kept in {log.path}{goes_on}; Ctrl-C ends the table", flush=True)
    if not is_local:
        print(
            "warning: this is plain HTTP for everybody on the network: whoever can read it can read cards and links",
            file=sys.stderr, flush=True,
        )  # fmt: skip
