"""Where the play page draws things, measured in Chromium: every preset, size of hand, window and language."""

from dataclasses import replace

import pytest

from shengji_env.engine.rule_sets import PRESETS
from shengji_env.records.replays import Replay
from tests.helpers.boxes import LANGUAGES, SIZES, cases, measure, open_page
from tests.helpers.paths import DATA

STRIP = 24
"""What shows of a card of one's own hand at least, in CSS pixels."""
BUTTON = 44
"""Height of a button at least, in CSS pixels."""
TEXT = 12.5
"""Size of text at least, in CSS pixels."""
RANK = 12
"""Height of a rank at least, in CSS pixels."""
QUICK = ("two_deck", "four_deck")
"""The presets that are measured in fast tests."""
WRONG = (
    "cut", "hidden", "texts_over_cards", "texts_over_frames", "plates_over_cards", "cards_over_cards",
    "texts_over_texts", "outside", "buttons_outside", "scrolls",
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
        assert found["text"] >= TEXT, what
        assert found["button"] >= BUTTON, what
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


BIDS = (("2", "H", "H2"), ("T", "NT", "BJ BJ"), ("T", "S", "ST ST ST ST"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_a_bid_does_not_lie_over_the_level_nor_a_winning_play_over_the_points(page, size, language):
    (case,) = [case for case in cases(["two_deck"]) if case.size == "3/4"]
    plays = {str(seat): "C3 C3" for seat in range(4)}
    for winning, (rank, trump, bid) in enumerate(BIDS):
        trick = {**case.view["trick"], "plays": plays, "winning": winning, "points": 10}
        told = {"level_rank": rank, "trump": trump, "bids": [{"seat": 0, "cards": bid}], "trick": trick}
        found = measure(page, SIZES[size], language, [replace(case, view={**case.view, **told})])[0]
        assert {name: found[name] for name in WRONG if found[name]} == {}, (bid, found)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SIZES)
def test_levels_climb_at_the_end_of_a_round_and_all_fits(page, size, language):
    (case,) = [case for case in cases(["two_deck"]) if case.size == "1"]
    result = {
        "winner": "attackers", "levels": 2, "levels_lost": 0, "kitty_points": 20, "kitty_multiplier": 2,
        "next_declarer": 1, "match_over": False, "match_winner": None,
    }  # fmt: skip
    hands = {seat: {"size": 0, "cards": {} if seat == "0" else None, "known": ""} for seat in case.view["hands"]}
    view = {**case.view, "phase": "over", "seat": None, "taken": "", "hands": hands, "result": result}
    over = replace(case, view=view, ask={**case.ask, "kind": "next"}, reasons={})
    line = {"levels": ["5", "T"], "new_levels": ["5", "Q"]}
    found = measure(page, SIZES[size], language, [over], rounds=2, line=line)[0]
    assert {name: found[name] for name in WRONG if found[name]} == {}, found
    assert page.locator(".climb b").all_text_contents() == ["10", "→ J", "→ Q"]
    assert "45 · " in page.inner_text(".taken")


SMALL = {**SIZES, "tiny": (320, 568)}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SMALL)
def test_puzzles_and_replays_keep_the_promises_of_the_table(page, size, language):
    """At the smallest window the table too, and ranks are smaller; with all hands open, they may be."""
    chosen = [case for case in cases(QUICK) if case.size != "drawing"]
    measured = measure(page, SMALL[size], language, chosen, place="puzzle")
    if size == "tiny":
        measured += measure(page, SMALL[size], language, chosen)
    for name in QUICK:
        replay = Replay.read(DATA / "playthroughs" / f"{name}.jsonl").to_json()
        plies = list(range(0, len(replay["rounds"][-1]["changes"]) + 1, 23))
        for viewer in (0, None):
            given = [replay, plies, viewer, language]
            found = page.evaluate("(given) => measureReplay(...given)", given)
            measured += [{**each, "rank": each["rank"] if viewer == 0 else None} for each in found]
    width, _ = SMALL[size]
    for found in measured:
        assert {name: found[name] for name in WRONG if found[name]} == {}, found
        assert (found["strip"] or STRIP) >= STRIP, found
        assert (found["rank"] or RANK) >= (RANK if size in SIZES else 8.5), found
        assert found["text"] >= TEXT, found
        assert found["button"] >= BUTTON, found
        if width < 500:
            assert found["table"] >= 0.97 * width, found


LONG = ("Elisabeth", "Christopher", "欧阳明明明", "Wolfgang")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", SMALL)
def test_names_keep_three_letters_and_bots_have_a_mark_and_names_of_their_own(page, size, language):
    chosen = [replace(case, view={**case.view, "names": LONG}) for case in cases(["two_deck", "four_deck"])]
    for persons in ([0, 1, 2, 3], [0, 2]):
        measured = measure(page, SMALL[size], language, chosen, persons=persons, away=[2])
        for case, found in zip(chosen, measured, strict=True):
            assert not found["cut"], (case.size, found)
            for seat, name in enumerate(LONG):
                shown = found["plates"][str(seat)][0].removesuffix("…")
                called = {"en": "you", "zh": "你"}[language] if seat == 0 else name
                if seat in persons:
                    assert called.startswith(shown), (case.size, found)
                    assert len(shown) >= min(3, len(called)), (case.size, found)
                else:
                    assert shown in {"en": ("Cleo", "Mia"), "zh": ("王平", "方胜")}[language]
        marks = page.locator('[data-plate] use[href="#sj-bot"]')
        assert marks.count() == (0 if 1 in persons else 2)
        assert page.locator('[data-plate] use[href="#sj-away"]').count() == 1


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
        assert page.locator("#tools > *").count() == 10
        assert page.locator(".sheet tbody tr").count() == 12
        page.keyboard.press("Escape")
        assert page.locator(".drawer").is_hidden()
    assert "方胜" in page.locator(".sheet").text_content()
    assert tables == [True, True]
