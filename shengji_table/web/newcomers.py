"""Connections of those who have shown no link yet: how many there may be, and how long each may take.

| a connection | how long |
|---|---|
| whose next request, the first or a later one, is not whole | `PATIENCE`, from the answer before |
| that does not read its answer | the same |
| that has become a socket, and shows no link | `ServiceLimits.hello` of `connections.py` |

A newcomer beyond the limits is let in, and the oldest of those like it is closed: so those who send nothing keep nobody
else out, and whoever shows a seat's link does not count any more.
"""

import asyncio
from collections import Counter
from functools import partial
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

PATIENCE = 10.0
"""Seconds until a request must be whole, and until some of an answer must have been read."""


class Newcomers:
    """Those connections.

    Args:
        whole: most of them.
        of_address: most from one address.
    """

    def __init__(self, whole: int, of_address: int) -> None:
        self._whole, self._of_address = whole, of_address
        self._addresses: dict[asyncio.Transport, str] = {}

    def __len__(self) -> int:
        return len(self._addresses)

    def enter(self, transport: asyncio.Transport) -> None:
        """Let a connection in; beyond the limits, close the oldest of its address, or of the address with the most."""
        peer = transport.get_extra_info("peername")
        address, counts = str(peer[0]) if peer else "", Counter(self._addresses.values())
        is_full = len(self) >= self._whole
        if is_full or counts[address] >= self._of_address:
            crowd = max(counts, key=lambda each: counts[each]) if is_full else address
            oldest = next(each for each, its_address in self._addresses.items() if its_address == crowd)
            self.leave(oldest)
            oldest.abort()
        self._addresses[transport] = address

    def leave(self, transport: asyncio.Transport) -> None:
        """Count a connection no more: it has ended, or has shown a link."""
        self._addresses.pop(transport, None)


def _newcomers(protocol: H11Protocol | WebSocketsSansIOProtocol) -> Newcomers:
    """Return those of the application that a protocol serves (`guard.Guard`)."""
    app: Any = protocol.config.app
    return app.newcomers  # type: ignore[no-any-return]  # uvicorn knows nothing of its application


class NewcomersProtocol(H11Protocol):
    """Uvicorn's HTTP, whose connections are newcomers."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Let a connection in."""
        super().connection_made(transport)
        _newcomers(self).enter(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._stop()
        _newcomers(self).leave(self.transport)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what a browser sends."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._stop()
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Wait until some of an answer has been read."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Go on with the answer."""
        super().resume_writing()
        self._watch()

    def _watch(self) -> None:
        """Begin to wait for the browser, go on waiting, or stop."""
        if not self._is_waiting():
            self._stop()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(PATIENCE, self.transport.abort)

    def _is_waiting(self) -> bool:
        """Return whether it is the browser's turn; once it has asked for a socket, others watch it."""
        cycle: Any = self.cycle
        is_answering = cycle is not None and not cycle.more_body and not cycle.response_complete
        return self.transport.get_protocol() is self and (not is_answering or self.flow.write_paused)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class NewcomersSocket(WebSocketsSansIOProtocol):
    """Uvicorn's WebSocket, which is a newcomer's until the application calls ``let_in`` of the socket's state."""

    scope: Any = None

    def handle_connect(self, event: Any) -> None:
        """Tell the application how to let the connection in, and from where it comes, whoever a proxy asks for."""
        super().handle_connect(event)
        if self.scope is not None:
            let_in = partial(_newcomers(self).leave, self.transport)
            self.scope["state"] |= {"let_in": let_in, "peer": self.scope["client"]}

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        _newcomers(self).leave(self.transport)
        super().connection_lost(exc)
