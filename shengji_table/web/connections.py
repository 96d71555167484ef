"""One browser's connection, from its first message to its last, whatever carries the messages (`Transport`).

| what a browser does | what happens |
|---|---|
| says nothing at first, or no hello | it is closed after a few seconds, before if too many newer ones come |
| has a wrong or old link | it is closed |
| sends what no page sends, too much, or too often | it is closed |
| says something out of turn or illegal | it is refused, with the reason |
| reads too slowly | it gets only the newest state; if it reads nothing at all, it is closed |

Each is one line in the log, and the table goes on.
"""

import asyncio
import contextlib
import logging
import time
from collections import Counter
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Protocol

from shengji_env.players.player import Player
from shengji_env.render.view import WATCHER
from shengji_table.season import Season
from shengji_table.web import messages
from shengji_table.web.evening import evening_path
from shengji_table.web.guest_names import GuestError
from shengji_table.web.handling import handle
from shengji_table.web.links import GUEST, link_of, read_link
from shengji_table.web.outbox import Outbox
from shengji_table.web.public_url import PublicUrl
from shengji_table.web.puzzle_desk import PuzzleDesk
from shengji_table.web.refusals import REFUSALS, Closed, ConnectionRefused
from shengji_table.web.replay_pages import ReplayShelf
from shengji_table.web.review_code import ReviewCode
from shengji_table.web.table import Table

_LOG = logging.getLogger(__name__)


class Gone(Exception):
    """The browser has left."""


class Transport(Protocol):
    """What carries messages to and from one browser."""

    async def receive(self) -> str:
        """Return the next text.

        Raises:
            Gone: the browser has left.
            ConnectionRefused: it sends what is no text.
        """

    async def send(self, text: str) -> None:
        """Send a text.

        Raises:
            Gone: the browser has left.
        """


@dataclass(frozen=True)
class ServiceLimits:
    """How much browsers may ask for."""

    newcomers: int = 256
    """Most connections that have shown no link yet; a newer one takes the place of an old one (`newcomers.py`)."""
    newcomers_of_address: int = 128
    """Most of them from one address."""
    hello: float = 5.0
    """Seconds until a browser must have said hello, with its link."""
    lookers: int = 512
    """Most browsers that watch or look for a seat; those with a seat are always let in."""
    lookers_of_address: int = 16
    """Most of them from one address, unless it is that of a proxy that does not say for whom it asks."""
    burst: int = 60
    """Messages that one may send at once."""
    rate: float = 15.0
    """Messages that one may send in a second, in the long run."""
    sending: float = 20.0
    """Seconds that one may take to read a message."""


@dataclass
class Service:
    """All tables of a server, and who is connected to it."""

    tables: list[Table]
    adviser: Player
    executor: Executor | None
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    replays: ReplayShelf = field(default_factory=ReplayShelf)
    review_code: ReviewCode = field(default_factory=ReviewCode)
    public: PublicUrl | None = None
    """Where a proxy shows the server."""
    puzzles: PuzzleDesk | None = None
    """Puzzles, which are shown instead of tables."""
    is_lesson: bool = False
    """Whether the first rounds teach the game."""
    has_playouts: bool = True
    """Whether there is time for playouts: hints with their reasons, and reviews."""
    season: Season | None = None
    """What its only table plays: deals that everybody plays."""
    lookers: Counter[str | None] = field(default_factory=Counter)
    """Browsers that watch or look for a seat, by address; None: a proxy does not say which."""

    @property
    def prefix(self) -> str:
        """What paths begin with, where browsers ask for them."""
        return self.public.path if self.public else ""


async def greet(transport: Transport, service: Service) -> tuple[Table, int]:
    """Wait for the first message; return the table and the viewer that its link opens.

    Raises:
        ConnectionRefused: no hello came in time, or its link opens nothing.
        Gone: the browser has left.
    """
    try:
        text = await asyncio.wait_for(transport.receive(), service.limits.hello)
    except TimeoutError:
        raise ConnectionRefused("no hello came", Closed.SILENT) from None
    try:
        message = messages.read_message(text)
    except messages.MessageError as error:
        raise ConnectionRefused(str(error)) from error
    if not isinstance(message, messages.Hello):
        raise ConnectionRefused("the first message is a hello")
    if message.version != messages.VERSION:
        raise ConnectionRefused(f"this server speaks version {messages.VERSION}", Closed.VERSION)
    found = read_link(message.link, [table.seating.keys for table in service.tables])
    if found is None:
        raise ConnectionRefused("this link is not, or no longer, a seat here", Closed.LINK)
    return service.tables[found[0]], found[1]


async def exchange(transport: Transport, service: Service, table: Table, viewer: int) -> None:
    """Send and receive until one side ends it.

    Raises:
        ConnectionRefused: the browser is to be disconnected, and why.
        Gone: it has left.
    """
    outbox = Outbox()
    if viewer != GUEST:
        outbox.put_reply(messages.write_message(_welcome(service, table, viewer)))
    refusal = table.join(viewer, outbox)
    if refusal:
        raise ConnectionRefused(refusal, Closed.LINK if viewer >= 0 else Closed.FULL)
    wants_replay = asyncio.Event()
    tasks = [
        asyncio.ensure_future(_send(transport, outbox, service.limits)),
        asyncio.ensure_future(_listen(transport, service, table, viewer, outbox, wants_replay)),
        asyncio.ensure_future(_send_replays(service, table, outbox, wants_replay)),
    ]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        table.leave(viewer, outbox)
        for task in tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task


def _welcome(service: Service, table: Table, viewer: int) -> messages.Welcome:
    return messages.Welcome(
        messages.VERSION, viewer, table.board.names, str(table.rules), service.adviser.name, table.substitute.name,
        service.prefix + evening_path(table), table.rules.table.attackers[0], service.is_lesson,
    )  # fmt: skip


async def _send(transport: Transport, outbox: Outbox, limits: ServiceLimits) -> None:
    while (text := await outbox.take()) is not None:
        await _send_in_time(transport, text, limits.sending)
    raise ConnectionRefused(outbox.reason, outbox.code)


async def _send_in_time(transport: Transport, text: str, seconds: float) -> None:
    """Send a text; `asyncio.wait_for` of Python 3.11 would lose a cancellation that comes just as it is sent."""
    sending = asyncio.ensure_future(transport.send(text))
    try:
        await asyncio.wait({sending}, timeout=seconds)
        if not sending.done():
            raise ConnectionRefused("it does not read its messages", Closed.SILENT)
        sending.result()
    finally:
        sending.cancel()


async def _listen(
    transport: Transport, service: Service, table: Table, viewer: int, outbox: Outbox, wants_replay: asyncio.Event
) -> None:
    """Answer one message after the other; they may come at a limited rate."""
    limits, left, before = service.limits, float(service.limits.burst), time.monotonic()
    while True:
        text = await transport.receive()
        now = time.monotonic()
        left, before = min(limits.burst, left + (now - before) * limits.rate) - 1, now
        if left < 0:
            raise ConnectionRefused("it sends too many messages", Closed.BUSY)
        try:
            message = messages.read_message(text)
        except messages.MessageError as error:
            raise ConnectionRefused(str(error)) from error
        reply: messages.ToPage
        if viewer == GUEST:
            reply = _seat_guest(service, table, message)
        elif isinstance(message, messages.AskReplay):
            wants_replay.set()
            continue
        elif isinstance(message, messages.AskHint) and service.season is not None:
            reply = messages.Refused(table.move, REFUSALS["no_hint"], "no_hint")
        else:
            reply = await handle(table, viewer, message, service.adviser, service.executor)
        if isinstance(reply, messages.Refused):
            _LOG.info("seat %d of a table: %s", viewer, reply.reason[:200])
        outbox.put_reply(messages.write_message(reply))


async def _send_replays(service: Service, table: Table, outbox: Outbox, wanted: asyncio.Event) -> None:
    """Send replays that are wanted; whoever waits for one can do anything else meanwhile."""
    while True:
        await wanted.wait()
        wanted.clear()
        await _send_replay(service, table, outbox)


async def _send_replay(service: Service, table: Table, outbox: Outbox) -> None:
    """Send the link to the replay of the round that has ended, once it is made; until then, how far that is."""
    if table.board.finished is None:
        outbox.put_reply(messages.write_message(messages.Refused(table.move, REFUSALS["no_round"], "no_round")))
        return
    ended, code = table.rounds[-1], service.review_code
    while not code.is_ready:
        outbox.put_reply(messages.write_message(messages.Compiling(code.done, code.total)))
        await code.until_changed()
    path = await service.replays.page(table, ended, service.executor, is_reviewed=True)
    outbox.put_reply(messages.write_message(messages.ReplayLink(service.prefix + path)))


def _seat_guest(service: Service, table: Table, message: messages.FromPage) -> messages.ToPage:
    """Let a guest take a seat, or watch."""
    if isinstance(message, messages.Take):
        try:
            table.take_seat(message.seat, message.name)
        except GuestError as error:
            return messages.Refused(table.move, str(error), "guest")
    elif not isinstance(message, messages.AskWatch):
        return messages.Refused(table.move, REFUSALS["no_seat"], "no_seat")
    viewer = message.seat if isinstance(message, messages.Take) else WATCHER
    return messages.Seated(link_of(service.tables.index(table), viewer, table.seating.keys))
