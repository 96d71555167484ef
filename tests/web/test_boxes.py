"""Where the play page draws things, measured in Chromium: every preset, size of hand, window and language."""

import pytest

from shengji_env.engine.rule_sets import PRESETS
from tests.helpers.boxes import LANGUAGES, SIZES, cases, measure, open_page
from tests.helpers.browsing import needs_chromium

pytestmark = needs_chromium
STRIP = 24
"""What shows of a card of one's own hand at least, in CSS pixels."""
RANK = 12
"""Height of a rank at least, in CSS pixels."""
QUICK = ("two_deck", "four_deck")
"""The presets that are measured in fast tests."""
WRONG = (
    "hidden", "texts_over_cards", "plates_over_cards", "cards_over_cards", "texts_over_texts", "outside",
    "buttons_outside", "scrolls",
)  # fmt: skip
"""Figures that must be 0."""


@pytest.fixture(scope="module")
def page(browser):
    return open_page(browser)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "presets", [QUICK, pytest.param(sorted(set(PRESETS) - set(QUICK)), marks=pytest.mark.slow)], ids=["quick", "others"]
)
def test_every_card_can_be_read_and_nothing_lies_over_it(page, presets, size, language):
    measured = cases(presets)
    for case, found in zip(measured, measure(page, size, language, measured), strict=True):
        what = f"{case.preset}, {case.size}: {found}"
        assert found["cards"] == case.cards
        assert found["strip"] is None or found["strip"] >= STRIP, what
        assert found["rank"] >= RANK, what
        assert {name: found[name] for name in WRONG if found[name]} == {}, what
        assert found["buttons"] == (0 if case.size == "drawing" else 4)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_who_is_away_is_told_in_view_and_moves_no_button_out_of_it(page, size, language):
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    (case,) = [case for case in cases(["four_deck"]) if case.size == "full"]
    page.evaluate("([each, language]) => showCase(each, language, { away: [2] })", [vars(case), language])
    for part in (".presence p", ".presence button", ".caption", ".buttons .play", ".picture svg"):
        box = page.locator(part).bounding_box()
        assert min(box["x"], box["y"]) >= 0, part
        assert box["x"] + box["width"] <= width, part
        assert box["y"] + box["height"] <= height, part
    assert "王小明" in page.locator(".presence").inner_text()


def test_a_score_sheet_does_not_shrink_the_table(page):
    page.set_viewport_size({"width": 1024, "height": 768})
    (case,) = [case for case in cases(["two_deck"]) if case.size == "full"]
    widths, tables = [], []
    for rounds in (0, 12):
        page.evaluate("([each, rounds]) => showCase(each, 'en', { rounds })", [vars(case), rounds])
        widths.append(page.locator(".picture svg").bounding_box()["width"])
    page.get_by_role("button", name="Scores").click()
    for language in LANGUAGES:
        page.evaluate("([each, language]) => showCase(each, language, { rounds: 12 })", [vars(case), language])
        if page.locator(".drawer").is_hidden():
            page.locator("header .toggle").click()
        drawer, sheet = page.locator(".drawer").bounding_box(), page.locator(".sheet").bounding_box()
        tables.append(drawer["x"] <= sheet["x"] and sheet["x"] + sheet["width"] <= drawer["x"] + drawer["width"])
        assert page.locator(".sheet tbody tr").count() == 12
    assert "heuristic 3" in page.locator(".sheet").inner_text()
    assert widths[0] == widths[1] > 950
    assert tables == [True, True]
    page.keyboard.press("Escape")
    assert page.locator(".drawer").is_hidden()
