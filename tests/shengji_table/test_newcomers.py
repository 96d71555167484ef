"""Those who have shown no link: they wait for nobody, and keep nobody out. Real sockets, on loopback."""

import asyncio
import contextlib
import json
import time

import pytest
import websockets

from shengji_table.web import newcomers
from shengji_table.web.links import link_of
from shengji_table.web.messages import VERSION
from shengji_table.web.refusals import Closed
from tests.helpers.thorough import thorough
from tests.helpers.web_clients import WATCHER, House, ServiceLimits, new_table, run

ONE = ("human", "greedy", "greedy", "greedy")
WHOLE = b"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: "
FLOOD = 600
"""Connections of a flood: more than are let in at once, fewer than a process may open."""
LONG = 240.0
"""Seconds until those who hold connections are closed, where nobody is to wait for it."""


@contextlib.asynccontextmanager
async def opened(executor, **limits):
    limits = ServiceLimits(**{"hello": LONG, **limits})
    async with House(new_table(*ONE, executor=executor), executor=executor, limits=limits) as house:
        yield house


async def connect(house, address="127.0.0.1"):
    host, port = house.host.split(":")
    return await asyncio.open_connection(host, int(port), local_addr=(address, 0))


def whole(house):
    return WHOLE.replace(b"{host}", house.host.encode())


async def page(house, address="127.0.0.1"):
    """Ask for the page, and wait for all of it."""
    reader, writer = await connect(house, address)
    writer.write(whole(house))
    await read_answer(reader)
    return reader, writer


async def read_answer(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    assert head.startswith(b"http/1.1 200")
    await reader.readexactly(int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0]))


async def seconds_until_closed(reader):
    began = time.monotonic()
    with contextlib.suppress(ConnectionError):
        while await asyncio.wait_for(reader.read(1 << 16), 30):
            pass
    return time.monotonic() - began


async def until(is_so):
    """Wait for what others do."""
    async with asyncio.timeout(30):
        while not is_so():
            await asyncio.sleep(0.01)


def are_closed(connections):
    return [reader.at_eof() or reader.exception() is not None for reader, _ in connections]


async def trickle(writer, text):
    with contextlib.suppress(ConnectionError):
        for byte in text * 100:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.1)


# ---- how long


@pytest.mark.parametrize("before", [1, *thorough(0, 3)])
@pytest.mark.parametrize("is_slow", [False, True])
def test_a_half_request_ends_after_the_same_time_each_time(before, is_slow, monkeypatch):
    monkeypatch.setattr(newcomers, "PATIENCE", 1.0)

    async def scenario(executor):
        async with opened(executor) as house:
            reader, writer = await connect(house)
            for _ in range(before):
                writer.write(whole(house))
                await read_answer(reader)
            if is_slow:
                slowly = asyncio.ensure_future(trickle(writer, HALF))
            else:
                writer.write(HALF)
            assert 0.1 < await seconds_until_closed(reader) < 20
            if is_slow:
                slowly.cancel()

    run(scenario)


def test_who_does_not_read_the_answer_is_closed(monkeypatch):
    monkeypatch.setattr(newcomers, "PATIENCE", 0.5)

    async def scenario(executor):
        async with opened(executor) as house:
            reader, writer = await connect(house)
            reader._transport.pause_reading()
            with contextlib.suppress(ConnectionError):
                for _ in range(400):
                    writer.write(b"GET /sheet.json HTTP/1.1\r\nHost: " + house.host.encode() + b"\r\n\r\n")
                    await asyncio.wait_for(writer.drain(), 1)
            await until(lambda: not house.server.server_state.connections)
            writer.transport.abort()

    run(scenario)


@pytest.mark.thorough
def test_a_browser_that_asks_now_and_then_stays(monkeypatch):
    monkeypatch.setattr(newcomers, "PATIENCE", 4.0)

    async def scenario(executor):
        async with opened(executor) as house:
            reader, writer = await page(house)
            for _ in range(6):
                await asyncio.sleep(1.0)
                writer.write(whole(house))
                await read_answer(reader)

    run(scenario)


def test_silent_sockets_are_closed(caplog):
    async def scenario(executor):
        async with opened(executor, hello=0.5) as house, house.socket() as socket:
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await asyncio.wait_for(socket.recv(), 60)
            assert closed.value.rcvd.code == Closed.SILENT

    run(scenario)


# ---- how many


PUSHED_OUT = (asyncio.IncompleteReadError, OSError, websockets.WebSocketException)


async def assert_served(house, *pushed_out):
    """A page and a seat are there long before those who hold connections are closed.

    They are asked for again after such errors, as a browser does.
    """
    async with asyncio.timeout(LONG / 2):
        for ask in (close_page, take_seat):
            is_served = False
            while not is_served:
                with contextlib.suppress(*pushed_out):
                    await ask(house)
                    is_served = True


async def close_page(house):
    _, writer = await page(house)
    writer.close()


async def take_seat(house):
    async with house.client(0) as client:
        assert client.welcome["seat"] == 0


def test_half_requests_keep_nobody_out(monkeypatch):
    monkeypatch.setattr(newcomers, "PATIENCE", LONG)

    async def scenario(executor):
        async with opened(executor) as house, contextlib.AsyncExitStack() as stack:
            for _ in range(FLOOD):
                _, writer = await page(house)
                stack.callback(writer.transport.abort)
                writer.write(HALF)
            await assert_served(house)
            assert len(house.server.config.app.newcomers) <= ServiceLimits().newcomers_of_address

    run(scenario)


def test_silent_sockets_keep_nobody_out(monkeypatch):
    monkeypatch.setattr(newcomers, "PATIENCE", LONG)

    async def scenario(executor):
        async with opened(executor) as house:
            tasks = [asyncio.ensure_future(silent(house)) for _ in range(FLOOD // 2)]
            await asyncio.sleep(2)
            try:
                # Those who knock again are more than an address may have, and may push one out before it has asked.
                await assert_served(house, *PUSHED_OUT)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    run(scenario)


async def silent(house):
    """Be silent, again and again."""
    while True:
        with contextlib.suppress(websockets.WebSocketException, OSError):
            async with house.socket(open_timeout=None) as socket:
                await socket.wait_closed()
        await asyncio.sleep(2)


def test_the_oldest_of_the_same_address_makes_room():
    async def scenario(executor):
        async with opened(executor, newcomers=6, newcomers_of_address=4) as house:
            elsewhere = await connect(house, "127.0.0.2")
            here = [await connect(house) for _ in range(7)]
            await until(lambda: are_closed(here) == [True] * 3 + [False] * 4)
            more = [await connect(house, "127.0.0.3") for _ in range(3)]
            await until(lambda: are_closed(here) == [True] * 5 + [False] * 2)
            assert not any(are_closed([elsewhere, *more]))
            for _, writer in [elsewhere, *here, *more]:
                writer.transport.abort()

    run(scenario)


def test_those_who_look_are_limited_and_who_has_a_seat_is_not():
    async def scenario(executor):
        async with opened(executor, lookers_of_address=2) as house, contextlib.AsyncExitStack() as stack:
            for _ in range(2):
                await stack.enter_async_context(house.client(WATCHER))
            async with house.socket() as socket:
                link = link_of(0, WATCHER, house.service.tables[0].seating.keys)
                await socket.send(json.dumps({"type": "hello", "version": VERSION, "link": link}))
                with pytest.raises(websockets.ConnectionClosed) as closed:
                    await socket.recv()
            assert closed.value.rcvd.code == Closed.BUSY
            async with house.client(0) as client:
                assert client.welcome["seat"] == 0
            await stack.aclose()
            await until(lambda: not house.service.lookers)
            async with house.client(WATCHER) as client:
                assert client.state or client.welcome

    run(scenario)
