"""The pages for who does not see them: what is read out, and that axe finds nothing serious."""

import re
from dataclasses import asdict, replace

import pytest

from shengji_env.records.replays import Replay
from tests.helpers.boxes import SIZES, cases, open_page
from tests.helpers.paths import DATA

CASES = {case.size: case for case in cases(["two_deck"])}


@pytest.fixture(scope="module")
def page(browser):
    return open_page(browser)


def serious(page):
    """What axe finds that is serious or critical, each with an element."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed: `make web-test`")
    found = axe.Axe().run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"][:200]) for each in found if each["impact"] in ("serious", "critical")]


def watched(case):
    """A case as a watcher sees it."""
    hands = {seat: {**hand, "cards": None} for seat, hand in case.view["hands"].items()}
    return replace(case, view={**case.view, "viewer": -1, "hands": hands, "taken": "", "buried": None}, ask=None)


def show(page, case, language="en", **how):
    page.evaluate("([each, language, how]) => showCase(each, language, how)", [asdict(case), language, how])


@pytest.mark.parametrize("role", ["player", "watcher"])
@pytest.mark.parametrize("size", ["laptop", "narrow", "low"])
def test_axe_finds_nothing_serious_on_the_play_page(page, size, role):
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    case = CASES["full"] if role == "player" else watched(CASES["3/4"])
    show(page, case, rounds=12)
    assert serious(page) == []
    page.locator(".toggle:visible").first.click()
    assert serious(page) == []
    page.locator(".closer").click()


@pytest.mark.parametrize(("width", "height", "scheme"), [(1280, 800, "light"), (390, 844, "dark"), (844, 390, "light")])
def test_axe_finds_nothing_serious_on_the_replay_page(browser, tmp_path, width, height, scheme):
    file = tmp_path / "replay.html"
    file.write_text(Replay.read(DATA / "playthroughs" / "two_deck-failed_throw.jsonl").html("a"), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(f"{file.as_uri()}#round=1&ply=70")
    page.wait_for_selector(".picture svg")
    assert serious(page) == []
    page.close()


@pytest.mark.parametrize(
    ("language", "queen", "joker", "texts"),
    [
        ("en", "queen of clubs", "big joker",
         ["Trumps: hearts", "led", "Cards left: Cleo", "Hand of you", "To move: you"]),
        ("zh", "梅花Q", "大王", ["主花色：红桃", "领出", "剩余张数：王平", "你的手牌", "轮到：你"]),
    ],
)  # fmt: skip
def test_the_table_is_there_in_words(page, language, queen, joker, texts):
    groups = {"T": "BJ H5", "S": "", "H": "", "C": "CQ CQ CT", "D": "D2"}
    hands = {**CASES["3/4"].view["hands"], "0": {"size": 6, "cards": groups, "known": ""}}
    show(page, replace(CASES["3/4"], view={**CASES["3/4"].view, "hands": hands, "taken": ""}), language)
    spoken = page.locator(".spoken").inner_text()
    assert all(text in spoken for text in texts), spoken
    assert queen in spoken
    names = page.evaluate("() => [...document.querySelectorAll('[data-card]')].map((card) => card.ariaLabel)")
    assert names[0] == joker
    assert names.count(queen) == 2
    assert len(names) == 6


def test_cards_are_named_whether_or_not_they_may_be_chosen(page):
    show(page, CASES["3/4"])
    roles = "() => [...document.querySelectorAll('[data-card]')].map((card) => [card.role, Boolean(card.ariaLabel)])"
    assert {tuple(pair) for pair in page.evaluate(roles)} == {("checkbox", True)}
    refused = page.locator("[data-card][aria-disabled=true]").first
    assert "come first" in refused.get_attribute("aria-description")
    assert re.search(" of |joker", refused.get_attribute("aria-label"))
    show(page, replace(CASES["3/4"], ask=None))  # they may be chosen ahead
    assert {tuple(pair) for pair in page.evaluate(roles)} == {("checkbox", True)}
    show(page, replace(CASES["3/4"], ask=None, view={**CASES["3/4"].view, "phase": "rebel"}))
    assert {tuple(pair) for pair in page.evaluate(roles)} == {("img", True)}
