"""Views of every kind and size, and where the play page draws their parts: measured in Chromium, without a server."""

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import CARD_TEXTS, RANKS, parse_card_list
from shengji_env.engine.rule_sets import PRESETS, RULE_SETS
from shengji_env.engine.slots import NUM_SLOTS, TRUMP, card_of_slot, suit_of_slot
from shengji_env.render.view import HAND_ORDER, Hand, ShownBid, Trick, View, points_of
from tests.helpers.paths import ROOT, TESTS

SIZES = {
    "wide": (1440, 900), "laptop": (1280, 800), "tablet": (1024, 768), "upright": (720, 900),
    "narrow": (390, 844), "barred": (390, 664), "small": (360, 640), "low": (844, 390), "smallest": (667, 375),
}  # fmt: skip
"""Windows by name: width and height; a phone with its browser's bars is `barred`."""
TINY = (320, 568)
"""A window below the smallest that is promised, which the lesson fits all the same."""
LANGUAGES = ("en", "zh")
SHEET = ("glyphs", "layout", "words")
NAMES = ("Ann", "champion 1", "王小明", "heuristic 3")
_TRUMP, _LEVEL = "H", "5"
_PAGE = """<!DOCTYPE html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shengji</title><link rel="stylesheet" href="/page.css"><link rel="stylesheet" href="/play.css">
<link rel="stylesheet" href="/lobby.css">
<body><div id="page"></div><script type="module" src="/boxes.js"></script>"""


@dataclass(frozen=True)
class Case:
    """A view, and what its seat is asked."""

    preset: str
    """The rules."""
    size: str
    """How large the hand is, in words."""
    cards: int
    """How large it is."""
    view: Mapping[str, Any]
    """The view as JSON values."""
    ask: Mapping[str, Any]
    """What is asked."""
    reasons: Mapping[str, str | None]
    """Why cards may not join."""


def hand_sizes(preset: str) -> dict[str, int]:
    """Return the sizes of hands of a preset that are measured."""
    rules = RULE_SETS[preset]
    full = rules.hand
    sizes = {"with kitty": full + rules.kitty, "drawing": full, "full": full, "3/4": full * 3 // 4, "half": full // 2}
    return {**sizes, **{str(size): size for size in (17, 10, 1) if size < full}}


def cases(presets: Sequence[str] = PRESETS) -> list[Case]:
    """Return the cases of presets: each size of hand, in one of several situations."""
    return [_case(preset, size, cards, seed) for seed, (preset, size, cards) in enumerate(_kinds(presets))]


def _kinds(presets: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    for preset in presets:
        for size, cards in hand_sizes(preset).items():
            yield preset, size, max(1, cards)


def _case(preset: str, size: str, count: int, seed: int) -> Case:
    rules = RULE_SETS[preset]
    deck = _deck(preset)
    random.Random(seed).shuffle(deck)
    hand, rest = deck[:count], deck[count:]
    is_bury, is_thrown = size == "with kitty" and rules.kitty > 0, size in ("half", "10")
    phase = "bury" if is_bury else "lead" if size == "full" else "follow"
    played = {} if is_bury or phase == "lead" else _plays(rest, min(count, 8 if size == "3/4" else 4))
    last = _plays(rest[40:] or rest, min(8 if rules.decks > 2 else 4, len(rest) // 4)) if not is_bury else {}
    view = View(
        rules=preset,
        viewer=0,
        names=NAMES,
        match_round=12,
        phase=phase,
        seat=0,
        levels=(_LEVEL, "T"),
        level_rank=_LEVEL,
        trump=_TRUMP,
        declarer=0,
        takers=(0,) if rules.kitty else (),
        rebellions=0,
        drawn=4 * rules.hand,
        to_draw=4 * rules.hand,
        tricks=0 if is_bury else 7,
        attackers_points=115,
        threshold=rules.table.threshold,
        bids=(ShownBid(0, " ".join([_TRUMP + _LEVEL] * min(2, rules.decks))),),
        hands={str(seat): _hand(hand if seat == 0 else None, count, rest[seat * 4 :][:3]) for seat in range(4)},
        taken=" ".join(hand[: rules.kitty]) if is_bury else hand[0],
        trick=_trick(played, leader=2 if is_thrown else 1, thrown=" ".join(rest[:6]) if is_thrown else ""),
        last_trick=_trick({str(seat): cards for seat, cards in last.items()}, leader=3) if last else None,
        turned="",
        kitty=None,
        buried=None if is_bury or not rules.kitty else " ".join(rest[: rules.kitty]),
        buried_points=None if is_bury or not rules.kitty else 15,
        passed_on={},
        result=None,
    )
    if size == "drawing":
        named = ShownBid(0, " ".join([_TRUMP + _LEVEL] * min(2, rules.decks)))
        view = replace(
            view, phase="bid", seat=None, level_rank=None, trump=None, declarer=None, takers=(), tricks=0,
            attackers_points=0, drawn=4 * rules.hand - 1, bids=(named,), taken="", trick=_trick({}, leader=0),
            last_trick=None, buried=None, buried_points=None,
        )  # fmt: skip
        ask = {"kind": "bid", "size": None, "options": [], "wish": "", "is_done": False, "is_forced": False}
        return Case(preset, size, count, view.to_json(), ask, {})
    ask = {"kind": phase, "size": 4, "options": [], "wish": "", "is_done": False, "is_forced": False}
    return Case(preset, size, count, view.to_json(), ask, dict.fromkeys(hand[::2], "owes_suit"))


def _deck(preset: str) -> list[str]:
    rules = RULE_SETS[preset]
    some = set(rules.cards.replace(" ", ""))
    texts = [card for card in CARD_TEXTS if not some or (card[0] in some and card[1] in some)]
    return texts * rules.decks


def _plays(cards: Sequence[str], size: int) -> dict[str, str]:
    """Return plays of three seats: the fourth is to follow."""
    return {str(seat): " ".join(cards[seat * size :][:size]) for seat in (1, 2, 3)}


def _trick(plays: Mapping[str, str], *, leader: int, thrown: str = "") -> Trick:
    whole = {str(seat): plays.get(str(seat), "") for seat in range(4)}
    points = sum(points_of(cards) for cards in plays.values() if cards)
    is_played = any(whole.values())
    return Trick(
        leader if is_played else None, leader if is_played else None, points, whole, thrown if is_played else ""
    )


def _hand(cards: Sequence[str] | None, size: int, known: Sequence[str]) -> Hand:
    if cards is None:
        return Hand(size, None, " ".join(known))
    trump, level = TRUMP_TEXTS.index(_TRUMP), RANKS.index(_LEVEL)
    held = [CARD_TEXTS[card] for card in parse_card_list(" ".join(cards))]
    groups: dict[str, list[str]] = {suit: [] for suit in HAND_ORDER}
    for slot in reversed(range(NUM_SLOTS)):
        text = CARD_TEXTS[card_of_slot(slot, trump, level)]
        groups["T" if suit_of_slot(slot, trump) == TRUMP else text[0]] += [text] * held.count(text)
    return Hand(size, {suit: " ".join(texts) for suit, texts in groups.items()}, "")


def open_page(browser: Any) -> Any:
    """Open a page with the play page's modules that draws and measures views."""
    page, package = browser.new_page(), ROOT / "shengji_env"
    sheet = {name: json.loads((package / f"render/picture/{name}.json").read_text("utf-8")) for name in SHEET}
    folders = (ROOT / "shengji_table/web/page", package / "render/page", TESTS / "page")

    def answer(route: Any) -> None:
        name = route.request.url.rpartition("/")[2]
        found = next((folder / name for folder in folders if name and (folder / name).is_file()), None)
        if found is not None:
            kind = "text/css" if name.endswith(".css") else "text/javascript"
            route.fulfill(body=found.read_text("utf-8"), content_type=f"{kind}; charset=utf-8")
        elif name == "sheet.json":
            route.fulfill(json=sheet)
        else:
            route.fulfill(body=_PAGE, content_type="text/html; charset=utf-8")

    page.route("**/*", answer)
    page.goto("http://table.test/")
    page.wait_for_selector("body[data-ready]")
    return page


def measure(page: Any, size: tuple[int, int], language: str, of: Sequence[Case], **how: Any) -> list[dict[str, Any]]:
    """Return the figures of cases in a window, shown as `showCase` of ``boxes.js`` is told."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    found: list[dict[str, Any]] = page.evaluate("([cases, language, how]) => measure(cases, language, how)", [
        [asdict(case) for case in of], language, how,
    ])  # fmt: skip
    return found


def measure_rules(
    page: Any, size: tuple[int, int], language: str, case: Case, rules: Sequence[Sequence[str]]
) -> list[dict[str, Any]]:
    """Return the figures of the boxes of the lesson's rules over a case in a window, as `measureRules` names them."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    found: list[dict[str, Any]] = page.evaluate(
        "([each, language, rules]) => measureRules(each, language, rules)", [asdict(case), language, rules]
    )
    return found
