"""The play page in a real browser: whole rounds by clicks and by keys, two people, reloads, languages, sizes."""

import re
from dataclasses import replace

import pytest

from shengji_table.web.table_timing import Timing
from tests.helpers.browsing import PATIENCE, QUICK, act, caption, set_up, state_of, to_choose, until, until_hint


def play_out(*pages):
    for _ in range(3000):
        are_over = [act(page) for page in pages]
        if all(are_over):
            return
    pytest.fail(f"the round has not ended: {[caption(page) for page in pages]}")


def test_a_round_is_played_reviewed_and_followed_by_another(serve, sit):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=3), 0)
    play_out(page)
    assert page.locator(".sheet tbody tr").count() == 1
    page.click(".replay")
    link = page.get_by_role("link", name="Open the replay")
    link.wait_for(timeout=10 * PATIENCE)  # its code may be compiled first
    with page.context.expect_page() as opened:
        link.click()
    opened.value.wait_for_selector(".picture svg")
    assert opened.value.url.endswith("mine=0")
    assert opened.value.locator(".review").count() == 1
    page.click(".buttons .play")
    until(page, lambda: "Next" not in state_of(page)["label"])
    assert page.locator(".sheet tbody tr").count() == 1


def test_cards_are_chosen_in_any_order_put_back_and_refused_with_the_reason(serve, sit):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=5, rules="two_deck"), 0)
    to_choose(page, "Play")
    page.wait_for_selector(".card.grey")
    page.locator(".card.grey").first.dispatch_event("click")
    assert re.search("you must play|come first|enough", caption(page))
    page.wait_for_selector(".card:not(.grey)")
    page.locator(".card:not(.grey)").last.dispatch_event("click")
    page.wait_for_selector(".card[aria-checked=true]")
    page.click(".undo")
    page.wait_for_selector(".card[aria-checked=true]", state="detached")
    page.click(".hint")
    until_hint(page)
    chosen = page.locator(".card[aria-checked=true]").count()
    page.locator(".card[aria-checked=true]").first.dispatch_event("click")
    until(page, lambda: page.locator(".card[aria-checked=true]").count() == chosen - 1)
    assert page.locator(".buttons .play").is_disabled()


def test_cards_are_chosen_while_others_play_and_in_the_pause_after_a_trick(serve, sit):
    house = serve("human", "heuristic", "heuristic", "heuristic", seed=5, rules="two_deck")
    page = sit(house, 0)
    to_choose(page, "Lead|Play")
    house.service.tables[0].timing = Timing(draw=0.01, last_bids=30, play=5, trick=5, round=60)
    until(page, lambda: act(page) or re.search("is to play|Your turn", caption(page)))
    last = page.locator("[data-card].card").last
    card = last.get_attribute("data-card")
    last.dispatch_event("click")
    page.wait_for_selector(f".card[data-card={card}][aria-checked=true]")
    assert "1 chosen ahead" in caption(page)
    assert page.locator(".card.grey").count() == 0
    page.keyboard.press("Escape")
    assert "ahead" not in caption(page)
    until(page, lambda: page.locator("[data-play]").count() == 4)
    page.locator(".picture").click(position={"x": 640, "y": 300})
    assert page.locator("[data-play]").count() == 0


def test_a_click_on_a_card_is_not_lost_when_somebody_plays_meanwhile(serve, sit):
    house = serve("human", "heuristic", "heuristic", "heuristic", seed=5, rules="two_deck")
    page = sit(house, 0)
    to_choose(page, "Lead|Play")
    house.service.tables[0].timing = Timing(draw=0.01, last_bids=30, play=3, trick=3, round=60)
    until(page, lambda: act(page) or "is to play" in caption(page))
    said = caption(page)
    page.locator(".card").last.hover(force=True)
    page.mouse.down()
    until(page, lambda: caption(page) != said)
    page.mouse.up()
    until(page, lambda: page.locator(".card[aria-checked=true]").count() == 1)


@pytest.mark.parametrize(
    ("locale", "said"), [("en-US", "Cleo is a bot: heuristic"), ("zh-CN", "王平是电脑牌手：greedy")]
)
def test_a_bot_says_what_it_is_on_request(serve, sit, locale, said):
    player = said.rpartition("：" if locale == "zh-CN" else " ")[2]
    page = sit(serve("human", player, "heuristic", "champion", seed=5), 0, locale=locale)
    page.wait_for_selector('[data-plate="1"] title', state="attached")
    until(page, lambda: re.search("Last bids|最后亮主", caption(page)))  # what happens puts another word in its place
    page.locator('[data-plate="1"]').dispatch_event("click")
    assert said in caption(page)
    assert page.locator('[data-plate="1"] title').text_content() == said
    assert said in page.locator(".spoken").text_content()


def test_what_a_friend_says_stands_over_the_table_for_a_moment(serve, sit):
    house = serve("human?name=Ann", "heuristic", "human?name=Bo", "heuristic", seed=5)
    ann, bo = sit(house, 0), sit(house, 2, width=390, height=664, locale="zh-CN")
    ann.locator(".toggle:visible").first.click()
    ann.get_by_role("button", name="Well played!").click()
    assert ann.locator(".drawer").is_hidden()
    until(ann, lambda: ann.locator(".phrases").inner_text() == "you: Well played!")
    until(bo, lambda: bo.locator(".phrases").inner_text() == "Ann：打得好！")
    bo.reload()
    until(bo, lambda: bo.locator(".picture svg").count() == 1)
    assert bo.locator(".phrases p").count() == 0
    alone = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=5), 0)
    assert alone.locator(".drawer").get_by_text("Well played!").count() == 0


def test_cards_that_must_go_are_raised_unless_a_person_wants_none(serve, sit):
    house = serve("human", "heuristic", "heuristic", "heuristic", seed=5, rules="two_deck")
    page = sit(house, 0)
    set_up(page, ".auto")
    raised = []

    def is_over():
        if re.search("Follow with [2-9]", caption(page)):
            page.wait_for_selector(".card.grey, .card[aria-checked=true]")
            raised.append(page.locator(".card[aria-checked=true]").count())
        return act(page)

    until(page, is_over)
    assert max(raised) > 0
    assert min(raised) == 0


def test_a_failed_throw_is_explained(serve, sit):
    house = serve("human", "heuristic", "heuristic", "heuristic", seed=8, rules="two_deck(bidding=fixed)")
    page = sit(house, 0)
    to_choose(page, "Lead")
    house.service.tables[0].timing = Timing(draw=0.01, last_bids=30, play=3, trick=3, round=60)
    page.wait_for_selector(".card")
    cards = page.evaluate("() => [...document.querySelectorAll('.card')].map((card) => card.dataset.card)")
    suits = [suit for suit in "CDH" if len({card for card in cards if card[0] == suit and card[1] != "2"}) > 1]
    low = sorted({card for card in cards if card[0] == suits[0]}, key=lambda card: "3456789TJQKA2".index(card[1]))[:2]
    for card in low:
        page.locator(f".card[data-card={card}]").first.dispatch_event("click")
    page.click(".buttons .play:enabled")
    until(page, lambda: re.search("threw .*: it can be beaten", caption(page)))


def test_a_bid_is_made_with_a_click(serve, sit):
    house = serve(*["human"] * 4, seed=2, rules="two_deck", timing=replace(QUICK, draw=0.1))  # nobody else bids
    page = sit(house, 0)
    page.wait_for_selector(".option")
    page.locator(".option").first.dispatch_event("click")
    opening = house.service.tables[0].board.opening
    until(page, lambda: any(bid.seat == 0 for bid in opening.bids))


def to_offer(page, offer):
    """Make no bid, which depends on how fast the page is, until something is offered."""
    confirm = """(said) => { if (document.querySelector('.caption').innerText === said)
        document.querySelector('.buttons .play:enabled')?.click(); }"""
    for _ in range(3000):
        said = caption(page)
        if re.search(offer, said):
            return
        page.evaluate(confirm, said)
        page.wait_for_timeout(60)
    pytest.fail(f"nothing is offered: {caption(page)}")


def test_a_weak_hand_rebels_and_the_cards_are_dealt_again(serve, sit):
    rules = "two_deck(rebellion=redeal, rebellion_points=200)"  # all hands are weak
    house = serve("human", "heuristic", "heuristic", "heuristic", seed=1, rules=rules)
    page, watcher = sit(house, 0), sit(house, -1)
    to_offer(page, "Your hand is weak")
    until(watcher, lambda: "Attackers with weak hands may rebel now" in caption(watcher))
    page.click(".option")
    until(page, lambda: "You rebel in your turn" in caption(page))
    page.get_by_role("button", name="Do not rebel").click()
    until(page, lambda: "Your hand is weak" in caption(page))
    page.click(".option")
    until(page, lambda: "You rebel in your turn" in caption(page))
    page.click(".buttons .play")
    until(page, lambda: "Last bids" in caption(page))


@pytest.mark.parametrize(
    ("locale", "offered", "wished", "asked"),
    [
        ("en-US", "You may overbid with", "You overbid with .* in your turn", "Bury 8"),
        ("zh-CN", "可以反底", "轮到你时用 .* 反底", "扣 8"),
    ],
)
def test_an_overbid_takes_up_the_kitty_again(serve, sit, locale, offered, wished, asked):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=9, rules="chaodipi"), 0, locale=locale)
    to_offer(page, offered)
    page.locator(".option").first.click()
    until(page, lambda: re.search(wished, caption(page)))
    page.click(".buttons .play")
    until(page, lambda: re.search(asked, caption(page)))


def test_a_reload_in_the_middle_loses_nothing(serve, sit):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=2), 0)
    to_choose(page)
    hand = page.evaluate("() => [...document.querySelectorAll('.card')].map((card) => card.dataset.card)")
    page.reload()
    page.wait_for_selector(".card")
    assert page.evaluate("() => [...document.querySelectorAll('.card')].map((card) => card.dataset.card)") == hand
    play_out(page)


def test_the_keyboard_alone_suffices(serve, sit):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=4), 0)
    for _ in range(3000):
        state = state_of(page)
        if state["over"]:
            break
        if "done" in state["label"]:
            page.keyboard.press("d")
        elif re.search("Play|Lead|Bury", state["label"]):
            if state["enabled"]:
                page.keyboard.press("Enter")
            elif "Lead" in state["label"] and page.locator(".card[aria-checked=true]").count() == 0:
                page.keyboard.press("ArrowLeft")
                page.keyboard.press(" ")
            elif "Lead" not in state["label"]:
                page.keyboard.press("h")
        page.wait_for_timeout(50)
    assert state_of(page)["over"]
    page.keyboard.press("n")
    until(page, lambda: not state_of(page)["over"])


def test_enter_plays_after_a_hint_was_clicked(serve, sit):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=5, rules="two_deck"), 0)
    to_choose(page, "Play|Lead|Bury")
    held = page.locator(".card").count()
    page.click(".buttons .hint")
    until_hint(page)
    page.keyboard.press("Enter")
    until(page, lambda: 0 < page.locator(".card").count() < held)


def test_a_button_reached_with_the_keyboard_keeps_the_focus(serve, sit):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=5, rules="two_deck"), 0)
    to_choose(page, "Play|Lead|Bury")
    page.focus(".buttons .hint")
    page.keyboard.press("Enter")
    until_hint(page)
    assert page.evaluate("document.activeElement.className") == "hint"


def test_arrows_move_the_focus_and_nothing_else(serve, sit):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic", seed=5, rules="two_deck"), 0)
    to_choose(page, "Play|Lead|Bury")
    page.wait_for_selector(".card")
    page.evaluate("() => { self.handled = []; addEventListener('keydown', (e) => handled.push(e.defaultPrevented)); }")
    focused = "[...document.querySelectorAll('.card')].indexOf(document.activeElement)"
    last = page.locator(".card").count() - 1
    places = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"):
        page.keyboard.press(key)
        places.append(page.evaluate(focused))
    assert places == [0, 1, 0, last]
    assert page.evaluate("handled") == [True] * 4


def test_two_people_and_two_players_share_a_table(serve, sit):
    house = serve("human", "heuristic", "human", "heuristic", seed=6)
    first, second, watcher = sit(house, 0), sit(house, 2, width=390, height=844), sit(house, -1)
    play_out(first, second)
    assert watcher.locator(".card").count() == 0
    assert watcher.locator(".buttons button").count() == 0
    first.click(".buttons .play")
    until(first, lambda: "Waiting" in state_of(first)["label"])
    second.click(".buttons .play")
    until(first, lambda: not state_of(first)["over"])


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800), (1920, 1080)])
def test_everything_fits_in_chinese_too(serve, sit, width, height):
    page = sit(serve("human", "heuristic", "heuristic", "heuristic"), 0, width=width, height=height, locale="zh-CN")
    to_choose(page, "出牌|跟牌|扣底")
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    assert not re.search("[A-Za-z]{4}", page.inner_text(".buttons"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate("document.querySelector('.buttons').getBoundingClientRect().bottom <= innerHeight")
    for button in page.locator(".buttons button").all():
        assert button.bounding_box()["height"] >= 32


def test_a_wrong_link_says_so_and_tries_no_more(serve, sit, browser):
    house = serve("human", "heuristic", "heuristic", "heuristic")
    page = browser.new_page()
    page.goto(f"http://{house.host}/#0.0.wrong")
    until(page, lambda: "no longer, a seat here" in page.text_content("body"))
    page.goto(f"http://{house.host}/")
    page.reload()
    until(page, lambda: "link that was printed" in page.text_content("body"))
    page.close()
