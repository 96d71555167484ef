"""What a person notices at the play page: keys, reasons, the line that is lost, whose turn it is."""

import re
from dataclasses import replace

import pytest

from shengji_table.web.table_timing import Timing
from tests.helpers.browsing import PATIENCE, QUICK, act, caption, set_up, state_of, to_choose, until, until_hint

FOUR = ("human", "heuristic", "heuristic", "heuristic")
PLAY = "Play|Lead|Bury"
BOTH = "() => [document.title, document.querySelector('link[rel=icon]').getAttribute('href').split('/').pop()]"
HEARD = """
self.heard = [];
class Sound {
  state = "running"; currentTime = 0; destination = {};
  createOscillator() { heard.push("note"); return { frequency: {}, connect: (other) => other, start() {}, stop() {} }; }
  createGain() {
    const gain = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} };
    return { gain, connect: (other) => other };
  }
}
self.AudioContext = Sound;
navigator.vibrate = () => heard.push("shake");
"""
SLOW = """
const { send } = WebSocket.prototype;
self.waiting = [];
WebSocket.prototype.send = function (text) {
  const isSlow = (sessionStorage.slow ?? "").split(" ").includes(JSON.parse(text).type);
  if (isSlow) waiting.push(() => send.call(this, text));
  else send.call(this, text);
};
self.slow = (types) => { sessionStorage.slow = types; };
self.release = () => { slow(""); waiting.splice(0).forEach((one) => one()); };
"""


def cards_of(page):
    return page.evaluate("() => [...document.querySelectorAll('.card')].map((card) => card.dataset.card)")


def title(page):
    return page.evaluate("document.title")


def icon(page):
    return page.evaluate("document.querySelector('link[rel=icon]').href").rpartition("/")[2]


def click_card(page, card):
    page.locator(f".card[data-card={card}]:not([aria-checked=true])").first.dispatch_event("click")


@pytest.fixture
def prepared(browser, serve):
    """Open a seat's link in a page that runs a script first."""
    contexts = []

    def open_one(script, *players, locale="en-US", **options):
        house = serve(*players, **options)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, locale=locale)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.add_init_script(script)
        page.goto(f"http://{house.host}/#{house.link(0)}")
        page.wait_for_selector(".picture svg")
        return house, page

    yield open_one
    for context in contexts:
        context.close()


def test_capital_letters_are_keys_too(serve, sit):
    page = sit(serve(*FOUR, seed=5, rules="two_deck"), 0)
    to_choose(page, PLAY)
    page.keyboard.press("Shift+H")
    page.wait_for_selector(".buttons .play:enabled")
    # A hint that was asked for on the way may still come.
    until(page, lambda: page.keyboard.press("Escape") or page.wait_for_timeout(500) or not state_of(page)["enabled"])
    page.keyboard.press("Control+h")
    page.wait_for_timeout(200)
    assert not state_of(page)["enabled"]


def test_enter_says_why_it_plays_nothing(serve, sit):
    page = sit(serve(*FOUR, seed=5, rules="two_deck"), 0)
    set_up(page, ".auto")
    page.wait_for_selector(".auto[aria-pressed=false]", state="attached")
    to_choose(page, "Play")
    # A hint that was asked for on the way may still come.
    until(page, lambda: page.keyboard.press("Escape") or re.search("Follow with .*: 0 chosen", caption(page)))
    page.keyboard.press("Enter")
    assert caption(page).endswith("· Choose cards first")
    page.wait_for_selector(".card.grey")
    page.locator(".card.grey").first.dispatch_event("click")
    assert re.search("you must play|come first", caption(page))


@pytest.mark.parametrize(
    ("locale", "reason"), [("en-US", "come first|you must play|enough"), ("zh-CN", "必须|张数已够")]
)
def test_quick_choices_on_a_slow_line_are_put_back_with_a_word(prepared, locale, reason):
    _, page = prepared(SLOW, *FOUR, seed=5, rules="two_deck", locale=locale)
    to_choose(page, "Play|跟牌")
    page.wait_for_selector(".card.grey")
    wrong = page.locator(".card.grey").first.get_attribute("data-card")
    right = page.locator(".card:not(.grey)").first.get_attribute("data-card")
    page.evaluate("slow('choose')")
    page.reload()  # nothing is known of the cards yet
    page.wait_for_selector(".card")
    click_card(page, wrong)
    click_card(page, right)
    page.keyboard.press("Enter")
    assert re.search("checking the cards|正在检查", caption(page))
    page.evaluate("release()")
    page.wait_for_selector(f".card[data-card={wrong}][aria-checked=true]", state="detached")
    assert re.search(reason, caption(page))
    assert page.locator(f".card[data-card={right}][aria-checked=true]").count() == 1


def test_a_second_click_on_play_is_not_sent(prepared):
    _, page = prepared(SLOW, *FOUR, seed=5, rules="two_deck")
    to_choose(page, PLAY)
    page.click(".hint")
    until_hint(page)
    page.evaluate("slow('play')")
    page.evaluate("() => { const play = document.querySelector('.buttons .play'); play.click(); play.click(); }")
    assert page.locator(".buttons .play").is_disabled()
    page.keyboard.press("Enter")
    assert "on its way" in caption(page)
    assert page.evaluate("waiting.length") == 1
    page.evaluate("release()")
    until(page, lambda: "on its way" not in caption(page))
    assert "not your turn" not in caption(page)


def test_a_hint_is_asked_for_once_however_often_it_is_wanted(prepared):
    _, page = prepared(SLOW, *FOUR, seed=5, rules="two_deck")
    to_choose(page, PLAY)
    page.evaluate("slow('hint')")
    page.focus(".buttons .hint")
    for key in ("Enter", "h", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("waiting.length") == 1
    assert page.evaluate("document.activeElement.ariaDisabled") == "true"
    page.evaluate("release()")
    until_hint(page)
    page.evaluate("slow('hint')")
    page.keyboard.press("h")  # once it has come, it may be asked for again
    assert page.evaluate("waiting.length") == 1


def test_a_lost_connection_is_plain_to_see_and_what_was_chosen_stays(serve, sit):
    page = sit(serve(*FOUR, seed=5, rules="two_deck"), 0)
    to_choose(page, PLAY)
    page.click(".hint")
    until_hint(page)
    chosen = page.locator(".card[aria-checked=true]").count()
    lost = page.evaluate(
        """() => { dispatchEvent(new Event('offline'));  // it connects again soon
        const count = (where) => document.querySelectorAll(where).length;
        return [document.querySelector('.banner').innerText, count('.buttons button:enabled'),
          count('.card[aria-checked=true]')]; }"""
    )
    assert "connection is lost" in lost[0]
    assert lost[1:] == [0, chosen]
    page.wait_for_selector(".buttons .hint:enabled")
    assert page.inner_text(".banner") == ""
    assert page.locator(".card[aria-checked=true]").count() == chosen


@pytest.mark.parametrize(
    ("locale", "said", "back"),
    [("en-US", "opened in another window", "Take the seat back"), ("zh-CN", "已在另一个窗口打开", "回到这里")],
)
def test_a_seat_that_was_opened_elsewhere_can_be_taken_back(serve, sit, locale, said, back):
    house = serve(*FOUR, seed=5)
    page = sit(house, 0, locale=locale)
    newer = sit(house, 0, locale=locale)
    until(page, lambda: said in page.inner_text(".banner"))
    page.get_by_role("button", name=back).click()
    until(newer, lambda: said in newer.inner_text(".banner"))
    until(page, lambda: page.inner_text(".banner") == "")


@pytest.mark.parametrize(("locale", "said"), [("en-US", "not, or no longer, a seat"), ("zh-CN", "不是（或不再是）")])
def test_a_wrong_link_is_explained_in_the_pages_language(serve, browser, locale, said):
    house = serve(*FOUR)
    context = browser.new_context(locale=locale)
    page = context.new_page()
    page.goto(f"http://{house.host}/#0.0.wrong")
    until(page, lambda: said in page.text_content("body"))
    context.close()


@pytest.mark.parametrize(("locale", "said"), [("en-US", "You watch"), ("zh-CN", "旁观")])
def test_who_watches_is_told_so_and_no_keys(serve, sit, locale, said):
    page = sit(serve(*FOUR, seed=5), -1, locale=locale)
    assert page.inner_text(".help") == said


def test_title_icon_sound_and_vibration_say_whose_turn_it_is(prepared):
    unhurried = Timing(draw=1, last_bids=30, play=0.01, trick=0.01, round=60)
    house, page = prepared(HEARD, *FOUR, seed=5, timing=unhurried)
    assert title(page) == "Shengji"
    page.keyboard.press("x")  # browsers ask for a gesture before sounds
    house.service.tables[0].timing = QUICK
    until(page, lambda: "Last bids" in caption(page))
    assert title(page) == "● Your turn – Shengji"
    assert icon(page) == "icon_turn.svg"
    assert page.evaluate("heard") == ["note", "note", "shake"]
    house.service.tables[0].timing = replace(QUICK, play=3)  # its turn comes again soon
    page.keyboard.press("d")
    until(page, lambda: page.evaluate(BOTH) == ["Shengji", "icon.svg"])
    house.service.tables[0].timing = QUICK
    to_choose(page, PLAY)
    until(page, lambda: title(page).startswith("●"))
    until(page, lambda: page.evaluate("heard.length") % 3 == 0)
    set_up(page, ".notices")
    page.evaluate("heard.length = 0")
    move = cards_of(page)
    until(page, lambda: act(page) or cards_of(page) != move)
    to_choose(page, PLAY)
    assert page.evaluate("heard") == []
    page.reload()
    page.wait_for_selector(".notices[aria-pressed=false]", state="attached")


def test_the_bar_is_a_menu_on_a_small_window(serve, sit):
    page = sit(serve(*FOUR, seed=5), 0, width=390, height=844, locale="zh-CN")
    assert not page.locator(".tools").is_visible()
    page.click(".menu")
    for button in page.locator(".tools button").all():
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    page.click(".theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.locator(".tools").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator(".tools").is_visible()


@pytest.mark.parametrize(
    ("locale", "rules", "said"),
    [
        ("en-US", "two_deck", "Two decks · 80 points: attackers rise by 1"),
        ("zh-CN", "two_deck", "两副牌 · 满 80 分上台并升 1 级"),
        ("zh-CN", "competition", "竞赛规则 · 满 80 分上台，不升级"),
        ("zh-CN", "two_deck(throws=False)", "两副牌（有改动） · 满 80 分上台并升 1 级"),
    ],
)
def test_the_heading_says_the_rules_and_what_the_threshold_brings(serve, sit, locale, rules, said):
    page = sit(serve(*FOUR, rules=rules), 0, locale=locale)
    assert page.inner_text("h1 small") == said
