"""One browser's connection, from its first message to its last.

| what a browser does | what happens |
|---|---|
| says nothing at first, or no hello | it is closed after a few seconds, at once if too many are silent |
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
from concurrent.futures import Executor
from dataclasses import dataclass, field

from starlette.websockets import WebSocket, WebSocketDisconnect

from shengji_env.players.networks.champion.player import unlearned_names
from shengji_env.players.player import Player
from shengji_env.web.hearing import hear
from shengji_env.web.links import read_link
from shengji_env.web.mailbox import Mailbox
from shengji_env.web.messages import (
    VERSION,
    AskReplay,
    Hello,
    MessageError,
    Refused,
    ReplayLink,
    Reply,
    Welcome,
    read_message,
    write_message,
)
from shengji_env.web.replays import ReplayShelf
from shengji_env.web.table import Table

_LOG = logging.getLogger(__name__)
_REFUSED, _BUSY, _TAKEN = 4403, 4429, 4409
"""Codes with which connections are closed: a page tries again only after others."""


@dataclass(frozen=True)
class Limits:
    """How much browsers may ask for."""

    connections: int = 512
    """Most open at once."""
    silent: int = 32
    """Most of them that have not said hello yet."""
    hello: float = 5.0
    """Seconds until they must have."""
    burst: int = 60
    """Messages that one may send at once."""
    rate: float = 15.0
    """Messages that one may send in a second, in the long run."""
    sending: float = 20.0
    """Seconds that one may take to read a message."""


@dataclass
class Hall:
    """All tables of a server, and who is connected to it."""

    tables: list[Table]
    secrets: list[tuple[str, ...]]
    """Of each table's links."""
    adviser: Player
    executor: Executor
    limits: Limits = field(default_factory=Limits)
    replays: ReplayShelf = field(default_factory=ReplayShelf)
    num_connections: int = 0
    num_silent: int = 0


class _Rude(Exception):
    """Why a connection is closed."""

    def __init__(self, reason: str, code: int = _REFUSED) -> None:
        super().__init__(reason)
        self.code = code


async def visit(socket: WebSocket, hall: Hall) -> None:
    """Let a browser talk with its table until one of them leaves."""
    who = socket.client.host if socket.client is not None else "somebody"
    if hall.num_connections >= hall.limits.connections or hall.num_silent >= hall.limits.silent:
        _LOG.warning("%s is turned away: too many connections", who)
        await socket.close(_BUSY)
        return
    hall.num_connections += 1
    try:
        await socket.accept()
        table, viewer = await _greet(socket, hall)
        await _stay(socket, hall, table, viewer)
    except _Rude as error:
        _LOG.warning("%s is refused: %s", who, error)
        with contextlib.suppress(RuntimeError, OSError):
            await socket.close(error.code, str(error)[:100])
    except (WebSocketDisconnect, OSError):
        pass
    finally:
        hall.num_connections -= 1


async def _greet(socket: WebSocket, hall: Hall) -> tuple[Table, int]:
    """Wait for the first message; return the table and the viewer that its link opens."""
    hall.num_silent += 1
    try:
        text = await asyncio.wait_for(_receive(socket), hall.limits.hello)
    except TimeoutError:
        raise _Rude("no hello came") from None
    finally:
        hall.num_silent -= 1
    try:
        message = read_message(text)
    except MessageError as error:
        raise _Rude(str(error)) from error
    if not isinstance(message, Hello) or message.version != VERSION:
        raise _Rude(f"the first message is a hello of version {VERSION}")
    found = read_link(message.link, hall.secrets)
    if found is None:
        raise _Rude("the link opens nothing")
    return hall.tables[found[0]], found[1]


async def _receive(socket: WebSocket) -> str:
    """Return the next text; anything else is rude."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if text is None:
        raise _Rude("messages are text")
    return str(text)


async def _stay(socket: WebSocket, hall: Hall, table: Table, viewer: int) -> None:
    """Send and receive until one side ends it."""
    mailbox = Mailbox()
    welcome = Welcome(
        VERSION, viewer, table.board.names, str(table.rules), hall.adviser.name,
        unlearned_names((*table.players, hall.adviser), table.rules),
    )  # fmt: skip
    mailbox.put_reply(write_message(welcome))
    refusal = table.join(viewer, mailbox)
    if refusal:
        raise _Rude(refusal)
    sending = asyncio.ensure_future(_send(socket, mailbox, hall.limits))
    hearing = asyncio.ensure_future(_listen(socket, hall, table, viewer, mailbox))
    try:
        done, _ = await asyncio.wait([sending, hearing], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        table.leave(viewer, mailbox)
        for task in (sending, hearing):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task


async def _send(socket: WebSocket, mailbox: Mailbox, limits: Limits) -> None:
    while (text := await mailbox.take()) is not None:
        try:
            await asyncio.wait_for(socket.send_text(text), limits.sending)
        except TimeoutError:
            raise _Rude("it does not read its messages") from None
    raise _Rude(mailbox.reason, _TAKEN)


async def _listen(socket: WebSocket, hall: Hall, table: Table, viewer: int, mailbox: Mailbox) -> None:
    """Answer one message after the other; they may come at a limited rate."""
    limits, left, before = hall.limits, float(hall.limits.burst), time.monotonic()
    while True:
        text = await _receive(socket)
        now = time.monotonic()
        left, before = min(limits.burst, left + (now - before) * limits.rate) - 1, now
        if left < 0:
            raise _Rude("it sends too many messages")
        try:
            message = read_message(text)
        except MessageError as error:
            raise _Rude(str(error)) from error
        reply: Reply
        if isinstance(message, AskReplay):
            path = await hall.replays.page(table, hall.executor)
            reply = ReplayLink(path) if path else Refused(table.move, "no round has ended")
        else:
            reply = await hear(table, viewer, message, hall.adviser, hall.executor)
        if isinstance(reply, Refused):
            _LOG.info("seat %d of a table: %s", viewer, reply.reason[:200])
        mailbox.put_reply(write_message(reply))
