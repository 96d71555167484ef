"""The program of docs/web.md sits down and plays a round; what the page says of versions and codes."""

import asyncio
import re
import runpy

import pytest

from shengji_table.web.links import GUEST
from shengji_table.web.messages import VERSION
from shengji_table.web.refusals import Closed
from tests.helpers.browsing import QUICK
from tests.helpers.paths import ROOT
from tests.helpers.web_clients import House, new_table, run

PAGE = (ROOT / "docs" / "web.md").read_text(encoding="utf-8")
BOT = ROOT / "docs" / "bots" / "browser_bot.py"


@pytest.mark.thorough
def test_two_programs_of_the_page_sit_down_at_once_and_play_a_round(monkeypatch):
    """In this deal the one in seat 0 bids, declares and buries."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    names = runpy.run_path(str(BOT))

    async def scenario(executor):
        players = ("human", "heuristic", "human", "heuristic")
        table = new_table(*players, rules="two_deck", seed=3, executor=executor, waits=True, timing=QUICK)
        async with House(table, executor=executor) as house:
            link = f"http://{house.host}/#0.t.{table.seating.keys.invite}"
            both = asyncio.gather(names["play_a_round"](link, "Robot"), names["play_a_round"](link, "Other"))
            assert await asyncio.wait_for(both, 120) == [table.sheet[-1]] * 2
            assert {table.board.names[0], table.board.names[2]} == {"Robot", "Other"}
            place = {"uri": f"ws://{house.host}/socket", "origin": f"http://{house.host}"}
            assert await names["take_a_seat"](place, house.link(0), "Robot") == house.link(0)
            with pytest.raises(SystemExit, match="Third finds no seat: no seat is free"):
                await names["take_a_seat"](place, house.link(GUEST), "Third")
            made = {kind for step in table.rounds[-1].record["decisions"] if step["seat"] == 0 for kind in step}
            assert made >= {"bid", "bury", "lead", "follow"}

    run(scenario)


def test_the_page_names_the_version_and_all_codes():
    assert f"(version {VERSION} of the protocol)" in " ".join(PAGE.split())
    assert f'"version": {VERSION},' in BOT.read_text(encoding="utf-8")
    table = PAGE.partition("| closed with | because |")[2].partition("\n\n")[0]
    assert {int(code) for code in re.findall(r"\b4\d\d\d\b", table)} == set(Closed)
