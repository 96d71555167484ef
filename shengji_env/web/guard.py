"""Who may ask: the hosts and origins that are answered, the headers of every answer, and silent connections.

A page of another site could otherwise use a visitor's browser to reach this server (DNS rebinding, sockets across
origins). So the Host must be an address of this machine, and an Origin must be that same host.
"""

import asyncio
import ipaddress
import re
import socket
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::(?P<port>\d{1,5}))?")
_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_MAX_CONNECTIONS = 600
"""Open connections of all kinds; more are closed at once."""
_FIRST_BYTES = 10.0
"""Seconds until a connection must have sent a request."""


def policy_of(host: str) -> str:
    """Return the content security policy of the page: everything from this server alone."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        f"connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def is_own_host(host: str, *, is_local: bool) -> bool:
    """Return whether a Host header names this machine: by an address, as localhost, or by its own name.

    Args:
        host: the header.
        is_local: whether the server listens on the loopback interface only.
    """
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found["name"].strip("[]").lower()
    if name == "localhost":
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        own = socket.gethostname().lower()
        return not is_local and name in (own, own.partition(".")[0], f"{own.partition('.')[0]}.local")
    return address.is_loopback or not is_local


class Guard:
    """An application that answers only its own hosts and origins, and adds headers to every answer.

    Args:
        app: what it guards.
        is_local: whether the server listens on the loopback interface only.
    """

    def __init__(self, app: ASGIApp, *, is_local: bool) -> None:
        self.app, self.is_local = app, is_local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get("host", ""), headers.get("origin")
        is_socket = scope["type"] == "websocket"
        if not is_own_host(host, is_local=self.is_local) or ((is_socket or origin) and origin != f"http://{host}"):
            await _refuse(scope, receive, send, is_socket=is_socket)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    answered.setdefault(name, value)
                answered.setdefault("content-security-policy", policy_of(host))
            await send(message)

        await self.app(scope, receive, send_guarded)


async def _refuse(scope: Scope, receive: Receive, send: Send, *, is_socket: bool) -> None:
    if is_socket:
        await receive()
        await send({"type": "websocket.close", "code": 4403})
    else:
        await PlainTextResponse("this server is asked by its own address only\n", 403)(scope, receive, send)


class CappedProtocol(H11Protocol):
    """Uvicorn's HTTP, with a limit on open connections and on how long one may say nothing."""

    def connection_made(self, transport: Any) -> None:
        """Close a connection beyond the limit at once; others must send something soon."""
        super().connection_made(transport)
        self._silence: asyncio.TimerHandle | None = None
        if len(self.connections) > _MAX_CONNECTIONS:
            transport.abort()
        else:
            self._silence = self.loop.call_later(_FIRST_BYTES, self._end_silence)

    def data_received(self, data: bytes) -> None:
        """Take what a browser sends."""
        super().data_received(data)
        if self.cycle is not None and self._silence is not None:
            self._silence.cancel()
            self._silence = None

    def _end_silence(self) -> None:
        if self.cycle is None and self.transport.get_protocol() is self:
            self.transport.abort()
