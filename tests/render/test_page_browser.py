"""The replay page in a real browser: stepping, views, links, languages, sizes; and that it asks for nothing."""

import re
import shutil

import pytest

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.records import finished_round, record_header, record_line
from shengji_env.records.replays import Replay
from tests.helpers.late_bidders import REBEL_RULES, late_rounds
from tests.helpers.paths import DATA

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: see `make web-test`")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed: `make web-test` says how to get it"
)
PLAYTHROUGHS = DATA / "playthroughs"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    """A match of one deck, a round of two decks in which a throw fails, and rounds in which seats rebel."""
    folder = tmp_path_factory.mktemp("pages")
    for name in ("one_deck-match", "two_deck-failed_throw"):
        replay = Replay.read(PLAYTHROUGHS / f"{name}.jsonl")
        (folder / f"{name}.html").write_text(replay.html(name), encoding="utf-8")
    rounds = late_rounds(REBEL_RULES[0], 20, on_end=finished_round)
    rounds = [each for each in rounds if each.get("abandoned")][:1]
    header = record_header(parse_rules(REBEL_RULES[0]), ["a", "b", "c", "d"], None)
    replay = Replay.of(map(record_line, [header, *rounds]))
    (folder / "rebellion.html").write_text(replay.html("rebellion"), encoding="utf-8")
    return lambda name: (folder / f"{name}.html").as_uri()


@pytest.fixture
def open_page(browser, page_file):
    """Open a page; at the end nothing may have gone wrong in it, and nothing but the page may have been asked for."""
    problems, asked, contexts = [], [], []

    def open_one(name, fragment="", *, width=1280, height=800, locale="en-US", scheme="light", touch=False):
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale=locale, color_scheme=scheme, has_touch=touch
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(page_file(name) + fragment)
        page.wait_for_selector(".picture svg")
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert problems == []
    assert all(url.startswith("file://") for url in asked)


def place(page):
    """Round and ply of the link in the address."""
    return [int(part) for part in re.findall(r"\d+", page.evaluate("location.hash"))[:2]]


def test_keys_step_by_decision_play_trick_and_round(open_page):
    page = open_page("one_deck-match", "#round=2&ply=20")
    for key, expected in [
        ("ArrowRight", [2, 21]), (".", [2, 22]), (",", [2, 21]), ("ArrowLeft", [2, 20]), ("PageDown", [3, 0]),
        ("PageUp", [2, 0]), ("ArrowLeft", None), ("Home", None),
    ]:  # fmt: skip
        page.keyboard.press(key)
        if expected:
            assert place(page) == expected, key
    assert place(page) == [1, 0]
    page.keyboard.press("End")
    assert "win" in page.locator(".caption").inner_text()
    tricks = []
    for _ in range(3):
        page.keyboard.press("ArrowUp")
        tricks.append(place(page)[1])
    assert tricks == sorted(tricks, reverse=True)
    assert len(set(tricks)) == 3


def test_the_keyboard_alone_suffices(open_page):
    """A button keeps the focus when it is pressed, though the page is drawn anew."""
    page = open_page("one_deck-match", "#round=1&ply=20")
    page.get_by_role("button", name="on", exact=True).focus()
    for ply in (21, 22, 23):
        page.keyboard.press("Enter")
        assert place(page) == [1, ply]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert place(page)[1] > 23


def test_buttons_and_the_bar_go_there(open_page):
    page = open_page("two_deck-failed_throw")
    assert page.locator(".caption").inner_text() == "The cards are dealt"
    page.get_by_role("button", name="on", exact=True).click()
    assert place(page)[1] > 0
    page.get_by_role("button", name="round’s end").click()
    last = place(page)[1]
    page.locator("input[type=range]").fill("3")
    assert place(page) == [1, 3]
    page.locator(".tricks button").last.click()
    assert place(page)[1] == last


def test_it_plays_by_itself_and_stops(open_page):
    page = open_page("two_deck-failed_throw", "#ply=60")
    page.get_by_role("button", name="play", exact=True).click()
    for _ in range(50):
        page.wait_for_timeout(100)
        if place(page) != [1, 60]:
            break
    assert place(page)[1] > 60
    page.get_by_role("button", name="pause").click()
    assert page.get_by_role("button", name="play", exact=True).is_visible()


def test_one_seats_view_hides_the_other_hands(open_page):
    page = open_page("two_deck-failed_throw", "#ply=30")
    everything = page.locator(".picture use[href*='sj-light-']").count()
    page.get_by_label("view").select_option("2")
    assert "seat=2" in page.evaluate("location.hash")
    assert page.locator(".picture use[href$='-back']").count() > 10
    page.get_by_label("view").select_option("-1")
    assert "seat=-1" in page.evaluate("location.hash")
    assert page.locator(".picture use[href$='-back']").count() > 20
    page.get_by_label("view").select_option("2")
    faces = page.locator(".picture use[href*='sj-light-']:not([href$='-back'])").count()
    assert faces < everything / 2


def test_a_failed_throw_is_told(open_page):
    replay = Replay.read(PLAYTHROUGHS / "two_deck-failed_throw.jsonl")
    views = list(replay.views(replay.rounds[0]))
    ply = next(ply for ply, view in enumerate(views) if view.trick.thrown)
    page = open_page("two_deck-failed_throw", f"#ply={ply}")
    assert "the throw fails" in page.locator(".caption").inner_text()


@pytest.mark.parametrize(
    ("locale", "caption", "row"), [("en-US", "abandoned before", "rebelled"), ("zh-CN", "作废", "造反")]
)
def test_abandoned_deals_are_named(open_page, locale, caption, row):
    page = open_page("rebellion", locale=locale)
    assert caption in page.locator(".caption").inner_text()
    assert row in page.locator(".abandoned li").first.inner_text()


def test_languages_and_themes(open_page):
    page = open_page("one_deck-match", locale="zh-CN", scheme="dark")
    assert page.locator("h1").inner_text().startswith("升级复盘")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("button", name="English").click()
    page.get_by_role("button", name="Light").click()
    assert page.locator("h1").inner_text().startswith("Shengji replay")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(244, 241, 234)"
    page.get_by_role("button", name="Four colours").click()
    assert page.locator(".picture use[href^='#sj-light4-']").count() > 0


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800), (1920, 1080)])
def test_it_fits_the_window(open_page, width, height):
    page = open_page("one_deck-match", "#round=1&ply=30", width=width, height=height)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator(".picture svg").bounding_box()
    assert box["width"] > 0.6 * min(width, height)
    assert box["y"] + box["height"] < height
    buttons = page.locator(".buttons").bounding_box()
    assert buttons["y"] + buttons["height"] <= height
    assert page.locator(".picture svg").get_attribute("viewBox").startswith("0 0 400" if width < 620 else "0 0 1280")


def test_swipes_step(open_page):
    page = open_page("one_deck-match", "#round=1&ply=30", width=390, height=844, touch=True)
    page.evaluate(
        """() => {
            const area = document.querySelector(".picture");
            const touch = (x) => new Touch({ identifier: 1, target: area, clientX: x, clientY: 300 });
            area.dispatchEvent(new TouchEvent("touchstart", { changedTouches: [touch(300)], bubbles: true }));
            area.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(120)], bubbles: true }));
        }"""
    )
    assert place(page) == [1, 31]


@pytest.mark.parametrize("fragment", ["#round=99&ply=9999", "#ply=-1", "#seat=7", "#round=x&ply=1e3", "#%%%", "#<b>"])
def test_a_wrong_link_leads_somewhere(open_page, fragment):
    page = open_page("two_deck-failed_throw", fragment)
    page.keyboard.press("ArrowRight")
    assert page.locator(".picture svg").is_visible()


def test_a_notebook_shows_it_in_a_frame_of_its_own(browser, tmp_path):
    html = Replay.read(PLAYTHROUGHS / "two_deck.jsonl")._repr_html_()
    assert html.startswith('<iframe sandbox="allow-scripts"')
    (tmp_path / "cell.html").write_text(f"<!DOCTYPE html><meta charset='utf-8'>{html}", encoding="utf-8")
    page = browser.new_page()
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "cell.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator(".picture svg").wait_for()
    frame.get_by_role("button", name="on", exact=True).click()
    assert frame.locator(".caption").inner_text() != "The cards are dealt"
    assert problems == []
    page.close()
