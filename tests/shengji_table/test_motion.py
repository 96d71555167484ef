"""What moves on the play page: plays fly once, tricks are gathered, the kitty's cards are marked."""

from dataclasses import asdict, replace

import pytest

from tests.helpers.boxes import cases, open_page

SHOW = "([each, how]) => showCase(each, 'en', how)"
CASES = {case.size: case for case in cases(["two_deck"])}
TRICK = {"1": "S9 S9", "2": "S3 S4", "3": "SK SK", "0": "S5 S6"}


@pytest.fixture
def page(browser):
    page = open_page(browser)
    page.set_viewport_size({"width": 1280, "height": 800})
    yield page
    page.close()


def show(page, case, *, animations=True, **changes):
    """Show a case with parts of its view changed."""
    changed = replace(case, view={**case.view, **changes})
    page.evaluate(SHOW, [asdict(changed), {"animations": animations}])


def trick(*seats, thrown=""):
    plays = {str(seat): TRICK[str(seat)] if str(seat) in seats else "" for seat in range(4)}
    return {"leader": 1, "winning": 3 if "3" in seats else 1, "points": 0, "plays": plays, "thrown": thrown}


def flying(page):
    """How far the animations have come, and where: seats whose plays fly, seats whose plays are gathered."""
    return page.evaluate(
        """() => document.getAnimations().map((each) => [each.effect.target.dataset.play ?? null,
        each.effect.target.dataset.gathered ?? null, each.currentTime])"""
    )


def slow_down(page):
    """Let all animations stand still, so that what is seen does not depend on the machine."""
    page.evaluate(
        """() => { const animate = Element.prototype.animate;
        Element.prototype.animate = function (...how) { const made = animate.apply(this, how); made.pause();
          return made; }; }"""
    )


def drawn(page, card):
    return page.locator(f".picture svg > g use[href='#sj-light-{card}']").count()


def test_a_play_flies_once_and_is_seen_once(page):
    slow_down(page)
    show(page, CASES["full"], phase="follow", seat=2, last_trick=None, trick=trick())
    show(page, CASES["full"], phase="follow", seat=2, last_trick=None, trick=trick("1"))
    assert [seat for seat, _, _ in flying(page)] == ["1"]
    hand = page.locator("[data-card=S9]").count()
    assert drawn(page, "S9") == 2 + hand


def test_a_drawing_in_the_middle_of_a_flight_does_not_end_it(page):
    slow_down(page)
    page.evaluate("() => { self.now = 1000; performance.now = () => self.now; }")
    show(page, CASES["full"], phase="follow", seat=2, last_trick=None, trick=trick())
    show(page, CASES["full"], phase="follow", seat=2, last_trick=None, trick=trick("1"))
    page.evaluate("self.now = 1100")
    show(page, CASES["full"], phase="follow", seat=2, last_trick=None, trick=trick("1"), taken="")
    assert flying(page) == [["1", None, 100]]
    page.evaluate("self.now = 1500")
    show(page, CASES["full"], phase="follow", seat=2, last_trick=None, trick=trick("1"))
    assert flying(page) == []


@pytest.mark.parametrize("how", ["still", "switched off"])
def test_nothing_flies_for_who_wants_it_still(page, how):
    page.emulate_media(reduced_motion="reduce" if how == "still" else "no-preference")
    switch = {"animations": how == "still"}
    show(page, CASES["full"], phase="follow", seat=2, last_trick=None, trick=trick(), **switch)
    show(page, CASES["full"], phase="follow", seat=2, last_trick=None, trick=trick("1"), **switch)
    assert flying(page) == []
    show(page, CASES["full"], phase="lead", seat=3, last_trick=trick(*"0123"), trick=trick(), tricks=1, **switch)
    assert flying(page) == []
    assert page.locator("[data-play]").count() == 4  # the last trick stays until the next lead, faded


def test_a_trick_is_gathered_by_its_winner(page):
    show(page, CASES["full"], phase="follow", seat=None, last_trick=None, trick=trick(*"0123"))
    show(page, CASES["full"], phase="lead", seat=3, last_trick=trick(*"0123"), trick=trick(), tricks=8)
    assert sorted(seat for _, seat, _ in flying(page) if seat) == ["0", "1", "2", "3"]
    assert page.locator("[data-play]").count() == 0
    page.locator("[data-gathered]").first.wait_for(state="detached")
    show(page, CASES["full"], phase="lead", seat=3, last_trick=trick(*"0123"), trick=trick(), tricks=8, taken="")
    assert page.locator("[data-play], [data-gathered]").count() == 0


def test_a_drawn_card_slides_into_the_hand(page):
    slow_down(page)
    held = {"T": "BJ", "S": "", "H": "", "C": "C3", "D": ""}
    drawing = {"phase": "bid", "trump": None, "level_rank": None, "declarer": None, "seat": None, "takers": []}
    bare = {
        **drawing,
        "bids": [],
        "last_trick": None,
        "buried": None,
        "taken": "",
        "trick": {**trick(), "leader": None},
    }
    for drawn_now, cards in ((8, held), (12, {**held, "S": "SA"})):
        hands = {**CASES["full"].view["hands"], "0": {"size": drawn_now // 4, "cards": cards, "known": ""}}
        show(page, CASES["full"], **bare, drawn=drawn_now, hands=hands)
    moving = page.evaluate("() => document.getAnimations().map((each) => each.effect.target.dataset.card)")
    assert moving == ["SA"]


def marked(page):
    """The cards that carry the mark of the kitty."""
    return page.evaluate(
        "() => [...document.querySelectorAll('.from-kitty')].map((mark) => mark.previousElementSibling)"
        ".map((part) => part.dataset.card ?? part.previousElementSibling.dataset.card).sort()"
    )


def test_the_kittys_cards_are_marked_until_they_are_buried(page):
    after = CASES["with kitty"]
    kitty = sorted(" ".join(filter(None, after.view["hands"]["0"]["cards"].values())).split()[::4][:8])
    asked = replace(after, ask={**after.ask, "kitty": " ".join(kitty)})
    for taken in ("", after.view["taken"]):
        show(page, asked, taken=taken)
        assert marked(page) == kitty
    page.reload()  # in whatever window: the server says what was taken up
    page.wait_for_selector("body[data-ready]")
    show(page, asked)
    assert marked(page) == kitty
    show(page, CASES["full"])
    assert marked(page) == []
