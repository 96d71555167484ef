"""The lobby in a real browser: guests take seats, begin without others, leave, are replaced, and come back."""

import asyncio
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from shengji_env.engine.rule_sets import as_rules
from shengji_env.players.registry import make_player
from shengji_table.web.links import GUEST
from shengji_table.web.session_log import SessionLog, new_plan
from shengji_table.web.table_timing import Timing
from tests.helpers.browsing import PATIENCE, until
from tests.helpers.web_clients import House, new_table

GUESTS = ("human", "heuristic", "human", "heuristic")
QUICK = Timing(draw=0.01, last_bids=0.2, play=0.01, trick=0.01, round=60)


class Serving:
    """A server in a thread: what it answers is asked of a browser."""

    def __init__(self, make):
        self.make, self.ready, self.thread = make, threading.Event(), threading.Thread(target=self._run)
        self.thread.start()
        assert self.ready.wait(60)

    def _run(self):
        with ThreadPoolExecutor(4) as executor:
            asyncio.run(self._serve(executor))

    async def _serve(self, executor):
        self.loop, self.stopping = asyncio.get_running_loop(), asyncio.Event()
        self.table = self.make(executor)
        async with House(self.table, executor=executor) as self.house:
            self.ready.set()
            await self.stopping.wait()

    def stop(self):
        if not self.thread.is_alive():
            return
        self.loop.call_soon_threadsafe(self.stopping.set)
        self.thread.join(30)


@pytest.fixture
def serve():
    """Serve a table that waits for persons; at the end the server stops."""
    servers = []

    def serve_one(*players, **options):
        def make(executor):
            return new_table(*players, executor=executor, **{"timing": QUICK, "waits": True, **options})

        servers.append(Serving(make))
        return servers[-1]

    yield serve_one
    for server in servers:
        server.stop()


@pytest.fixture
def visit(browser):
    """Open a link in a browser of its own; at the end nothing may have gone wrong in any page."""
    problems, contexts = [], []

    def visit_one(house, link, *, width=1280, height=800, locale="en-US"):
        context = browser.new_context(viewport={"width": width, "height": height}, locale=locale)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"http://{house.host}/#{link}")
        return page

    yield visit_one
    for context in contexts:
        context.close()
    assert [problem for problem in problems if "WebSocket connection" not in problem] == []


def take(page, name, seat=0):
    """Type a name and take a seat."""
    page.wait_for_selector(".seat")
    page.fill(".guest input", name)
    page.click(f".at-{seat} button")


def sit(page, name, seat=0):
    take(page, name, seat)
    page.wait_for_selector(".picture svg")


def presence(page):
    return page.inner_text(".presence") if page.locator(".presence").count() else ""


def test_two_guests_take_seats_through_one_link_and_the_table_waits_for_both(serve, visit):
    server = serve(*GUESTS)
    one, two = (visit(server.house, server.house.link(GUEST)) for _ in range(2))
    sit(one, "小明")
    until(two, lambda: "小明" in two.inner_text(".at-0"))
    assert two.locator(".at-0 button").count() == 0
    until(one, lambda: "Waiting for 1 guest" in presence(one))
    assert "Cards are dealt once everybody is here" in one.inner_text(".caption")
    assert server.table.board.opening.shown == 0
    take(two, "  ", 2)
    until(two, lambda: "Type your name" in two.inner_text(".problem"))
    take(two, "小明", 2)
    until(two, lambda: "has this name" in two.inner_text(".problem"))
    take(two, "a\u202eb", 2)
    until(two, lambda: "direction of text" in two.inner_text(".problem"))
    sit(two, "<b>Bo</b>", 2)
    until(one, lambda: presence(one) == "")
    until(one, lambda: server.table.board.opening.shown > 0)
    assert server.table.board.names == ("小明", "heuristic", "<b>Bo</b>", "heuristic")
    until(one, lambda: "<b>Bo</b>" in "".join(one.locator(".picture text").all_text_contents()))
    assert one.locator(".picture b").count() == 0
    seated = one.url
    assert re.search(r"#0\.0\.[\w-]{20,}$", seated)
    one.reload()
    one.wait_for_selector(".picture svg")
    assert one.url == seated
    one.go_back()  # the link for guests is no longer in the way
    assert not one.url.endswith(server.house.link(GUEST))


def test_a_guest_who_has_a_seat_finds_it_again_through_the_link_for_all(serve, visit):
    server = serve(*GUESTS)
    page = visit(server.house, server.house.link(GUEST), locale="zh-CN", width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    take(page, "a\u200bb")
    until(page, lambda: "看不见" in page.inner_text(".problem"))
    sit(page, "小红")
    seated = page.url
    page.goto("about:blank")
    page.goto(f"http://{server.house.host}/#{server.house.link(GUEST)}")
    page.get_by_role("button", name="回到我的座位").click()
    page.wait_for_selector(".picture svg")
    assert page.url == seated


def test_a_guest_may_watch(serve, visit):
    server = serve("human?name=Ann", "heuristic", "human?name=Bo", "heuristic")
    page = visit(server.house, server.house.link(GUEST))
    page.wait_for_selector(".at-0 button")
    assert page.inner_text(".at-0 button") == "I am Ann"
    assert page.locator(".guest").is_hidden()
    page.get_by_role("button", name="Watch only").click()
    page.wait_for_selector(".picture svg")
    until(page, lambda: "Waiting for Ann and Bo" in presence(page))
    assert page.locator(".presence button").count() == 0


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (844, 390), (320, 640)])
def test_all_seats_are_in_view(serve, visit, width, height):
    server = serve(*["human"] * 4)
    page = visit(server.house, server.house.link(GUEST), width=width, height=height)
    page.wait_for_selector(".seat")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for button in page.locator(".seat button").all():
        box = button.bounding_box()
        assert box["y"] + box["height"] <= height
        assert box["height"] >= 36


@pytest.mark.parametrize(("width", "height", "locale"), [(1280, 800, "en-US"), (390, 844, "zh-CN")])
def test_a_person_starts_without_the_other_and_all_fits(serve, visit, width, height, locale):
    server = serve(*GUESTS)
    page = visit(server.house, server.house.link(GUEST), width=width, height=height, locale=locale)
    sit(page, "Ann")
    start = page.locator(".presence button")
    start.wait_for()
    assert start.bounding_box()["y"] + start.bounding_box()["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    start.click()
    until(page, lambda: re.search("heuristic plays for a free seat|heuristic 正在代空位打", presence(page)))
    until(page, lambda: server.table.board.opening.shown > 0)
    assert page.locator(".presence p").bounding_box()["y"] < height


def test_a_bot_takes_over_for_who_has_left_and_the_person_comes_back(serve, visit):
    server = serve("human?name=Ann", "heuristic", "human?name=Bo", "heuristic", timing=QUICK)
    ann, bo = (visit(server.house, server.house.link(seat), width=390, height=844) for seat in (0, 2))
    bo.wait_for_selector(".picture svg")
    link = bo.url
    until(ann, lambda: server.table.has_begun)
    bo.goto("about:blank")
    until(ann, lambda: "Bo is not connected" in presence(ann))
    line = ann.locator(".presence p").bounding_box()
    assert line["y"] + line["height"] <= 844
    until(ann, lambda: ann.locator('[data-plate] use[href="#sj-away"]').count() == 1)
    ann.get_by_role("button", name="Bot takes over").click()
    until(ann, lambda: "heuristic plays for Bo" in presence(ann))
    bo.goto(link)
    bo.get_by_role("button", name="I am back").click()
    until(ann, lambda: presence(ann) == "")
    until(bo, lambda: presence(bo) == "")


def test_a_seat_whose_browser_is_lost_is_taken_from_another_one(serve, visit):
    server = serve("human?name=Ann", "heuristic", "human", "heuristic", timing=QUICK)
    invite = server.house.link(GUEST)
    ann, bo = visit(server.house, server.house.link(0)), visit(server.house, invite)
    sit(bo, "Bo", seat=2)
    link = bo.url
    until(ann, lambda: server.table.has_begun)
    bo.goto("about:blank")
    until(ann, lambda: "Bo is not connected" in presence(ann))
    other = visit(server.house, invite, locale="zh-CN", width=390, height=664)
    until(other, lambda: "有人离线" in other.inner_text(".lobby"))
    assert "电脑" in other.inner_text(".at-1")
    ann.get_by_role("button", name="Free the seat").click()
    until(ann, lambda: "heuristic plays for a free seat" in presence(ann))
    sit(other, "小博", seat=2)
    until(ann, lambda: presence(ann) == "")
    bo.goto(link)
    until(bo, lambda: "no longer" in bo.inner_text(".banner"))
    bo.goto("about:blank")
    bo.goto(f"http://{server.house.host}/#{invite}")
    bo.wait_for_selector(".seat")
    assert bo.get_by_role("button", name="Back to my seat").count() == 0


def test_nobody_bids_and_the_page_says_so(serve, visit):
    slow = Timing(draw=0.03, last_bids=0.1, play=0, trick=0, round=9)
    server = serve(*["human"] * 4, rules="two_deck", timing=slow, waits=False)
    page = visit(server.house, server.house.link(-1))
    until(page, lambda: "Nobody has bid: the cards are dealt again" in presence(page))


def test_names_and_seats_outlive_a_killed_server(serve, visit, tmp_path):
    path, rules = tmp_path / "evening.jsonl", as_rules("one_deck")
    logs = []

    def options():
        logs.append(SessionLog(path, new_plan(rules, GUESTS, "heuristic")))
        return {"log": logs[-1], "keys": logs[-1].plan.keys(), "seed": logs[-1].plan.seed}

    server = serve(*GUESTS, **options())
    page = visit(server.house, server.house.link(GUEST))
    sit(page, "Ann")
    page.locator(".presence button").click()
    until(page, lambda: server.table.board.opening.shown > 0)
    link = page.url.partition("#")[2]
    page.goto("about:blank")
    server.stop()
    logs[-1].close()
    server = serve(*GUESTS, **options())
    page.goto(f"http://{server.house.host}/#{link}")
    page.wait_for_selector(".picture svg")
    until(page, lambda: "heuristic plays for a free seat" in presence(page))
    assert server.table.board.names[0] == "Ann"
    logs[-1].close()


def test_the_evenings_page_shows_rounds_by_names_and_opens_their_replays(serve, visit):
    server = serve("human?name=Ann", "heuristic", "human?name=<i>Bo</i>", "heuristic")
    table, bot = server.table, make_player("heuristic")

    async def play():
        while not table.rounds:
            table.make(table.board.ask(bot))
            table.note_round()

    asyncio.run_coroutine_threadsafe(play(), server.loop).result(60)
    page = visit(server.house, server.house.link(0))
    page.wait_for_selector(".picture svg")
    page.locator(".toggle:visible").click()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="All rounds").click()
    evening = opened.value
    evening.wait_for_selector(".evening tbody tr")
    assert evening.locator(".evening i").count() == 0
    assert "<i>Bo</i>" in evening.inner_text(".evening")
    with evening.context.expect_page() as opened:
        evening.get_by_role("link", name="Replay", exact=True).click()
    opened.value.wait_for_selector("svg")
    until(evening, lambda: re.search("/replay/.*mine=0", opened.value.url))
