"""Who may ask: the hosts and origins that are answered, and the headers of every answer.

A page of another site could otherwise use a visitor's browser to reach this server (DNS rebinding, sockets across
origins). So the Host must be an address of this machine or that of its proxy, and an Origin the same host's.
"""

import ipaddress
import re
import socket

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shengji_table.web.newcomers import Newcomers
from shengji_table.web.public_url import PublicUrl

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::(?P<port>\d{1,5}))?")
_HEADERS = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def policy_of(*sockets: str) -> str:
    """Return the content security policy of the page: everything from this server alone, whose sockets are named."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        f"connect-src 'self' {' '.join(sockets)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
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
        newcomers: connections that have shown no link yet (`newcomers.py`).
        is_local: whether the server listens on the loopback interface only.
        public: where a proxy shows it; None: there is none.
    """

    def __init__(self, app: ASGIApp, newcomers: Newcomers, *, is_local: bool, public: PublicUrl | None = None) -> None:
        self.app, self.newcomers, self.is_local, self.public = app, newcomers, is_local, public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host, is_socket = headers.get("host", ""), scope["type"] == "websocket"
        if not self._may_ask(host, headers.get("origin"), is_socket=is_socket):
            await _refuse(scope, receive, send, is_socket=is_socket)
            return
        policy = policy_of(f"ws://{host}", *([self.public.socket] if self.public else []))

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                answered = MutableHeaders(scope=message)
                for name, value in {**_HEADERS, "content-security-policy": policy}.items():
                    answered.setdefault(name, value)
            await send(message)

        await self._below(scope, receive, send_guarded)

    def _may_ask(self, host: str, origin: str | None, *, is_socket: bool) -> bool:
        """Return whether a request is from this server's own pages; proxies may pass on their own host or not."""
        is_own = is_own_host(host, is_local=self.is_local)
        origins = {f"http://{host}"} if is_own else set()
        if self.public is not None and (is_own or host.lower() == self.public.host):
            origins.add(self.public.origin)
        return bool(origins) and (origin in origins or (origin is None and not is_socket))

    async def _below(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is below the public path, which proxies may pass on or not."""
        prefix = self.public.path if self.public else ""
        path = scope["path"]
        if prefix and path == prefix:
            await RedirectResponse(f"{prefix}/")(scope, receive, send)
            return
        if prefix and path.startswith(f"{prefix}/"):
            scope = {**scope, "path": path.removeprefix(prefix)}
        await self.app(scope, receive, send)


async def _refuse(scope: Scope, receive: Receive, send: Send, *, is_socket: bool) -> None:
    if is_socket:
        await receive()
        await send({"type": "websocket.close", "code": 4403})
    else:
        await PlainTextResponse("this server is asked by its own address only\n", 403)(scope, receive, send)
