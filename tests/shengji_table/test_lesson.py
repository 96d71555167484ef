"""The lesson: its deal lets every rule occur, each is read before it decides, and who follows the hints wins."""

import re
from dataclasses import replace

import pytest

from shengji_env.cli import main
from shengji_env.engine.actions import PASS
from shengji_env.engine.rule_sets import rule_set
from shengji_env.players.registry import make_player
from shengji_table.web.board import Board
from shengji_table.web.lesson import PLAYER, SEED, lesson_plan, lesson_timing
from shengji_table.web.session_log import SessionLog, new_plan
from shengji_table.web.static_files import page_files
from tests.helpers.boxes import LANGUAGES, SIZES, TINY, cases, measure, measure_rules, open_page
from tests.helpers.browsing import QUICK, until
from tests.shengji_table.test_boxes import STRIP, WRONG
from tests.shengji_table.test_page import needs_node, run_node

FOUR = ("human", PLAYER, PLAYER, PLAYER)
BEFORE = {
    "Bid": ("teams", "tricks", "trumps", "bid", "adviser"), "Bury": ("done", "bury", "short"),
    "Lead": ("order", "forms", "lead"), "Play": ("follow",), "end": ("last", "over", "levels", "after"),
}  # fmt: skip
"""Rules that have been read when a decision of a kind is asked for the first time, or at the end."""
OCCUR = {*sum(BEFORE.values(), ()), "leadPair", "leadThrow", "void", "pair", "tractor", "throw", "points"}
"""Rules that are told to somebody who does what the hints say."""
ASKED = {"扣底": "Bury", "出牌": "Lead", "跟牌": "Play"}
SEEN = """() => {
  const find = (where) => document.querySelector(where);
  const [rule, option, play] = [find(".rule"), find(".buttons .option"), find(".buttons .play")];
  const box = rule?.getBoundingClientRect();
  const isShown = (part) => rule.contains(document.elementFromPoint(box.x + 9, box.y + part * box.height));
  const isClear = () => box.x >= 0 && box.y >= 0 && box.right <= innerWidth && box.bottom <= innerHeight
    && rule.scrollHeight <= rule.clientHeight && rule.scrollWidth <= rule.clientWidth
    && [0.02, 0.5, 0.98].every(isShown);
  const hinted = find(".option.hinted[aria-pressed=false]") ?? find(".card.hinted:not([aria-checked=true])");
  const isOver = Boolean(find(".replay"));
  self.waited = option && !find(".option[aria-pressed=true]") ? (self.waited ?? 0) + 1 : 0;
  const isDone = rule || (!isOver && (self.waited === 0 || self.waited > 30));
  const next = (rule ? null : hinted) ?? (isDone && play && !play.disabled ? play : null);
  const at = next?.getBoundingClientRect();
  const asked = rule || isOver ? "" : option ? "Bid" : find(".undo") ? play.textContent : "";
  return { rule: rule?.textContent ?? "", isClear: !rule || isClear(), asked, at: at ? [at.x + 6, at.y + 8] : null,
    chosen: document.querySelectorAll(".card[aria-checked=true]").length, isOver };
}"""
"""What is on the screen, whether the rule on it is whole and in front, and where who follows the hints taps next."""
PLAY = "() => document.querySelector('.buttons .play')?.click()"
PLAY_UNTIL = """(rule) => {
  const isThere = document.querySelector(".rule")?.textContent.includes(rule);
  if (!isThere) document.querySelector(".buttons .play")?.click();
  return isThere;
}"""
"""Presses the button that goes on unless a rule is shown; returns whether it is. Between two calls it could go by."""
LABELS = ("told", "gotIt")
LONG_HINT = {
    "type": "hint", "move": 1, "cards": "C3 C4 C5 D4 D4 D8 D9 DA", "other": "C3", "components": [], "why": {
        "en": "{B} would give the others this trick, and nobody behind you can beat it: keep it for the last trick.",
        "zh": "出 {B} 这一圈就归对方，后面没有人压得住，不如留到最后一圈。",
    },
}  # fmt: skip
"""A hint of eight cards with a reason, longer than most."""
TEXTS = "(where) => [...document.querySelectorAll(where)].map((each) => each.textContent)"


def sentences(tmp_path, language):
    """The lesson's sentences by name, as patterns."""
    text = page_files()["lesson_words.js"].read_text(encoding="utf-8")
    words = run_node(tmp_path, re.sub(r"^import .*\n", "", text, flags=re.M) + "\nconsole.log(JSON.stringify(WORDS));")
    assert words["en"].keys() == words["zh"].keys()
    for name, word in words["en"].items():
        assert word.count("{}") == words["zh"][name].count("{}"), name
    beside = r"(\\ )?" if language == "zh" else ""  # blanks beside Chinese names go
    return {name: re.sub(rf"{beside}\\{{\\}}{beside}", ".+", re.escape(word)) for name, word in words[language].items()}


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


def go_on(page, stop=None):
    """Tap what is next for who reads the rules and follows the hints, but at the rule that says `stop`; return what was
    on the screen.
    """
    seen = page.evaluate(SEEN)
    assert seen["isClear"], seen
    if seen["at"] and not (stop and stop in seen["rule"]):
        page.touchscreen.tap(*seen["at"])
    page.wait_for_timeout(30)
    return seen


def walk(page, patterns):
    """Go on until the round is over; return the names of rules and decisions as they came."""
    came = []
    for _ in range(4000):
        seen = go_on(page)
        if seen["rule"]:
            assert not seen["chosen"], seen
            (name,) = (name for name, pattern in patterns.items() if re.fullmatch(pattern, seen["rule"]))
            came += [name] if name not in came else []
        elif seen["isOver"]:
            return [*came, "end"]
        elif seen["asked"]:
            came.append(ASKED.get(seen["asked"], seen["asked"]))
    pytest.fail(f"the round does not end: {came[-5:]}")


@needs_node
@pytest.mark.parametrize(
    ("language", "locale", "width", "height"), [("en", "en-US", 390, 664), ("zh", "zh-CN", 667, 375)]
)
def test_every_rule_is_read_before_it_decides(serve, sit, tmp_path, language, locale, width, height):
    patterns = sentences(tmp_path, language)
    page = sit(lesson(serve), 0, width=width, height=height, locale=locale, has_touch=True)
    came = walk(page, patterns)
    assert set(came) >= OCCUR
    for decision, rules in BEFORE.items():
        assert all(came.index(rule) < came.index(decision) for rule in rules), (decision, came)
    told = page.evaluate(TEXTS, ".drawer .panel p")
    named = [name for text in told for name, pattern in patterns.items() if re.fullmatch(pattern, text)]
    assert named == [name for name in came if name in patterns]
    assert "undefined" not in "".join(told)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click(".play.next")
    until(page, lambda: not page.query_selector(".replay"))
    until(page, lambda: page.locator(".card.hinted").count() or go_on(page)["rule"])
    assert page.locator(".rule").count() == 0


@pytest.mark.parametrize(("width", "height"), [(390, 664), (1280, 800)])
def test_pressing_hint_moves_nothing_and_says_nothing_else(serve, sit, width, height):
    page = sit(lesson(serve), 0, width=width, height=height, has_touch=True)
    until(page, lambda: page.locator(".undo").count() or go_on(page)["isOver"])
    page.wait_for_selector(".card.hinted")
    parts = [page.locator(where) for where in (".picture svg", ".caption", ".buttons")]
    before, said = [part.bounding_box() for part in parts], page.inner_text(".caption .notice")
    assert said.startswith(f"{PLAYER} would bury")
    assert page.locator(".card[aria-checked=true]").count() == 0
    page.click(".hint")
    page.wait_for_selector(".buttons .play:enabled")
    assert page.locator(".card[aria-checked=true]").count() == 8
    assert page.inner_text(".caption .notice") == said
    assert [part.bounding_box() for part in parts] == before


def test_a_rule_is_read_before_anything_is_chosen(serve, sit):
    page = sit(lesson(serve), 0, has_touch=True)
    until(page, lambda: "You are declarer" in go_on(page, "You are declarer")["rule"])
    page.locator(".card").first.dispatch_event("click")
    page.keyboard.press("h")
    page.wait_for_timeout(300)
    assert page.locator(".card[aria-checked=true]").count() == 0
    assert page.locator(".buttons button").all_inner_texts() == ["Got it"]
    page.keyboard.press("Enter")
    assert has_rule(page, "short suit")
    page.keyboard.press("Enter")
    page.locator(".card").first.dispatch_event("click")
    page.wait_for_selector(".card[aria-checked=true]")


def has_rule(page, text):
    return any(text in rule for rule in page.evaluate(TEXTS, ".rule"))


def test_nobody_bids_and_the_page_says_what_follows(serve, sit):
    slow = replace(lesson_timing(QUICK), draw=0.05)  # a busy page is told only the newest state
    house = serve("human", "greedy", "greedy", "greedy", rules="two_deck", seed=3, timing=slow)
    house.service.is_lesson = True
    page = sit(house, 0)
    until(page, lambda: page.evaluate(PLAY_UNTIL, "Nobody has bid"))
    assert has_rule(page, "dealt again")


@pytest.mark.parametrize("other", ["heuristic", "champion"])
@pytest.mark.parametrize("bids_from", [0, 50, 97])
def test_who_does_what_the_hints_say_wins_the_first_round(other, bids_from):
    board, adviser, player = Board(rule_set(), SEED, ("human", *[other] * 3)), make_player(PLAYER), make_player(other)
    while board.finished is None:
        is_early = board.is_bidding and (board.asked_at or bids_from) < bids_from
        if board.seat != 0:
            board.show(board.ask(player))
        else:
            board.show(board.actions_of(PASS) if is_early else board.ask(adviser))
    assert (board.score()["declarer"], board.score()["winner"]) == (0, "declarers")


@needs_node
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_fits_every_window_and_leaves_the_hand_its_room(browser, tmp_path, language):
    rules = [[name, "champion 1", *["10"] * 3] for name in sentences(tmp_path, language) if name not in LABELS]
    page = open_page(browser)
    shown = [case for case in cases(["two_deck"]) if case.size in ("drawing", "with kitty", "full", "3/4")]
    for size in (*SIZES.values(), TINY):
        for case, found in zip(shown, measure(page, size, language, shown, waiting=[], hint=LONG_HINT), strict=True):
            assert size == TINY or found["strip"] >= STRIP, (size, case.size, found)
            assert {name: found[name] for name in WRONG if found[name]} == {}, (size, case.size, found)
            for box in measure_rules(page, size, language, case, rules):
                assert box == {"rule": box["rule"], "cut": 0, "outside": 0, "over_hand": 0, "hidden": 0}, size
    page.close()


def test_the_rules_are_one_click_away(serve, sit):
    page = sit(lesson(serve), 0)
    page.evaluate(PLAY)
    page.locator(".toggle:visible").first.click()
    assert "You and the player opposite are partners" in page.inner_text(".drawer")
    page.keyboard.press("Escape")
    page.locator(".toggle:visible").first.click()
    with page.context.expect_page() as opened:
        page.click(".drawer a[href=rules]")
    text = opened.value.inner_text("main")
    assert "Leading and throws" in text
    assert "80" in text
