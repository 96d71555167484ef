"""Where the play page draws things, measured in Chromium: every preset, size of hand, window and language."""

import pytest

from shengji_env.engine.rule_sets import PRESETS
from tests.helpers.boxes import LANGUAGES, SIZES, cases, measure, open_page

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
    for case, found in zip(measured, measure(page, SIZES[size], language, measured), strict=True):
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
    assert page.locator(".presence button").count() == 2
    for part in page.locator(".presence p, .presence button, .caption, .buttons .play, .picture svg").all():
        box = part.bounding_box()
        assert min(box["x"], box["y"]) >= 0, part
        assert box["x"] + box["width"] <= width, part
        assert box["y"] + box["height"] <= height, part
    assert "王小明" in page.locator(".presence").inner_text()


@pytest.mark.parametrize("width", [360, 412, 540, 700, 820, 979, 1000, 1366, 1600])
def test_the_table_follows_any_window(page, width):
    chosen = [case for case in cases(["four_deck"]) if case.size in ("with kitty", "3/4")]
    for height in (640, 740, 812, 915, 1180):
        for found in measure(page, (width, height), "en", chosen):
            assert found["strip"] >= STRIP, (height, found)
            assert found["rank"] >= RANK, (height, found)
            assert {name: found[name] for name in WRONG if found[name]} == {}, (height, found)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_rounds_that_have_ended_do_not_shrink_the_table(page, size, language):
    chosen = [case for case in cases(["two_deck"]) if case.size == "full"]
    drawn = [measure(page, SIZES[size], language, chosen, rounds=rounds)[0] for rounds in (0, 12)]
    assert drawn[0] == drawn[1]
    width, height = SIZES[size]
    assert drawn[0]["table"] >= 0.76 * width
    assert drawn[0]["high"] >= 0.75 * height


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_a_refusal_stands_beside_what_is_asked_and_moves_nothing(page, size, language):
    (case,) = [case for case in cases(["two_deck"]) if case.size == "with kitty"]
    notice = ["refused", "not_now", ""]
    quiet, refused = (measure(page, SIZES[size], language, [case], notice=each)[0] for each in (None, notice))
    said = page.locator(".caption").inner_text()
    assert ("Bury" in said and "not your turn" in said) if language == "en" else ("扣" in said and "不轮到你" in said)
    assert refused == quiet


def test_settings_and_scores_are_behind_one_button(page):
    page.set_viewport_size({"width": 1024, "height": 768})
    (case,) = [case for case in cases(["two_deck"]) if case.size == "full"]
    tables = []
    for language in LANGUAGES:
        page.evaluate("([each, language]) => showCase(each, language, { rounds: 12 })", [vars(case), language])
        assert page.locator("header button, header a").count() == 1
        page.locator("header .toggle").click()
        drawer, sheet = page.locator(".drawer").bounding_box(), page.locator(".sheet").bounding_box()
        tables.append(drawer["x"] <= sheet["x"] and sheet["x"] + sheet["width"] <= drawer["x"] + drawer["width"])
        assert page.locator(".drawer .tools button, .drawer .tools a").count() == 9
        assert page.locator(".sheet tbody tr").count() == 12
        page.keyboard.press("Escape")
        assert page.locator(".drawer").is_hidden()
    assert "heuristic 3" in page.locator(".sheet").text_content()
    assert tables == [True, True]
