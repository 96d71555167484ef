"""What the first review needs is compiled by another process; whoever asks for it is told how far that is."""

import asyncio
import json
import os
import subprocess
import sys

import pytest

from shengji_table.web.review_code import ReviewCode
from tests.helpers.browsing import until
from tests.helpers.paths import ROOT
from tests.helpers.web_clients import House, new_table, run
from tests.shengji_table.test_browser import play_out
from tests.shengji_table.test_evening import fetch

COMPILER = """
import sys, time
from pathlib import Path
for part in ("first", "second"):
    while not Path(part).exists():
        time.sleep(0.02)
    print(part, flush=True)
"""


def test_who_asks_for_a_review_is_told_how_far_it_is_and_can_go_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = ReviewCode([sys.executable, "-c", COMPILER], 2)

    async def scenario(executor):
        players = ("human", "greedy", "greedy", "greedy")
        table = new_table(*players, rules="small_two_ranks", executor=executor)
        async with House(table, executor=executor) as house, house.client(0) as client:
            await client.say("auto", on=False)
            while (await client.until(lambda state: state["ask"]))["ask"]["kind"] != "next":
                await client.follow_hint()
                client.state = None
            house.service.review_code = code
            compiling = asyncio.ensure_future(code.compile())
            assert await client.say("replay", move=table.move) == {"type": "compiling", "done": 0, "total": 2}
            assert (await client.say("auto", on=False))["type"] == "accepted"
            path = f"/evening/{table.seating.keys.evening}/review/1"
            status, _, page = await asyncio.to_thread(fetch, house.host, path)
            assert (status, 'http-equiv="refresh"' in page) == (200, True)
            assert "0 of 2 parts are there" in page
            assert "已完成 0 / 2" in page
            (tmp_path / "first").touch()
            while (message := await client.read())["type"] == "state":
                pass
            assert message == {"type": "compiling", "done": 1, "total": 2}
            (tmp_path / "second").touch()
            while (message := await client.read())["type"] == "state":
                pass
            assert message["type"] == "replay"
            assert '"review":{' in (await asyncio.to_thread(fetch, house.host, message["path"]))[2]
            assert (await asyncio.to_thread(fetch, house.host, path))[0] == 303
            await compiling

    run(scenario)


@pytest.mark.parametrize("command", [[sys.executable, "-c", ""], ["/nowhere/there is no such program"]])
def test_what_cannot_be_compiled_elsewhere_is_waited_for_no_longer(command):
    code = ReviewCode(command, 2)
    asyncio.run(code.compile())
    assert code.is_ready


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(os.name != "posix", reason="asks the system for a process")
def test_the_other_process_ends_with_the_server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first").touch()
    names_itself = "import os; open('pid', 'w').write(str(os.getpid()))\n"
    code = ReviewCode([sys.executable, "-c", names_itself + COMPILER], 2)

    async def scenario():
        compiling = asyncio.ensure_future(code.compile())
        while code.done < 1:
            await code.until_changed()
        compiling.cancel()
        await asyncio.gather(compiling, return_exceptions=True)
        pid = int((tmp_path / "pid").read_text())
        for _ in range(500):
            if not is_running(pid):
                return
            await asyncio.sleep(0.02)
        pytest.fail("it still runs after ten seconds")

    asyncio.run(scenario())


REVIEW = """
import json, sys
from shengji_table.review import as_valuer, review_replay
from shengji_table.review.compiled_reviews import REVIEWS
from shengji_env.cli.compiled_parts import compile_human
from shengji_env.records.replays import Replay
from shengji_env.support.announcing import loading_all

def compiled():
    modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("shengji_")]
    kernels = {f"{kernel.__module__}.{name}": kernel for module in modules for name, kernel in vars(module).items()
               if hasattr(kernel, "signatures") and not isinstance(kernel, type)}
    return {name: sorted(map(str, kernel.signatures)) for name, kernel in kernels.items()}

with loading_all():
    for part in (compile_human, *REVIEWS):
        part()
before = compiled()
replay = Replay.read("tests/data/playthroughs/two_deck.jsonl")
print(len(review_replay(replay, as_valuer(None, replay.rules)).html()), file=sys.stderr)
after = compiled()
print(json.dumps([name for name in after if after[name] != before.get(name, [])]))
"""


@pytest.mark.thorough
def test_the_parts_are_all_that_a_review_needs():
    run = subprocess.run(
        [sys.executable, "-c", REVIEW], cwd=ROOT, capture_output=True, text=True, timeout=600, check=True
    )
    assert json.loads(run.stdout) == []


@pytest.mark.parametrize(("locale", "said"), [("en-US", "1 of 3 parts"), ("zh-CN", "已完成 1 / 3")])
def test_the_page_says_how_far_it_is(serve, sit, locale, said):
    house = serve("human", "heuristic", "heuristic", "heuristic", seed=3)
    house.service.review_code = ReviewCode((), total=3, done=1)
    page = sit(house, 0, locale=locale)
    play_out(page)
    page.click(".replay")
    until(page, lambda: said in page.inner_text(".buttons"))
