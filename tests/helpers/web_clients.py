"""Clients for tests of the play server: they talk to it over real sockets, in the same event loop."""

import asyncio
import contextlib
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import websockets

from shengji_env.engine.rule_sets import as_rules
from shengji_env.players.registry import make_player
from shengji_env.render.view import WATCHER
from shengji_table.web.connections import Service, ServiceLimits
from shengji_table.web.links import link_of
from shengji_table.web.messages import VERSION
from shengji_table.web.outbox import Outbox
from shengji_table.web.round_loop import play_rounds
from shengji_table.web.server import listen, make_server
from shengji_table.web.table import Table
from shengji_table.web.table_timing import Clock, Timing

AT_ONCE = Timing(0, 0, 0, 0, 0)
PERSONS = ("human",) * 4
PATIENCE = 60
"""Seconds that a server and its clients wait for each other: a busy machine may be slow."""
KEPT = ("state", "welcome", "lobby")
"""Messages that a client keeps, the newest of each."""


class FastClock(Clock):
    """A clock whose time passes as soon as nobody has anything else to do."""

    def __init__(self):
        self.time = 0.0

    def now(self):
        return self.time

    async def until(self, moment):
        await asyncio.sleep(0)
        self.time = max(self.time, moment)


def new_table(*players, rules="one_deck", seed=1, executor, waits=False, **options):
    """A table; unless it `waits`, it begins with nobody there."""
    made = tuple(make_player(text) for text in players)
    table = Table(made, as_rules(rules), seed, executor=executor, **{"timing": AT_ONCE, **options})
    table.has_begun = table.has_begun or not waits
    return table


class Listening(Outbox):
    """An outbox that remembers when it got which state."""

    def __init__(self, clock):
        super().__init__()
        self.clock, self.heard = clock, []

    def put_state(self, text):
        self.heard.append((self.clock.now(), text))


def given_deal(table, deal):
    """Let a table's first deal be a given one; any other is dealt by chance."""
    tables = table.board.env.tables
    tables.states["deal"][0], tables.states["deal_given"] = deal, 1
    tables.begin(given=True)
    tables.states["deal_given"] = 0
    table.board.next_round()


class Client:
    """A browser without a page."""

    def __init__(self, socket):
        self.socket = socket
        self.state = self.welcome = self.lobby = None

    async def read(self):
        """The next message; states are kept."""
        message = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE))
        if message["type"] in KEPT:
            setattr(self, message["type"], message)
        return message

    async def until(self, accepts):
        """The next state that is accepted; the one at hand may be."""
        while self.state is None or not accepts(self.state):
            await self.read()
        return self.state

    async def until_closed(self):
        """Read until the server closes the connection; return its reason."""
        try:
            while True:
                await self.read()
        except websockets.ConnectionClosed as closed:
            return closed.rcvd

    async def say(self, kind, **fields):
        """Send a message, and return the reply."""
        await self.socket.send(json.dumps({"type": kind, **fields}))
        while (message := await self.read())["type"] in KEPT:
            pass
        return message

    async def follow_hint(self):
        """Do what the adviser would, at a decision of the play."""
        move = self.state["move"]
        hint = await self.say("hint", move=move)
        assert hint["type"] == "hint", hint
        return await self.say("play", move=move, cards=hint["cards"])


class House:
    """A server with one or more tables, for the length of a block."""

    def __init__(self, *tables, executor, adviser="heuristic", limits=None, **options):
        limits = limits or ServiceLimits(hello=PATIENCE)
        self.service = Service(list(tables), make_player(adviser), executor, limits, **options)

    async def __aenter__(self):
        self.opened = listen("127.0.0.1", 0)
        self.host = f"127.0.0.1:{self.opened.getsockname()[1]}"
        self.server = make_server(self.service, is_local=True)
        self.tasks = [asyncio.ensure_future(play_rounds(table)) for table in self.service.tables]
        self.serving = asyncio.ensure_future(self.server.serve(sockets=[self.opened]))
        while not self.server.started:
            await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *_):
        self.server.should_exit = True
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.serving
        self.opened.close()

    def link(self, viewer, table=0):
        """A viewer's link; a free seat is taken, without a name."""
        seating = self.service.tables[table].seating
        if viewer in seating.free():
            self.service.tables[table].open_seat(viewer)
        return link_of(table, viewer, seating.keys)

    @contextlib.asynccontextmanager
    async def socket(self, **options):
        # A browser takes whatever comes; a client that stopped at 16 messages would not see the connection's end.
        options = {"origin": f"http://{self.host}", "max_queue": None, "open_timeout": PATIENCE, **options}
        async with websockets.connect(f"ws://{self.host}/socket", proxy=None, **options) as socket:
            yield socket

    @contextlib.asynccontextmanager
    async def client(self, viewer, table=0):
        async with self.socket() as socket:
            await socket.send(json.dumps({"type": "hello", "version": VERSION, "link": self.link(viewer, table)}))
            client = Client(socket)
            await client.read()
            yield client


def run(scenario, *, timeout=300):
    """Run a scenario, which takes the threads for players."""

    async def bounded():
        with ThreadPoolExecutor(4) as executor:
            await asyncio.wait_for(scenario(executor), timeout)

    asyncio.run(bounded())


__all__ = [
    "AT_ONCE",
    "PERSONS",
    "WATCHER",
    "Client",
    "FastClock",
    "House",
    "Listening",
    "ServiceLimits",
    "Timing",
    "given_deal",
    "new_table",
    "replace",
    "run",
]  # fmt: skip
