"""The replay page in a real browser: stepping, views, links, languages, sizes; and that it asks for nothing."""

import dataclasses
import json
import re
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

from shengji_env import shengji_v0
from shengji_env.arena import make_player
from shengji_env.cli import main
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.records import finished_round, record_header, record_line
from shengji_env.records.replays import Replay
from shengji_env.render.picture.lettering import letter_id
from shengji_table.review import review_replay
from shengji_table.review.comparing import compare_tables, compare_with_player
from shengji_table.valuing.valuers import DealValuer
from tests.helpers.late_bidders import REBEL_RULES, late_rounds
from tests.helpers.paths import DATA

PLAYTHROUGHS = DATA / "playthroughs"


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
    write_reviews(folder)
    return lambda name: (folder / f"{name}.html").as_uri()


def write_reviews(folder):
    """Write pages with values: of two deals at two tables each, side by side, and as another player would have it."""
    record = folder / "tables.jsonl"
    arguments = ["--deals", "2", "--rules", "one_deck", "--seed", "6", "--record", str(record)]
    assert main(["arena", "greedy", "heuristic", *arguments]) == 0
    replay = Replay.read(record)
    pages = {
        "review": review_replay(replay, DealValuer(replay.rules)),
        "tables": compare_tables(replay, None, DealValuer(replay.rules)),
        "asked": compare_with_player(replay, make_player("heuristic"), DealValuer(replay.rules), whose=["greedy"]),
    }
    pages["fifth"] = dataclasses.replace(replay, rounds=replay.rounds[:1], first_number=5)
    for name, made in pages.items():
        (folder / f"{name}.html").write_text(made.html(name), encoding="utf-8")
        (folder / f"{name}.json").write_text(json.dumps(made.to_json()), encoding="utf-8")


@pytest.fixture
def data_of(page_file):
    """What a page with values holds."""
    return lambda name: json.loads(Path(url2pathname(urlsplit(page_file(name)).path)).with_suffix(".json").read_text())


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


def test_on_a_phone_held_across_the_buttons_stand_beside_the_table(open_page):
    page = open_page("one_deck-match", "#round=1&ply=30&seat=0", width=844, height=390, touch=True)
    picture, buttons = (page.locator(part).bounding_box() for part in (".picture svg", ".buttons"))
    assert page.locator(".picture svg").get_attribute("viewBox").startswith("0 0 690.")
    assert picture["x"] + picture["width"] <= buttons["x"]
    assert max(box["y"] + box["height"] for box in (picture, buttons)) <= 390
    assert picture["height"] > 370
    assert page.evaluate("document.documentElement.scrollWidth") <= 844


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


def at(page, ply):
    """Wait until the page stands at a ply."""
    from playwright.sync_api import expect

    expect(page.locator("input[type=range]")).to_have_value(str(ply))


def test_every_step_shows_what_the_candidates_are_worth(open_page, data_of):
    page = open_page("review", "#round=1&ply=0")
    valued = {each["ply"]: each for each in data_of("review")["rounds"][0]["review"]["valued"]}
    shown = 0
    for ply in range(0, max(valued), 5):
        page.evaluate(f"location.hash = '#round=1&ply={ply}'")
        at(page, ply)
        boxes = page.locator(".picture [data-values]")
        assert boxes.count() == (ply in valued), ply
        if ply in valued:
            shown += 1
            assert boxes.get_attribute("data-values") == str(valued[ply]["seat"])
    assert shown > 5
    page.evaluate(f"location.hash = '#round=1&ply={next(iter(valued))}'")
    page.wait_for_selector("[data-values]")
    page.get_by_role("button", name="Values").click()
    assert page.locator("[data-values]").count() == 0


def test_one_seats_eyes_see_the_values_of_that_seat_alone(open_page, data_of):
    review = data_of("review")["rounds"][0]["review"]
    costs = {seat: [each for each in review["valued"] if each["seat"] == seat and each["cost"]] for seat in range(4)}
    page = open_page("review", "#round=1&ply=30")
    assert page.locator(".marks li").count() == min(10, sum(map(len, costs.values())))
    for seat in range(4):
        page.get_by_label("view").select_option(str(seat))
        assert page.locator(".marks li").count() == len(costs[seat][:10])
        assert page.locator(".marks-bar i").count() == len(costs[seat][:10])
        assert page.locator("circle.loss").count() == len(costs[seat])
        other = next(each for each in review["valued"] if each["seat"] != seat)
        own = next(each for each in review["valued"] if each["seat"] == seat)
        for each, count in ((other, 0), (own, 1)):
            page.evaluate(f"location.hash = '#round=1&ply={each['ply']}&seat={seat}'")
            at(page, each["ply"])
            assert page.locator("[data-values]").count() == count
    page.get_by_label("view").select_option("-1")
    assert page.locator(".marks li").count() == page.locator("circle.loss").count() == 0
    assert page.locator("[data-values]").count() == 0


def test_mine_come_first_and_say_trick_and_cards(open_page, data_of):
    review = data_of("review")["rounds"][0]["review"]
    plies = {each["seat"]: each["ply"] for each in review["valued"] if each["cost"] and each["ply"] > 20}
    seat = max(plies)
    costly = {each["ply"] for each in review["valued"] if each["cost"]}
    page = open_page("review", f"#round=1&ply={next(ply for ply in range(99) if ply not in costly)}&mine={seat}")
    lists = page.locator(".review ol")
    own = [each for each in review["valued"] if each["seat"] == seat and each["cost"]]
    assert lists.nth(0).locator("li").count() == len(own[:10])
    costs = [float(text) for text in re.findall(r"costs (\d\.\d+) levels", lists.nth(0).inner_text())]
    assert costs == sorted(costs, reverse=True)
    row = lists.nth(0).locator("li").filter(has_text="trick").first
    assert re.search(r"trick \d+ · costs \d\.\d\d levels", row.inner_text())
    assert re.search(r"[♣♦♥♠☆★].* → .*[♣♦♥♠☆★]", row.inner_text())
    assert page.locator(".review table").count() == 0
    row.locator("button").click()
    assert page.locator(".review table").count() == 1
    assert f"mine={seat}" in page.evaluate("location.hash")


def test_mistakes_are_asked_again_and_answered_only_on_request(open_page, data_of):
    review = data_of("review")["rounds"][0]["review"]
    page = open_page("review", "#round=1&ply=0")
    page.click(".learn")
    at(page, review["costly"][0])
    panel = page.locator(".review")
    number = min(10, len(review["costly"]))
    assert re.search(rf"1 of {number} · (trick \d+|Opening) · .* played this", panel.inner_text())
    assert page.locator(".review table, .review .why, [data-values]").count() == 0
    assert "→" not in panel.inner_text()
    page.click(".tell")
    assert page.locator(".review table").count() == page.locator("[data-values]").count() == 1
    page.click(".nextMistake")
    at(page, review["costly"][1])
    assert "2 of" in panel.inner_text()
    assert page.locator(".review table, [data-values]").count() == 0
    page.click(".learnEnd")
    assert page.locator(".review table").count() == 1
    assert page.locator(".marks li").count() == min(10, len(review["costly"]))


def test_a_click_on_the_values_curve_goes_there(open_page):
    page = open_page("review", "#round=1&ply=3")
    curve = page.locator("svg.values")
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    curve.click(position={"x": box["width"] * 0.75, "y": box["height"] / 2})
    last = int(page.locator("input[type=range]").get_attribute("max"))
    assert place(page)[1] == pytest.approx(0.75 * last, abs=0.04 * last)


@pytest.mark.parametrize(
    ("locale", "texts"), [("en-US", ["Round 2 · deal 1", "round2"]), ("zh-CN", ["第 2 局 · 第 1 副", "第2局"])]
)
def test_chooser_and_table_number_rounds_alike(open_page, locale, texts):
    page = open_page("review", "#round=2&ply=30", locale=locale)
    chosen, drawn = texts
    assert page.locator("select").first.locator("option:checked").inner_text() == chosen
    letters = page.evaluate("[...document.querySelectorAll('.picture use')].map((use) => use.getAttribute('href'))")
    assert "".join(f"#{letter_id(letter)} " for letter in drawn) in "".join(f"{letter} " for letter in letters)


def test_a_round_of_an_evening_keeps_its_number(open_page):
    page = open_page("fifth")
    letters = page.evaluate("[...document.querySelectorAll('.picture use')].map((use) => use.getAttribute('href'))")
    assert "".join(f"#{letter_id(letter)} " for letter in "round5") in "".join(f"{letter} " for letter in letters)


def test_leader_and_winner_of_a_trick_can_be_told_apart(open_page):
    page = open_page("review", "#round=1&ply=3", width=1440, height=900)
    names = page.locator(".tricks .name")
    assert names.count() > 20
    cut = "names => names.filter((name) => name.scrollWidth > name.clientWidth).length"
    assert names.evaluate_all(cut) == 0
    columns = page.locator(".tricks li:first-child .seat, .tricks li:last-child .seat").evaluate_all(
        "seats => seats.map((seat) => Math.round(seat.getBoundingClientRect().left))"
    )
    assert columns[:2] == columns[2:]
    signs = page.locator(".tricks .sign").evaluate_all("signs => signs.map((sign) => getComputedStyle(sign).color)")
    assert len(set(signs)) == len({each.get_attribute("title") for each in page.locator(".tricks .seat").all()})


def test_two_tables_stand_side_by_side_and_stop_where_they_part(open_page, data_of):
    first, second = (each["beside"]["differences"][0] for each in data_of("tables")["rounds"])
    page = open_page("tables")
    at(page, first)
    left, right = (page.locator(".picture > svg").nth(number).bounding_box() for number in (0, 1))
    assert left["x"] + left["width"] <= right["x"] + 1
    assert page.locator("[data-values]").count() == 2
    assert "goes its own way" in page.locator(".beside").inner_text()
    assert len(re.findall(r"[+−]\d\.\d\d", page.locator(".beside").inner_text())) == 2
    page.keyboard.press("N")
    assert place(page) == [2, second]
    page.keyboard.press("p")
    assert place(page) == [1, first]
    page.keyboard.press("End")
    assert page.locator(".picture > svg").count() == 2
    parted = max(first, second)
    page.evaluate(f"location.hash = '#round={1 if parted == first else 2}&ply={parted - 1}'")
    at(page, parted - 1)
    page.keyboard.press(" ")
    at(page, parted)
    page.wait_for_selector("button[aria-label=play]")
    at(page, parted)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1010, 800), (1920, 1080)])
def test_two_tables_fill_their_window_and_values_stay_in_their_panel(open_page, width, height):
    page = open_page("tables", width=width, height=height)
    room = page.locator(".picture").bounding_box()
    drawn = [ground.bounding_box() for ground in page.locator(".picture > svg > g > rect:first-child").all()]
    assert sum(each["width"] for each in drawn) >= 0.95 * (room["width"] - 10)
    assert page.locator(".buttons").bounding_box()["y"] + 40 <= height
    page.evaluate("document.querySelectorAll('.choice span').forEach((each) => each.append(' 2345678910'.repeat(4)))")
    panel = page.locator(".beside").bounding_box()
    for value in page.locator(".choice i").all():
        assert value.bounding_box()["x"] + value.bounding_box()["width"] <= panel["x"] + panel["width"]


def test_a_replay_opens_at_the_first_mark_unless_its_link_says_where(open_page, data_of):
    rounds = data_of("review")["rounds"]
    first, mine = rounds[0]["review"]["costly"][0], next(each for each in rounds[0]["review"]["valued"] if each["cost"])
    assert place(open_page("review")) == [1, first]
    own = [each for each in rounds[0]["review"]["valued"] if each["seat"] == mine["seat"]]
    assert place(open_page("review", f"#mine={mine['seat']}"))[1] == max(own, key=lambda each: each["cost"])["ply"]
    assert place(open_page("review", "#round=1&ply=0")) == [1, 0]
    assert place(open_page("one_deck-match")) == []


def test_marks_say_how_sure_they_are(open_page, page_file, tmp_path):
    text = Path(url2pathname(urlsplit(page_file("review")).path)).read_text(encoding="utf-8")
    page = open_page("review")
    said = page.locator(".review").inner_text()
    assert re.search(r"costs \d\.\d\d levels", said)  # hindsight estimates nothing
    assert not re.search(r"\d ± \d", said)
    marked = re.sub(r'("cost":[\d.]*[1-9])', r'\1,"error":0.04', text)
    (tmp_path / "sure.html").write_text(marked, encoding="utf-8")
    page.goto((tmp_path / "sure.html").as_uri())
    assert re.search(r"costs \d\.\d\d ± 0\.08 levels", page.locator(".review").inner_text())
    assert "two standard errors" in page.locator(".review").inner_text()


def test_another_players_choices_are_ringed_and_listed(open_page, data_of):
    differences = [each["beside"]["differences"] for each in data_of("asked")["rounds"]]
    assert sum(map(len, differences)) > 5
    page = open_page("asked")
    number = next(number for number, plies in enumerate(differences) if plies)
    assert page.locator(".beside li").count() == len(differences[number])
    assert page.locator("[data-values] circle").count() == 1
    assert "What heuristic would have played" in page.locator(".beside h2").inner_text()
    page.get_by_role("button", name="next difference").click()
    places = [[round_ + 1, ply] for round_, plies in enumerate(differences) for ply in plies]
    assert place(page) == places[1]


@pytest.mark.parametrize("width", [390, 1000, 1600])
def test_an_environment_is_as_wide_as_its_cell(browser, tmp_path, width):
    env = shengji_v0.raw_env("one_deck")
    env.reset(seed=1)
    cell = f"<!DOCTYPE html><meta charset='utf-8'><body style='margin:0'>{env._repr_html_()}"
    (tmp_path / "cell.html").write_text(cell, encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 700})
    page.goto((tmp_path / "cell.html").as_uri())
    box = page.locator("svg").bounding_box()
    assert box["width"] == min(width, 960)
    assert box["height"] == pytest.approx(box["width"] * 800 / 1280, abs=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
