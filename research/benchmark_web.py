"""How fast many tables answer at once: ``python -m research.benchmark_web [TABLES] [SECONDS]``.

One process serves all tables; another one plays the persons, one a table, against three `heuristic` players at the
usual timing. Measured is the time from a person's play to the state in which it is seen, over a real socket, once the
first rounds have been dealt.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import websockets
from websockets.typing import Origin

from shengji_table.web.connections import ServiceLimits
from shengji_table.web.messages import VERSION
from shengji_table.web.table_timing import Timing
from tests.helpers.web_clients import Client, House, new_table

PACE = Timing()
WARM_UP = 45.0
"""Seconds until the first rounds have been dealt at the usual timing."""
THINKING = 1.0
"""Mean seconds that a person thinks, drawn from an exponential distribution."""


async def serve(num_tables: int) -> None:
    """Serve tables until standard input ends; print the host and the links of the persons."""
    with ThreadPoolExecutor(32) as executor:
        players, options = ("human", *["heuristic"] * 3), {"rules": "two_deck", "executor": executor, "timing": PACE}
        tables = [new_table(*players, seed=seed, **options) for seed in range(num_tables)]
        async with House(
            *tables,
            executor=executor,
            limits=ServiceLimits(newcomers=num_tables + 8, newcomers_of_address=num_tables + 8),
        ) as house:
            print(json.dumps([house.host, [house.link(0, table) for table in range(num_tables)]]), flush=True)
            await asyncio.to_thread(sys.stdin.read)


async def play(host: str, link: str, since: float, until: float, times: list[float]) -> None:
    """Play as a person; note the milliseconds of each play after a moment."""
    async with websockets.connect(f"ws://{host}/socket", origin=Origin(f"http://{host}"), proxy=None) as socket:
        await socket.send(json.dumps({"type": "hello", "version": VERSION, "link": link}))
        client = Client(socket)
        await client.read()
        await client.say("auto", on=False)
        while time.perf_counter() < until:
            state = client.state or {}
            ask, move = state.get("ask"), state.get("move")
            if ask is None or ask["is_done"] or (ask["kind"] == "bid" and state["window"] is None):
                await client.read()
            elif ask["kind"] in ("bid", "next"):
                await client.say("done", move=move)
            else:
                await asyncio.sleep(random.expovariate(1 / THINKING))
                hint = await client.say("hint", move=move)
                began = time.perf_counter()
                await client.say("play", move=move, cards=hint["cards"])
                await client.until(lambda state, move=move: state["move"] > move)
                if began > since:
                    times.append(1000 * (time.perf_counter() - began))


async def measure(num_tables: int, seconds: float) -> None:
    """Measure, and print the figures."""
    child = subprocess.Popen(
        [sys.executable, "-m", "research.benchmark_web", "serve", str(num_tables)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    host, links = json.loads(child.stdout.readline())
    times: list[float] = []
    since = time.perf_counter() + WARM_UP
    await asyncio.gather(*(play(host, link, since, since + seconds, times) for link in links))
    memory = resident(child.pid)
    child.communicate()
    times.sort()
    at = {share: times[min(len(times) - 1, int(share * len(times)))] for share in (0.5, 0.9, 0.99)}
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{num_tables} tables, {len(times):,} plays in {seconds:g} s; mean {statistics.fmean(times):.1f} ms")
    print(
        "  ".join(f"{100 * share:g} %: {value:.1f} ms" for share, value in at.items()) + f"  most: {times[-1]:.1f} ms"
    )
    print(f"memory of the server {memory} MB; load of the machine {load} on {os.cpu_count()} cores")


def resident(pid: int) -> int | str:
    """Return the resident memory of a process in MB, where the system says so."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS")), "?")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(int(sys.argv[2])))
    else:
        asyncio.run(measure(int((sys.argv[1:] or ["200"])[0]), float((sys.argv[2:] or ["30"])[0])))
