"""The page without a server, as it is built, in Chromium: plain Python stands for that for WebAssembly."""

import importlib.metadata
import json
import os
import re
import shutil

import pytest

from shengji_env.records.replays import Replay
from tests.helpers.browsing import PATIENCE, act, caption, to_choose, until
from tests.helpers.linking import link_into
from tests.helpers.page_bridge import Files, built_page, served_files
from tests.helpers.paths import ROOT
from tests.shengji_table.test_accessibility import serious
from tests.shengji_table.test_lesson import go_on
from tools.build_page import LOCK, PACKAGES, build_page, packed_sources

SIZES = [(390, 664), (1280, 800)]
PLAY_ANYTHING = """() => {
  const play = document.querySelector(".buttons .play:enabled");
  const free = document.querySelector(".card:not(.grey):not([aria-checked=true])");
  const card = document.querySelector(".card.wrong") ?? free; // chosen before it was known what may be played
  if (play) play.click();
  else card?.dispatchEvent(new MouseEvent("click"));
  return Boolean(document.querySelector(".replay"));
}"""
"""Chooses and plays whatever is legal, without hints; returns whether the round is over."""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    packages = tmp_path_factory.mktemp("packages")
    for name in PACKAGES:
        (packages / name).symlink_to(ROOT / name)
    link_into(packages, importlib.metadata.distribution("numpy"))
    with built_page(tmp_path_factory.mktemp("page"), packages) as address:
        yield address


@pytest.fixture
def open_browser(browser, address):
    """Open a page as somebody who has never been there; at the end nothing may have gone wrong in it."""
    problems, contexts = [], []

    def open_one(path="", *, prepare=None, expected=None, **options):
        context = browser.new_context(**{"viewport": {"width": 390, "height": 664}, "locale": "en-US", **options})
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        note = lambda text: problems.append(text) if not expected or expected not in text else None  # noqa: E731
        page.on("console", lambda message: note(message.text))
        page.on("pageerror", lambda error: note(str(error)))
        if prepare is not None:
            prepare(page)
        page.goto(f"{address}{path}")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert problems == []


def play_out(page):
    for _ in range(20_000):
        if act(page):
            return
    pytest.fail(f"the round has not ended: {caption(page)}")


def new_table(page, rules=None):
    page.wait_for_selector("nav")
    if rules is not None:
        page.select_option("#rules", rules)
    link = page.get_by_role("link", name="New table").get_attribute("href")
    page.goto(f"{page.url}{link}&speed=20")
    page.wait_for_selector(".picture svg")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_round_is_played_reviewed_saved_and_followed_by_another(open_browser, width, height):
    page = open_browser(viewport={"width": width, "height": height})
    new_table(page)
    play_out(page)
    page.click(".replay")
    link = page.get_by_role("link", name="Open the replay")
    link.wait_for(timeout=10 * PATIENCE)  # in plain Python
    with page.context.expect_page() as opened:
        link.click()
    opened.value.wait_for_selector(".picture svg")
    assert "champion" in opened.value.inner_text(".review")
    page.locator(".toggle:visible").first.click()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="All rounds").click()
    opened.value.wait_for_selector(".evening tbody tr")
    with opened.value.expect_download() as saved:
        opened.value.get_by_role("link", name="Save the record").click()
    assert len(Replay.read(saved.value.path()).rounds) == 1
    page.keyboard.press("Escape")
    page.click(".buttons .play")
    until(page, lambda: page.locator(".replay").count() == 0)


def test_a_reload_loses_nothing_and_the_start_leads_back(open_browser, address):
    page = open_browser()
    new_table(page, "one_deck")
    to_choose(page)
    shown = "() => [...document.querySelectorAll('.card')].map((card) => card.dataset.card)"
    hand = page.evaluate(shown)
    page.reload()
    page.wait_for_selector(".card")
    assert set(page.evaluate(shown)) >= set(hand)  # the last play may not be kept yet
    page.goto(address)
    page.get_by_role("link", name="Go on").click()
    page.wait_for_selector(".card")
    assert set(page.evaluate(shown)) >= set(hand)  # the last play may not be kept yet
    with page.context.expect_page() as opened:
        page.locator(".toggle:visible").first.click()
        page.click(".drawer a[href=rules]")
    assert "Leading and throws" in opened.value.inner_text("main")


def test_a_season_shows_what_was_made_of_each_deal(open_browser):
    page = open_browser()
    page.wait_for_selector("nav")
    link = page.get_by_role("link", name="How strong").get_attribute("href")
    page.goto(f"{page.url}{link}&speed=20")
    page.wait_for_selector(".picture svg")
    for _ in range(20_000):
        if page.evaluate(PLAY_ANYTHING):
            break
        page.wait_for_timeout(60)
    page.wait_for_selector(".season tbody tr")
    assert page.locator(".season tbody tr").count() == 1
    assert serious(page) == []
    page.reload()
    page.wait_for_selector(".season tbody tr")


def test_the_lesson_tells_its_rules_one_by_one(open_browser):
    page = open_browser("table.html?new=lesson&speed=20", has_touch=True)
    page.wait_for_selector(".rule")
    assert any(go_on(page)["isOver"] for _ in range(20_000))
    told = page.locator(".drawer .panel p").all_text_contents()
    assert len(told) == len(set(told)) > 20
    assert any("Follow suit" in text for text in told)
    assert "you win" in page.inner_text(".spoken")


def test_a_second_tab_says_where_the_table_is(open_browser, address):
    page = open_browser()
    new_table(page)
    other = page.context.new_page()
    other.goto(f"{address}table.html")
    other.wait_for_selector("[role=alert]")
    assert "open in another tab" in other.inner_text("main")


def test_the_page_opens_without_a_network(open_browser, monkeypatch):
    page = open_browser()
    new_table(page)
    to_choose(page)
    monkeypatch.setattr(Files, "is_down", True)
    page.reload()
    page.wait_for_selector(".card")
    play_out(page)


def test_own_rules_are_saved_used_and_forgotten(open_browser):
    page = open_browser()
    page.wait_for_selector("nav")
    page.click("summary")
    page.select_option("select[name=rebellion]", "redeal")
    assert page.input_value("#rules-text") == "two_deck(rebellion=redeal)"
    page.fill("#rules-name", "Friday")
    page.click("text=Save")
    page.reload()
    page.wait_for_selector("nav")
    page.select_option("#rules", label="Friday")
    new_table(page)
    with page.context.expect_page() as opened:
        page.locator(".toggle:visible").first.click()
        page.click(".drawer a[href=rules]")
    assert "rebel" in opened.value.inner_text("main")
    page.click(".drawer a[href='./']")
    page.wait_for_selector("nav")
    page.select_option("#rules", label="Friday")
    page.click("text=Forget")
    assert page.locator("#rules option", has_text="Friday").count() == 0


def test_rules_that_are_none_are_refused_with_the_reason(open_browser):
    page = open_browser("table.html?new=table&rules=two_deck(decks=9)")
    page.wait_for_selector("[role=alert]")
    assert re.search("This cannot begin: .*decks", page.inner_text("[role=alert]"))
    page.get_by_role("link", name="To the start").click()
    page.wait_for_selector("nav")


def test_puzzles_are_valued_and_progress_is_kept(open_browser):
    page = open_browser("puzzles.html#20")
    page.wait_for_selector(".option")
    page.locator(".option").first.click()  # a bid: it is the answer
    page.wait_for_selector(".solution, .next, .loss")
    assert json.loads(page.evaluate("() => localStorage.getItem('shengji-puzzles')"))


@pytest.mark.parametrize(("locale", "said"), [("en-US", "no WebAssembly"), ("zh-CN", "没有 WebAssembly")])
def test_a_browser_without_webassembly_is_told(open_browser, locale, said):
    remove = lambda page: page.add_init_script("delete globalThis.WebAssembly")  # noqa: E731
    page = open_browser("table.html?new=table", prepare=remove, locale=locale)
    page.wait_for_selector("[role=alert]")
    assert said in page.inner_text("[role=alert]")


def test_a_browser_without_storage_plays_and_says_so(open_browser):
    script = "Object.defineProperty(globalThis, 'indexedDB', { get() { throw new Error('none'); } })"
    page = open_browser("table.html?new=table&speed=20", prepare=lambda page: page.add_init_script(script))
    page.wait_for_selector(".picture svg")
    assert "keeps nothing" in page.inner_text("[role=alert] >> nth=0")
    to_choose(page)
    held = page.locator(".card").count()
    until(page, lambda: act(page) or page.locator(".card").count() < held)


def test_a_worker_that_is_blocked_or_dies_leaves_the_round(open_browser, address):
    page = open_browser(expected="ERR_FAILED")
    new_table(page)
    to_choose(page)
    page.evaluate("() => caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))")
    page.context.route("**/worker.js", lambda route: route.abort())
    page.reload()
    page.wait_for_selector("[role=alert]")
    text = page.inner_text("main")
    assert "The game has stopped" in text
    assert "Your round is kept" in text
    page.context.unroute("**/worker.js")
    page.get_by_role("button", name="Load the page again").click()
    page.wait_for_selector(".card")


def test_a_newer_version_takes_the_place_of_the_kept_one(open_browser, address):
    page = open_browser()
    page.wait_for_selector("nav")
    until(page, lambda: page.evaluate("() => caches.keys()"))
    page.evaluate("() => caches.open('older').then((cache) => cache.put('x', new Response('')))")
    page.evaluate("() => navigator.serviceWorker.getRegistration().then((found) => found.unregister())")
    page.reload()
    page.wait_for_selector("nav")
    until(page, lambda: "older" not in page.evaluate("() => caches.keys()"))


@pytest.mark.skipif("PYODIDE" not in os.environ, reason="PYODIDE names no folder with Pyodide's own files")
def test_pyodide_starts_and_takes_no_numpy_but_its_own(browser, tmp_path):
    pyodide = tmp_path / "pyodide"
    shutil.copytree(os.environ["PYODIDE"], pyodide)
    numpy = json.loads((pyodide / LOCK).read_text(encoding="utf-8"))["packages"]["numpy"]["file_name"]
    (pyodide / numpy).write_bytes(b"another file")
    build_page(tmp_path / "page", pyodide)
    with served_files(tmp_path / "page") as address:
        page = browser.new_page()
        page.goto(f"{address}table.html?new=table")
        page.wait_for_selector("[role=alert]", timeout=4 * PATIENCE)
        assert "NumPy is missing, or not the file that is known" in page.inner_text("[role=alert]")
        page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(open_browser, scheme):
    page = open_browser(color_scheme=scheme)
    page.wait_for_selector("nav")
    page.click("summary")
    assert serious(page) == []
    page.goto(f"{page.url}table.html?new=table&rules=none")
    page.wait_for_selector("[role=alert]")
    assert serious(page) == []


def test_what_is_packed_is_the_same_each_time_and_holds_no_compiled_code():
    packed = packed_sources()
    assert packed == packed_sources()
    assert b"__pycache__" not in packed
