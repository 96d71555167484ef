"""The program of docs/web.md sits down and plays a round; what the page says of versions and codes."""

import asyncio
import re
import runpy

from shengji_env.web.messages import VERSION
from shengji_env.web.refusals import Closed
from tests.helpers.browsing import QUICK
from tests.helpers.paths import ROOT
from tests.helpers.web_clients import House, new_table, run

PAGE = (ROOT / "docs" / "web.md").read_text(encoding="utf-8")
BOT = ROOT / "docs" / "bots" / "browser_bot.py"


def test_the_program_of_the_page_sits_down_and_plays_a_round(monkeypatch):
    """In this deal it bids, declares and buries."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    names = runpy.run_path(str(BOT))

    async def scenario(executor):
        players = ("human", "heuristic", "heuristic", "heuristic")
        table = new_table(*players, rules="two_deck", seed=3, executor=executor, waits=True, timing=QUICK)
        async with House(table, executor=executor) as house:
            link = f"http://{house.host}/#0.t.{table.seating.keys.invite}"
            line = await asyncio.wait_for(names["play_a_round"](link, "Robot"), 120)
            assert line == table.sheet[-1]
            assert table.board.names[0] == "Robot"
            made = {kind for step in table.rounds[-1].record["decisions"] if step["seat"] == 0 for kind in step}
            assert made >= {"bid", "bury", "lead", "follow"}

    run(scenario)


def test_the_page_names_the_version_and_all_codes():
    assert f"It speaks version {VERSION} of the protocol" in " ".join(PAGE.split())
    assert f'"version": {VERSION},' in BOT.read_text(encoding="utf-8")
    table = PAGE.partition("| closed with | because |")[2].partition("\n\n")[0]
    assert {int(code) for code in re.findall(r"\b4\d\d\d\b", table)} == set(Closed)
