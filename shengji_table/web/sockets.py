"""Browsers that come over a WebSocket: how many of them are let in, and what their connection's end is."""

import contextlib
import logging
from collections import Counter
from collections.abc import Iterator

from starlette.websockets import WebSocket, WebSocketDisconnect

from shengji_table.web.connections import Gone, Service, exchange, greet
from shengji_table.web.refusals import Closed, ConnectionRefused

_LOG = logging.getLogger(__name__)


class SocketTransport:
    """Carries messages over a WebSocket.

    Args:
        socket: the socket.
    """

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def receive(self) -> str:
        """Return the next text (`connections.Transport`)."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise Gone
        text = message.get("text")
        if text is None:
            raise ConnectionRefused("messages are text")
        return str(text)

    async def send(self, text: str) -> None:
        """Send a text (`connections.Transport`)."""
        try:
            await self._socket.send_text(text)
        except (WebSocketDisconnect, OSError) as error:
            raise Gone from error


async def serve_socket(socket: WebSocket, service: Service) -> None:
    """Let a browser talk with its table until one of them leaves."""
    who = socket.client.host if socket.client is not None else "somebody"
    transport = SocketTransport(socket)
    try:
        await socket.accept()
        table, viewer = await greet(transport, service)
        is_named = service.public is None or socket.client != socket.state.peer
        with _counted(service, viewer, who if is_named else None):
            socket.state.let_in()
            await exchange(transport, service, table, viewer)
    except ConnectionRefused as error:
        _LOG.warning("%s is refused: %s", who, error)
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            await socket.close(error.code, str(error)[:100])
    except (Gone, WebSocketDisconnect, OSError):
        pass


@contextlib.contextmanager
def _counted(service: Service, viewer: int, address: str | None) -> Iterator[None]:
    """Count a browser in the block; who has a seat is let in whoever else is there."""
    if viewer >= 0:
        yield
        return
    limits, lookers = service.limits, service.lookers
    is_crowd = address is not None and lookers[address] >= limits.lookers_of_address
    if is_crowd or lookers.total() >= limits.lookers:
        raise ConnectionRefused("too many look at the tables", Closed.BUSY)
    lookers[address] += 1
    try:
        yield
    finally:
        lookers[address] -= 1
        lookers += Counter()  # forgets addresses that have left
