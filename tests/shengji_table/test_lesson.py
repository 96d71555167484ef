"""The lesson: its deal lets every rule occur, in both languages; hints come unasked, and choose nothing."""

import re

import pytest

from shengji_env.cli import main
from shengji_env.engine.rule_sets import rule_set
from shengji_env.players.registry import make_player
from shengji_table.web.lesson import PLAYER, SEED, lesson_plan, lesson_timing
from shengji_table.web.session_log import SessionLog, new_plan
from shengji_table.web.static_files import page_files
from tests.helpers.browsing import QUICK, until
from tests.shengji_table.test_page import needs_node, run_node

FOUR = ("human", PLAYER, PLAYER, PLAYER)
OCCUR = {
    "teams", "trumps", "bid", "bury", "lead", "leadPair", "leadThrow", "follow", "void", "pair", "tractor", "throw",
    "points", "last", "over", "after",
}  # fmt: skip
"""Rules that are told to somebody who does what the hints say."""
FOLLOW_HINT = """() => {
  const option = document.querySelector(".buttons .hinted");
  if (option && option.getAttribute("aria-pressed") !== "true") return option.click();
  const card = document.querySelector(".card.hinted:not([aria-checked=true])");
  if (card) return card.dispatchEvent(new MouseEvent("click"));
  const play = document.querySelector(".buttons .play:enabled");
  if (play && !(option && option.getAttribute("aria-pressed") !== "true")) play.click();
}"""
TEXTS = "(where) => [...document.querySelectorAll(where)].map((each) => each.textContent)"


def sentences(tmp_path, language):
    """The lesson's sentences by name, as patterns."""
    text = page_files()["lesson_words.js"].read_text(encoding="utf-8")
    words = run_node(tmp_path, re.sub(r"^import .*\n", "", text, flags=re.M) + "\nconsole.log(JSON.stringify(WORDS));")
    assert words["en"].keys() == words["zh"].keys()
    for name, word in words["en"].items():
        assert word.count("{}") == words["zh"][name].count("{}"), name
    return {name: re.escape(word).replace(r"\{\}", ".+") for name, word in words[language].items()}


@needs_node
def test_the_page_uses_every_sentence(tmp_path):
    used = page_files()["lesson.js"].read_text(encoding="utf-8")
    assert all(f'"{name}"' in used for name in sentences(tmp_path, "en"))


def test_a_lesson_has_its_own_deals_and_time_to_read():
    plan = new_plan(rule_set(), ("human",) * 4, "greedy")
    assert (lesson_plan(plan).seed, lesson_plan(plan).players, lesson_plan(plan).adviser) == (SEED, FOUR, PLAYER)
    assert lesson_plan(plan).secrets == plan.secrets
    assert lesson_timing(QUICK).last_bids > 600


@pytest.mark.parametrize("options", [["--rules", "one_deck"], ["human", "greedy", "greedy", "greedy"]])
def test_the_table_of_a_lesson_is_given(options, capsys):
    assert main(["serve", *options, "--lesson"]) == 2
    assert "with --lesson the table is given: leave out" in capsys.readouterr().err


def test_a_record_of_another_table_is_no_lesson(tmp_path, capsys):
    path = tmp_path / "friday.jsonl"
    SessionLog(path, new_plan(rule_set(), FOUR, "champion")).close()
    assert main(["serve", "--lesson", "--record", str(path), "--no-browser", "--port", "0"]) == 2
    assert "is no lesson: resume it without --lesson" in capsys.readouterr().err


def lesson(serve):
    house = serve(*FOUR, rules="two_deck", seed=SEED, timing=lesson_timing(QUICK))
    house.service.is_lesson, house.service.adviser = True, make_player(PLAYER)
    return house


def play_round(page):
    """Do what the hints say until the round is over; return what the lesson has shown beside the table."""
    shown = set()
    for _ in range(4000):
        shown.update(page.evaluate(TEXTS, ".lesson p"))
        if page.query_selector(".replay"):
            return shown
        page.evaluate(FOLLOW_HINT)
        page.wait_for_timeout(30)
    pytest.fail("the round does not end")


@needs_node
@pytest.mark.parametrize(
    ("language", "locale", "width", "height"), [("en", "en-US", 1280, 800), ("zh", "zh-CN", 390, 844)]
)
def test_every_rule_is_told_when_it_first_occurs(serve, sit, tmp_path, language, locale, width, height):
    patterns = sentences(tmp_path, language)
    page = sit(lesson(serve), 0, width=width, height=height, locale=locale)
    shown = play_round(page)
    told = page.evaluate(TEXTS, ".drawer .panel p")
    said = [name for text in told for name, pattern in patterns.items() if re.fullmatch(pattern, text)]
    assert len(said) == len(set(said))
    assert "undefined" not in "".join(told)
    assert set(said) >= OCCUR
    assert shown & set(told)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click(".play.next")
    until(page, lambda: not page.query_selector(".replay"))
    again = play_round(page)
    assert not [text for text in again if any(re.fullmatch(patterns[name], text) for name in OCCUR)]
    assert any(re.match(patterns["hint"], text) for text in again)


def test_a_hint_that_comes_unasked_is_marked_and_chooses_nothing(serve, sit):
    page = sit(lesson(serve), 0)
    until(page, lambda: page.evaluate(FOLLOW_HINT) or page.locator(".card.hinted").count() > 1)
    assert page.locator(".card[aria-checked=true]").count() <= 1
    page.locator(".toggle:visible").first.click()
    assert "You and the player opposite are partners" in page.inner_text(".drawer")


def test_the_rules_are_one_click_away(serve, sit):
    page = sit(lesson(serve), 0)
    page.locator(".toggle:visible").first.click()
    with page.context.expect_page() as opened:
        page.click(".drawer a[href=rules]")
    text = opened.value.inner_text("main")
    assert "Leading and throws" in text
    assert "80" in text
