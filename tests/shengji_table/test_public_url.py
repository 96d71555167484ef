"""The server behind a proxy with another address: ``serve --public-url``."""

import asyncio
import contextlib
import http.client
import json
import re

import pytest
import websockets

from shengji_env.errors import ShengjiError
from shengji_table.web.links import link_of
from shengji_table.web.messages import VERSION
from shengji_table.web.public_url import PublicUrl, read_public_url
from shengji_table.web.refusals import Closed
from tests.helpers.web_clients import WATCHER, Client, House, ServiceLimits, new_table, run
from tests.shengji_table.test_evening import played
from tests.shengji_table.test_serve import start

ONE = ("human", "greedy", "greedy", "greedy")
SITE = PublicUrl("https", "cards.example", "/cards")


@pytest.mark.parametrize(
    ("text", "parts", "shown"),
    [
        ("https://cards.example", ("https", "cards.example", ""), "https://cards.example/"),
        ("https://Cards.Example:443/", ("https", "cards.example", ""), "https://cards.example/"),
        ("https://cards.example:8443/a/b/", ("https", "cards.example:8443", "/a/b"), "https://cards.example:8443/a/b/"),
        ("http://[::1]:8080/x", ("http", "[::1]:8080", "/x"), "http://[::1]:8080/x/"),
    ],
)
def test_an_address_has_a_scheme_a_host_and_perhaps_a_path(text, parts, shown):
    read = read_public_url(text)
    assert (read.scheme, read.host, read.path) == parts
    assert str(read) == shown


@pytest.mark.parametrize(
    "text",
    [
        "", "cards.example", "ftp://cards.example", "https://", "https://a b", "https://me@cards.example",
        "https://cards.example/?x", "https://cards.example/#x", "https://cards.example/../x", "https://[",
        "https://cards.example//x", 'https://cards.example/"x', "https://cards.example:x/",
    ],
)  # fmt: skip
def test_other_addresses_are_refused(text):
    with pytest.raises(ShengjiError, match="write https://host or https://host/path"):
        read_public_url(text)


class Proxy:
    """What a proxy with TLS does behind its TLS: it passes on requests for a path, and says for whom."""

    def __init__(self, house, *, keeps_host, keeps_path):
        self.house, self.keeps_host, self.keeps_path = house, keeps_host, keeps_path
        self.asks_for = "203.0.113.7"

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()

    async def serve(self, reader, writer):
        inner_reader, inner_writer = await asyncio.open_connection(*self.house.host.split(":"))
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            inner_writer.write(self.passed_on(await reader.readuntil(b"\r\n\r\n")))
            await asyncio.gather(self.pass_all(reader, inner_writer), self.pass_all(inner_reader, writer))

    def passed_on(self, head):
        first, *lines = head.decode().rstrip().split("\r\n")
        if not self.keeps_path:
            first = first.replace(SITE.path, "", 1)
        if not self.keeps_host:
            lines = [f"Host: {self.house.host}" if line.lower().startswith("host:") else line for line in lines]
        more = [f"X-Forwarded-For: {self.asks_for}"] * bool(self.asks_for) + ["X-Forwarded-Proto: https"]
        return "\r\n".join([first, *lines, *more, "", ""]).encode()

    async def pass_all(self, reader, writer):
        while data := await reader.read(1 << 16):
            writer.write(data)
        writer.close()

    async def get(self, path, **headers):
        return await asyncio.to_thread(self.fetch, path, {"Host": SITE.host, **headers})

    def fetch(self, path, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers={"Connection": "close", **headers})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()

    def socket(self, origin=SITE.origin):
        address = f"ws://{SITE.host}{SITE.path}/socket"
        return websockets.connect(address, host="127.0.0.1", port=self.port, origin=origin, proxy=None)

    @contextlib.asynccontextmanager
    async def client(self, link):
        async with self.socket() as socket:
            await socket.send(json.dumps({"type": "hello", "version": VERSION, "link": link}))
            client = Client(socket)
            await client.read()
            yield client


@contextlib.asynccontextmanager
async def behind(executor, *, table=None, keeps_host=True, keeps_path=True, **limits):
    table = table or new_table(*ONE, executor=executor)
    async with (
        House(table, executor=executor, limits=ServiceLimits(hello=60, **limits), public=SITE) as house,
        Proxy(house, keeps_host=keeps_host, keeps_path=keeps_path) as proxy,
    ):
        yield house, proxy


@pytest.mark.parametrize("keeps_host", [True, False])
@pytest.mark.parametrize("keeps_path", [True, False])
def test_pages_and_seats_are_reached_through_a_proxy(keeps_host, keeps_path):
    async def scenario(executor):
        async with behind(executor, keeps_host=keeps_host, keeps_path=keeps_path) as (house, proxy):
            status, headers, text = await proxy.get("/cards/")
            assert status == 200
            assert "connect-src 'self' ws://" in headers["content-security-policy"]
            assert " wss://cards.example;" in headers["content-security-policy"]
            files = re.findall(r'(?:href|src)="([^"]+)"', text)
            assert files
            for file in files:
                assert file.startswith("/cards/page/")
                assert (await proxy.get(file))[0] == 200
            async with proxy.client(house.link(0)) as client:
                assert client.welcome["seat"] == 0
                evening = client.welcome["evening"]
            assert evening.startswith("/cards/evening/")
            assert (await proxy.get(evening))[0] == 200
            assert json.loads((await proxy.get(f"{evening}/rounds.json"))[2])["rounds"] == []
            async with house.client(0) as client:  # without the proxy, as before
                assert client.welcome["seat"] == 0

    run(scenario)


def test_replays_have_the_public_path():
    async def scenario(executor):
        async with behind(executor, table=played(executor)) as (house, proxy), proxy.client(house.link(0)) as client:
            status, headers, _ = await proxy.get(f"{client.welcome['evening']}/replay/1")
            assert (status, headers["location"].startswith("/cards/replay/")) == (303, True)
            assert (await proxy.get(headers["location"]))[0] == 200

    run(scenario)


def test_a_path_without_its_slash_leads_to_the_page():
    async def scenario(executor):
        async with behind(executor) as (_, proxy):
            status, headers, _ = await proxy.get("/cards")
            assert (status, headers["location"]) == (307, "/cards/")

    run(scenario)


def test_strangers_are_refused_behind_a_proxy_too():
    async def scenario(executor):
        async with behind(executor) as (_, proxy):
            assert (await proxy.get("/cards/", Host="evil.example"))[0] == 403
            for origin in ("https://evil.example", "http://cards.example", "https://cards.example.evil", None):
                with pytest.raises(websockets.InvalidStatus):
                    async with proxy.socket(origin=origin):
                        pass

    run(scenario)


def test_without_a_public_address_a_proxy_is_a_stranger():
    async def scenario(executor):
        async with behind(executor) as (house, proxy):
            house.server.config.app.public = None
            assert (await proxy.get("/cards/"))[0] == 403

    run(scenario)


def test_limits_by_address_are_of_those_for_whom_the_proxy_asks():
    async def scenario(executor):
        limits = {"lookers_of_address": 1, "newcomers_of_address": 1}
        async with behind(executor, **limits) as (house, proxy), contextlib.AsyncExitStack() as stack:
            link = link_of(0, WATCHER, house.service.tables[0].seating.keys)
            async with proxy.client(link):
                async with proxy.socket() as again:
                    await again.send(json.dumps({"type": "hello", "version": VERSION, "link": link}))
                    with pytest.raises(websockets.ConnectionClosed) as closed:
                        await again.recv()
                    assert closed.value.rcvd.code == Closed.BUSY
                for proxy.asks_for in ("203.0.113.8", None):  # where it does not say, its own address is nobody's
                    await stack.enter_async_context(proxy.client(link))
                await stack.enter_async_context(proxy.client(link))
                assert house.service.lookers == {"203.0.113.7": 1, "203.0.113.8": 1, None: 2}

    run(scenario)


def test_links_have_the_public_address(tmp_path):
    process, links, _ = start("--public-url", "https://cards.example/cards", "--record", str(tmp_path / "x.jsonl"))
    process.kill()
    process.communicate()
    assert links["seat 0 human"].startswith("https://cards.example/cards/#0.0.")
