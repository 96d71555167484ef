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

from shengji_env.players.networks.champion.champion_player import unlearned_names
from shengji_env.players.player import Player
from shengji_env.web import messages
from shengji_env.web.handling import handle
from shengji_env.web.links import read_link
from shengji_env.web.outbox import Outbox
from shengji_env.web.replay_pages import ReplayShelf
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
class Service:
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


class _ConnectionRefused(Exception):
    """Why a connection is closed."""

    def __init__(self, reason: str, code: int = _REFUSED) -> None:
        super().__init__(reason)
        self.code = code


async def serve_connection(socket: WebSocket, service: Service) -> None:
    """Let a browser talk with its table until one of them leaves."""
    who = socket.client.host if socket.client is not None else "somebody"
    if service.num_connections >= service.limits.connections or service.num_silent >= service.limits.silent:
        _LOG.warning("%s is turned away: too many connections", who)
        await socket.close(_BUSY)
        return
    service.num_connections += 1
    try:
        await socket.accept()
        table, viewer = await _greet(socket, service)
        await _exchange(socket, service, table, viewer)
    except _ConnectionRefused as error:
        _LOG.warning("%s is refused: %s", who, error)
        with contextlib.suppress(RuntimeError, OSError):
            await socket.close(error.code, str(error)[:100])
    except (WebSocketDisconnect, OSError):
        pass
    finally:
        service.num_connections -= 1


async def _greet(socket: WebSocket, service: Service) -> tuple[Table, int]:
    """Wait for the first message; return the table and the viewer that its link opens."""
    service.num_silent += 1
    try:
        text = await asyncio.wait_for(_receive(socket), service.limits.hello)
    except TimeoutError:
        raise _ConnectionRefused("no hello came") from None
    finally:
        service.num_silent -= 1
    try:
        message = messages.read_message(text)
    except messages.MessageError as error:
        raise _ConnectionRefused(str(error)) from error
    if not isinstance(message, messages.Hello) or message.version != messages.VERSION:
        raise _ConnectionRefused(f"the first message is a hello of version {messages.VERSION}")
    found = read_link(message.link, service.secrets)
    if found is None:
        raise _ConnectionRefused("the link opens nothing")
    return service.tables[found[0]], found[1]


async def _receive(socket: WebSocket) -> str:
    """Return the next text; anything else is refused."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if text is None:
        raise _ConnectionRefused("messages are text")
    return str(text)


async def _exchange(socket: WebSocket, service: Service, table: Table, viewer: int) -> None:
    """Send and receive until one side ends it."""
    outbox = Outbox()
    welcome = messages.Welcome(
        messages.VERSION, viewer, table.board.names, str(table.rules), service.adviser.name,
        unlearned_names((*table.players, service.adviser), table.rules),
    )  # fmt: skip
    outbox.put_reply(messages.write_message(welcome))
    refusal = table.join(viewer, outbox)
    if refusal:
        raise _ConnectionRefused(refusal)
    sending = asyncio.ensure_future(_send(socket, outbox, service.limits))
    listening = asyncio.ensure_future(_listen(socket, service, table, viewer, outbox))
    try:
        done, _ = await asyncio.wait([sending, listening], return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        table.leave(viewer, outbox)
        for task in (sending, listening):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task


async def _send(socket: WebSocket, outbox: Outbox, limits: Limits) -> None:
    while (text := await outbox.take()) is not None:
        try:
            await asyncio.wait_for(socket.send_text(text), limits.sending)
        except TimeoutError:
            raise _ConnectionRefused("it does not read its messages") from None
    raise _ConnectionRefused(outbox.reason, _TAKEN)


async def _listen(socket: WebSocket, service: Service, table: Table, viewer: int, outbox: Outbox) -> None:
    """Answer one message after the other; they may come at a limited rate."""
    limits, left, before = service.limits, float(service.limits.burst), time.monotonic()
    while True:
        text = await _receive(socket)
        now = time.monotonic()
        left, before = min(limits.burst, left + (now - before) * limits.rate) - 1, now
        if left < 0:
            raise _ConnectionRefused("it sends too many messages")
        try:
            message = messages.read_message(text)
        except messages.MessageError as error:
            raise _ConnectionRefused(str(error)) from error
        reply: messages.Reply
        if isinstance(message, messages.AskReplay):
            path = await service.replays.page(table, service.executor)
            reply = messages.ReplayLink(path) if path else messages.Refused(table.move, "no round has ended")
        else:
            reply = await handle(table, viewer, message, service.adviser, service.executor)
        if isinstance(reply, messages.Refused):
            _LOG.info("seat %d of a table: %s", viewer, reply.reason[:200])
        outbox.put_reply(messages.write_message(reply))
