"""A table in the browser's own page: what a server does, without one. It runs in a Worker, as Python for WebAssembly.

Page and Worker tell each other objects; ``type`` says which.

| the page says | fields | |
|---|---|---|
| ``begin`` | ``address``, ``kind``, ``rules``, ``speed``, ``kept`` | its folder; table, lesson, season, puzzles |
| ``open``, ``close`` | ``socket`` | a connection in place of a WebSocket; its number |
| ``text`` | ``socket``, ``text`` | a message of the protocol (`messages.py`) |
| ``ask`` | ``id``, ``path`` | what would be the path of a request |

| the Worker says | fields | |
|---|---|---|
| ``ready`` | ``link`` | the fragment of the person's link; none for puzzles |
| ``failed`` | ``reason`` | it cannot begin; in English |
| ``text``, ``closed`` | ``socket``, ``text`` or ``code`` | a message of the protocol; why a connection is closed |
| ``answer`` | ``id``, and the fields of `HttpAnswer` | |
| ``keep`` | ``text`` | a line to be kept: all of them, in order, are the next page's ``kept`` |
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from shengji_env.engine.rule_sets import RuleSet, parse_rules
from shengji_env.errors import ShengjiError
from shengji_env.players.registry import make_player
from shengji_env.render.round_record import Round
from shengji_table.puzzles.puzzle import shipped_puzzles
from shengji_table.season import Season, shipped_season
from shengji_table.web.answers import Answers
from shengji_table.web.connections import Gone, Service, exchange, greet
from shengji_table.web.kept_events import Event, line_of_event
from shengji_table.web.lesson import lesson_plan, lesson_timing
from shengji_table.web.links import link_of
from shengji_table.web.public_url import read_public_url
from shengji_table.web.puzzle_desk import PuzzleDesk
from shengji_table.web.refusals import ConnectionRefused
from shengji_table.web.replay_pages import ReplayShelf
from shengji_table.web.round_loop import play_rounds
from shengji_table.web.session_log import SessionPlan, new_plan, read_session
from shengji_table.web.static_files import PageFiles
from shengji_table.web.table import Table
from shengji_table.web.table_timing import Timing

PLAYER = "champion"
"""Who sits in the other seats, gives hints, and plays for a person who is away."""
PERSON = 0
"""The person's seat."""
SLOWEST, FASTEST = 0.2, 20.0
"""Speeds, of which 1 is the usual one."""
Post = Callable[[dict[str, Any]], object]
"""Sends an object to the page."""


class PageLog:
    """Keeps what happens at a table in the page (`session_log.EventLog`).

    Args:
        plan: what the session begins with.
        post: sends to the page.
        kept: lines that the page has kept, or None; then the plan is that of the first.

    Raises:
        RecordError: the lines cannot be read.
    """

    def __init__(self, plan: SessionPlan, post: Post, kept: str | None) -> None:
        self._post = post
        self.plan, self.kept = (plan, []) if kept is None else read_session(kept, "what this browser keeps")
        if kept is None:
            self._keep(plan.header())

    def begin(self) -> None:
        """Do nothing: what was kept stays as it is."""

    def begin_record(self, rules: RuleSet, names: tuple[str, ...]) -> None:
        """Do nothing: the record is made of the table's rounds."""

    def note(self, event: Event) -> None:
        """Keep what has happened."""
        self._keep(line_of_event(event))

    def note_round(self, record: Round) -> None:
        """Do nothing: the decisions are kept."""

    def _keep(self, line: str) -> None:
        self._post({"type": "keep", "text": line})


class PageTransport:
    """Carries messages between a connection of the page and the table (`connections.Transport`).

    Args:
        socket: its number.
        post: sends to the page.
    """

    def __init__(self, socket: int, post: Post) -> None:
        self._socket, self._post = socket, post
        self._heard: asyncio.Queue[str | None] = asyncio.Queue()

    def hear(self, text: str | None) -> None:
        """Take a text of the page; None: it has closed the connection."""
        self._heard.put_nowait(text)

    async def receive(self) -> str:
        """Return the next text."""
        text = await self._heard.get()
        if text is None:
            raise Gone
        return text

    async def send(self, text: str) -> None:
        """Send a text."""
        self._post({"type": "text", "socket": self._socket, "text": text})


def start(post: Callable[[str], object]) -> Callable[[str], None]:
    """Begin in a Worker: return what takes a text of the page, given what sends one; both are JSON."""
    host = PageHost(lambda said: post(json.dumps(said)))
    return lambda text: host.hear(json.loads(text))


class PageHost:
    """The table, or the puzzles, of a page.

    Args:
        post: sends to the page.
    """

    def __init__(self, post: Post) -> None:
        self._post = post
        self._transports: dict[int, PageTransport] = {}
        self._tasks: set[asyncio.Future[None]] = set()

    def hear(self, said: dict[str, Any]) -> None:
        """Do what the page says; an event loop is running."""
        kind, socket = said["type"], said.get("socket", 0)
        if kind == "begin":
            self._begin(said)
        elif kind == "ask":
            self._start(self._answer(said["id"], said["path"]))
        elif kind == "open":
            self._transports[socket] = PageTransport(socket, self._post)
            self._start(self._serve(socket, self._transports[socket]))
        elif socket in self._transports:
            self._transports[socket].hear(said.get("text"))

    def _start(self, work: Any) -> None:
        """Let work go on beside everything else; a task that nobody refers to could vanish."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _begin(self, said: dict[str, Any]) -> None:
        try:
            season = shipped_season() if said["kind"] == "season" else None
            tables = [] if said["kind"] == "puzzles" else [self._make_table(said, season)]
            puzzles = None if tables else PuzzleDesk(shipped_puzzles(), is_checked=True)
            self._service = Service(
                tables, make_player(PLAYER), None, replays=ReplayShelf(has_playouts=False), has_playouts=False,
                public=read_public_url(said["address"]), puzzles=puzzles, season=season,
                is_lesson=said["kind"] == "lesson",
            )  # fmt: skip
        except ShengjiError as error:
            self._post({"type": "failed", "reason": str(error)})
            return
        self._answers = Answers(self._service, PageFiles(self._service.prefix))
        for table in tables:
            self._start(play_rounds(table))
        link = link_of(0, PERSON, tables[0].seating.keys) if tables else ""
        self._post({"type": "ready", "link": link})

    def _make_table(self, said: dict[str, Any], season: Season | None) -> Table:
        speed = min(max(float(said["speed"]), SLOWEST), FASTEST)
        players = tuple("human" if seat == PERSON else PLAYER for seat in range(4))
        plan, timing = new_plan(parse_rules(said["rules"]), players, PLAYER, PLAYER), Timing()
        if said["kind"] == "lesson":
            plan, timing = lesson_plan(plan), lesson_timing(timing)
        elif season is not None:
            plan = replace(plan, rules=season.rules, seed=season.seed)
        log = PageLog(plan, self._post, said["kept"])
        table = Table(
            tuple(map(make_player, log.plan.players)), parse_rules(log.plan.rules), log.plan.seed, executor=None,
            timing=timing.faster(speed), log=log, keys=log.plan.keys(), substitute=make_player(log.plan.substitute),
            is_match=season is None, has_counter=season is None,
        )  # fmt: skip
        if PERSON in table.seating.free():
            table.open_seat(PERSON)
        return table

    async def _serve(self, socket: int, transport: PageTransport) -> None:
        """Let a connection of the page talk with the table until one of them leaves."""
        try:
            table, viewer = await greet(transport, self._service)
            await exchange(transport, self._service, table, viewer)
        except ConnectionRefused as error:
            self._post({"type": "closed", "socket": socket, "code": int(error.code)})
        except Gone:
            pass
        finally:
            del self._transports[socket]

    async def _answer(self, number: int, path: str) -> None:
        asked = urlsplit(path)
        answer = await self._answers.answer(asked.path, dict(parse_qsl(asked.query)))
        self._post({"type": "answer", "id": number, **asdict(answer)})
