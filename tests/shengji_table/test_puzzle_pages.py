"""Puzzles over HTTP and in Chromium: what the page is told, what answers are worth, what the browser keeps."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import replace

import pytest

from shengji_env.cli import main
from shengji_table.puzzles.puzzle import shipped_puzzles, write_puzzles
from shengji_table.web.puzzle_desk import PuzzleDesk
from tests.helpers.browsing import caption, until
from tests.shengji_table.test_accessibility import serious

SHIPPED = shipped_puzzles()
BID, LEAD, FOLLOW = (
    next(each for each in SHIPPED if each.options[0][0] == cards) for cards in ("BJ BJ", "D3 D3", "HK HK")
)
PUZZLES = (BID, LEAD, FOLLOW)


@pytest.fixture
def house(serve):
    return serve(puzzles=PuzzleDesk(PUZZLES))


def get(house, path, **query):
    """The status and the body of an answer."""
    address = f"http://{house.host}/{path}?{urllib.parse.urlencode(query)}"
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        text = error.read().decode()
        return error.code, json.loads(text) if text.startswith("{") else text


def test_a_puzzle_shows_what_its_seat_knows_and_not_the_solution(house):
    listed = get(house, "puzzles.json")[1]
    assert [each["level"] for each in listed] == [each.level for each in PUZZLES]
    assert len({each["key"] for each in listed}) == len(PUZZLES)
    for number, puzzle in enumerate(PUZZLES):
        shown = get(house, f"puzzles/{number}")[1]
        view = shown["view"]
        assert view["viewer"] == view["seat"] == puzzle.seat
        assert [seat for seat, hand in view["hands"].items() if hand["cards"]] == [str(puzzle.seat)]
        assert view["kitty"] is None
        assert not {"options", "obvious", "why"} & (shown.keys() | listed[number].keys())
    assert get(house, "puzzles/0")[1]["ask"]["options"] == ["BJ BJ"]


def test_an_answer_is_valued_and_explained(house):
    best = get(house, "puzzles/2/answer", cards="HK HK")[1]
    assert best["played"] == 0
    assert best["other"] == FOLLOW.obvious
    cards = "There is no ♦: {A} ruffs, for 20 points. The others are winning; {B} gives them no points. "
    assert re.match(
        re.escape(cards) + r"The tricks after this one bring \d+\.?\d* points more with {A}\.", best["why"]["en"]
    )
    assert best["why"]["zh"].startswith("没有♦")
    answer, value = FOLLOW.options[3]
    other = get(house, "puzzles/2/answer", cards=answer)[1]
    assert other["options"][other["played"]] == [answer, value]
    assert other["other"] == answer
    assert "{A}" in other["why"]["en"]


def test_an_answer_that_is_no_option_is_valued_among_them(house):
    given = {answer for answer, _ in FOLLOW.options}
    extend = get(house, "puzzles/2/choose", cards="")[1]
    held = [card for card, reason in extend["reasons"].items() if reason is None]
    unlisted = next(" ".join((held[0], card)) for card in held[1:] if f"{held[0]} {card}" not in given)
    solution = get(house, "puzzles/2/answer", cards=unlisted)[1]
    values = [value for _, value in solution["options"]]
    assert len(values) == len(FOLLOW.options) + 1
    assert values == sorted(values, reverse=True)
    assert solution["played"] > 0


def test_a_pass_is_an_answer_to_a_bid(house):
    solution = get(house, "puzzles/0/answer", cards="")[1]
    assert solution["options"][solution["played"]][0] is None
    assert get(house, "puzzles/0/answer", cards="BJ BJ")[1]["played"] == 0


@pytest.mark.parametrize(
    ("path", "cards", "status", "said"),
    [
        ("puzzles/2/answer", "XX", 400, "is not a card"),
        ("puzzles/2/answer", "", 400, "no card is named"),
        ("puzzles/2/answer", "HK", 400, "2"),
        ("puzzles/2/choose", "S3 S3", 400, "the hand does not hold"),
        ("puzzles/0/choose", "", 400, "no cards of the hand are to be chosen"),
        ("puzzles/9", "", 404, "there is no puzzle 9: the last one is 2"),
        ("socket", "", 404, "no such page"),
    ],
)
def test_what_cannot_be_is_refused(house, path, cards, status, said):
    code, answer = get(house, path, cards=cards)
    assert code == status
    assert said in (answer if isinstance(answer, str) else answer["reason"])


def test_an_answer_that_beats_all_options_is_the_best_and_the_cards_explain_it():
    (best, value), *others = FOLLOW.options
    solution = PuzzleDesk([replace(FOLLOW, options=tuple(others))]).solve(0, best)
    assert solution["options"][0] == (best, pytest.approx(value, abs=2e-3))
    assert (solution["played"], solution["other"]) == (0, FOLLOW.obvious)
    assert "deals" not in solution["why"]["en"]
    assert solution["loss"] == pytest.approx(others[0][1] - value, abs=2e-3)


@pytest.mark.parametrize(
    ("puzzles", "said"),
    [
        ((), "holds no puzzle"),
        ((BID, replace(FOLLOW, actions=(0, *FOLLOW.actions))), "puzzle 2 is not possible"),
        ((replace(BID, start={**BID.start, "deal": "C2 C2"}),), "puzzle 1 is not possible"),
        ((replace(BID, start={}),), "puzzle 1 is not possible"),
    ],
)
def test_impossible_puzzles_are_refused_before_anything_is_served(puzzles, said, tmp_path, capsys):
    path = tmp_path / "some.jsonl"
    path.write_text(write_puzzles(puzzles), encoding="utf-8")
    assert main(["serve", "--puzzles", str(path), "--no-browser", "--port", "0"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    "options", [["--lesson"], ["--rules", "one_deck"], ["--match"], ["human", "greedy", "greedy", "greedy"]]
)
def test_there_is_no_table_beside_puzzles(options, capsys):
    assert main(["serve", *options, "--puzzles"]) == 2
    assert "with --puzzles there is no table: leave out" in capsys.readouterr().err


def choose(page, *cards):
    for card in cards:
        page.locator(f".card[data-card={card}]:not([aria-checked=true]):not(.grey)").first.dispatch_event("click")
        page.wait_for_timeout(100)
    until(page, lambda: page.is_enabled(".buttons .play"))
    page.click(".buttons .play")
    page.wait_for_selector(".buttons .next")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 664), (667, 375)])
def test_the_first_answer_counts_and_stays_in_the_browser(house, sit, width, height):
    page = sit(house, "3", width=width, height=height)
    assert "0 / 2" in caption(page)
    choose(page, "C3", "C3")
    assert caption(page).startswith("This costs 0.")
    assert "K" not in caption(page)
    assert page.locator(".solution").count() == 0
    assert "1 / 3" in page.inner_text(".progress")
    page.click(".tell")
    assert re.search(r"Best:\s+♥K\s*♥K", caption(page))
    page.click(".again")
    choose(page, "HK", "HK")
    assert "Right" in caption(page)
    assert "points more with ♥K♥K" in page.inner_text(".controls .why")
    told = [*page.locator(".controls .why, .picture svg").all(), *page.locator(".place").all()[: width < 1000]]
    assert all(box["y"] >= 0 and box["y"] + box["height"] <= height for box in (part.bounding_box() for part in told))
    assert "Puzzle 3 of 3 · Two decks · level" in page.inner_text(".place" if width < 1000 else "h1")
    assert "0 (0 %)" in page.inner_text(".progress")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.reload()
    page.wait_for_selector(".picture svg")
    assert "1 / 3" in page.inner_text(".progress")
    page.on("dialog", lambda dialog: dialog.accept())
    page.click(".forget")
    until(page, lambda: "0 / 3" in page.inner_text(".progress"))


def test_puzzles_follow_one_another_until_none_is_left(house, sit):
    page = sit(house, "1", locale="zh-CN")
    assert "亮不亮主" in caption(page)
    page.click(".option")
    page.wait_for_selector(".solution")
    assert "答对了" in caption(page)
    page.keyboard.press("n")
    until(page, lambda: page.url.endswith("#2"))
    page.click(".language")
    until(page, lambda: "What do you lead?" in caption(page))
    choose(page, *LEAD.options[0][0].split())
    page.select_option("select >> nth=1", str(LEAD.level))
    page.click(".next")
    until(page, lambda: page.url.endswith("#3"))
    choose(page, "HK", "HK")
    assert "in a row\t3" in page.inner_text(".progress")
    page.click(".next")
    until(page, lambda: "You have tried all of these" in caption(page))


@pytest.mark.parametrize(("width", "height", "scheme"), [(1280, 800, "light"), (390, 844, "dark")])
def test_axe_finds_nothing_serious_on_the_puzzle_page(house, browser, width, height, scheme):
    # The page's policy would forbid axe's own script.
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(f"http://{house.host}/#3")
    page.wait_for_selector(".picture svg")
    assert serious(page) == []
    choose(page, "C3", "C3")
    assert serious(page) == []
    page.click(".tell")
    page.wait_for_selector(".solution")
    assert serious(page) == []
    context.close()
