"""The process of the play server: the tables and the socket on which it listens."""

import asyncio
import contextlib
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import uvicorn

from shengji_env.errors import ShengjiError
from shengji_table.web.app import make_app
from shengji_table.web.connections import Service
from shengji_table.web.messages import MAX_BYTES
from shengji_table.web.newcomers import NewcomersProtocol, NewcomersSocket
from shengji_table.web.round_loop import play_rounds

NUM_THREADS = 32
"""Threads in which players answer: each table waits for one at most."""
_PING = 20.0
_MAX_HEADER = 16 * 1024


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine only."""
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address.

    Raises:
        ShengjiError: the address cannot be bound.
    """
    try:
        # With the protocol named, asyncio sends small messages at once (TCP_NODELAY); otherwise each waits for 40 ms.
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        opened = socket.socket(family, kind, protocol)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen()
    except (OSError, OverflowError, UnicodeError) as error:  # the last: no name of a host
        raise ShengjiError(f"cannot listen on {host}, port {port}: {error}; choose another --port") from error
    return opened


@contextlib.contextmanager
def player_threads() -> Iterator[ThreadPoolExecutor]:
    """Yield the threads in which players answer; who still thinks at the end is not waited for."""
    threads = ThreadPoolExecutor(NUM_THREADS, thread_name_prefix="player")
    try:
        yield threads
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


def make_server(service: Service, *, is_local: bool) -> uvicorn.Server:
    """Return the server of the tables."""
    config = uvicorn.Config(
        make_app(service, is_local=is_local), http=NewcomersProtocol, ws=NewcomersSocket, ws_max_size=2 * MAX_BYTES,
        ws_max_queue=8, ws_ping_interval=_PING, ws_ping_timeout=_PING, ws_per_message_deflate=False, lifespan="off",
        log_config=None, access_log=False, server_header=False, proxy_headers=service.public is not None,
        h11_max_incomplete_event_size=_MAX_HEADER, timeout_graceful_shutdown=1,
    )  # fmt: skip
    return uvicorn.Server(config)


def serve(service: Service, opened: socket.socket, *, is_local: bool, started: Callable[[], object]) -> None:
    """Serve until the process is interrupted.

    Args:
        service: the tables.
        opened: the socket (`listen`).
        is_local: whether it is on the loopback interface.
        started: called once connections are taken.

    Raises:
        KeyboardInterrupt: the process was interrupted.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
    asyncio.run(_serve(make_server(service, is_local=is_local), service, opened, started))
    raise KeyboardInterrupt


async def _serve(
    server: uvicorn.Server, service: Service, opened: socket.socket, started: Callable[[], object]
) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, lambda: setattr(server, "should_exit", True))
    tasks = [asyncio.ensure_future(play_rounds(table)) for table in service.tables]
    tasks.append(asyncio.ensure_future(service.review_code.compile()))
    running = asyncio.ensure_future(server.serve(sockets=[opened]))
    while not server.started and not running.done():
        await asyncio.sleep(0.01)
    started()
    try:
        await running
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
