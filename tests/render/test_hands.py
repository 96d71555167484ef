"""Hands in pictures: the order of their suits, how large they are drawn, and what is told beside them."""

from dataclasses import replace
from itertools import chain, combinations, pairwise, permutations

import pytest

from shengji_env.records.replays import Replay
from shengji_env.render.picture.card_rows import (
    CORNER,
    HEIGHT,
    RAISED,
    WIDTH,
    CardSpace,
    row_share,
    share_rows,
    suit_order,
)
from shengji_env.render.picture.elements import walk
from shengji_env.render.picture.lettering import letter_id
from shengji_env.render.picture.sheet import Style, sheet
from shengji_env.render.picture.table_picture import draw_table
from tests.helpers.paths import DATA

PLAYTHROUGHS = DATA / "playthroughs"
LAYOUTS = sheet("layout")["layouts"]
LETTERS = {letter_id(letter): letter for letter in sheet("glyphs")["letters"]}
RED = {"D", "H"}


def views_of(name, viewer=0):
    replay = Replay.read(PLAYTHROUGHS / f"{name}.jsonl")
    return list(replay.views(replay.rounds[0], viewer=viewer))


def texts_of(root):
    """The texts of a picture, in the order in which they are drawn."""
    table = root.children[-1]
    groups = [part for part in walk(table) if part.attributes.get("stroke-linecap")]
    return ["".join(LETTERS[use.attributes["href"][1:]] for use in part.children) for part in groups]


def neighbours(order, trump):
    """How many neighbours in an order of suits have one colour; the trump suit's colour counts for the trumps."""
    colors = [(trump if suit == "T" else suit) in RED for suit in order if suit != "T" or trump in "CDHS"]
    return sum(a == b for a, b in pairwise(colors))


@pytest.mark.parametrize("trump", ["C", "D", "H", "S", "NT", None])
def test_suits_alternate_between_black_and_red_where_they_can(trump):
    plain = [suit for suit in "SHCD" if suit != trump]
    for held in chain.from_iterable(combinations(plain, size) for size in range(len(plain) + 1)):
        groups = {"T": "BJ", **{suit: f"{suit}3" if suit in held else "" for suit in "SHCD"}}
        order = suit_order(groups, trump)
        assert sorted(order) == sorted(["T", *held])
        assert order[0] == "T"
        least = min(neighbours(["T", *others], "NT") for others in permutations(held))
        assert neighbours(order, "NT") == least
        if len(held) == len(plain):
            assert neighbours(order, trump or "NT") == 0


def test_a_hand_with_low_cards_first_is_the_other_way_round():
    groups = {"T": "BJ", "S": "S3", "H": "", "C": "C3", "D": "D3"}
    turned = dict(reversed(groups.items()))
    assert suit_order(turned, "H") == suit_order(groups, "H")[::-1] == ["C", "D", "S", "T"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_hand_that_shrinks_is_never_drawn_smaller(layout):
    places = LAYOUTS[layout]
    spot = places["seats"][0]
    _, _, width, height = spot["hand"]
    room = CardSpace(width, height, spot["card"], places["strip"], 0.55, RAISED)
    widths = []
    for size in range(60, 0, -1):
        laid = share_rows([("S3", number % 13 == 0) for number in range(size)], room)
        assert sum(map(len, laid.rows)) == size
        assert max(map(laid.width, laid.rows)) <= width + 0.01
        assert laid.height + RAISED * laid.card <= height + 0.01
        if max(map(len, laid.rows)) > 1:
            assert laid.step >= max(places["strip"], CORNER * laid.card) - 0.01
        if len(laid.rows) > 1:
            assert laid.down >= row_share(laid.card) * laid.card * HEIGHT / WIDTH - 0.01
        widths.append(laid.card)
    assert widths == sorted(widths)
    assert widths[-1] == spot["card"]


def test_more_cards_than_a_box_can_show_are_drawn_all_the_same():
    laid = share_rows([("S3", False)] * 40, CardSpace(60, 30, 30))
    assert sum(map(len, laid.rows)) == 40
    assert laid.height <= 30.01


@pytest.mark.parametrize("layout", LAYOUTS)
def test_who_has_led_says_so_and_nobody_else(layout):
    played = [view for view in views_of("two_deck") if view.phase == "follow"]
    for view in played[::9]:
        texts = texts_of(draw_table(view, Style(layout=layout)))
        assert texts.count("led") == 1
    assert "领出" in texts_of(draw_table(played[0], Style(language="zh", layout=layout)))


def test_a_throw_that_failed_is_told_beside_who_led():
    view = next(view for view in views_of("two_deck-failed_throw") if view.trick.thrown and view.phase == "follow")
    texts = texts_of(draw_table(view, Style()))
    assert "throwfailed" in texts
    assert "led" not in texts


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_bid_is_shown_once(layout):
    views = views_of("two_deck-overturn", viewer=None)
    opening = next(view for view in views if view.bids and view.phase == "bid")
    seat, cards = opening.bids[-1].seat, opening.bids[-1].cards.split()
    hidden = replace(
        opening,
        viewer=(seat + 1) % 4,
        kitty=None,
        hands={key: replace(hand, cards=None, known="" if int(key) != seat else " ".join(cards))
               for key, hand in opening.hands.items()},
    )  # fmt: skip
    played = next(view for view in views if view.phase == "follow")
    unseen = {key: replace(hand, cards=None, known="") for key, hand in played.hands.items()}
    played = replace(played, viewer=-1, hands=unseen, kitty=None, buried=None)
    for view, texts in ((hidden, 0), (played, 1)):
        root = draw_table(view, Style(layout=layout))
        drawn = [part.attributes.get("href", "") for part in walk(root.children[-1])]
        bid = [href for href in drawn if href.startswith(f"#sj-light-{view.bids[-1].cards.split()[0]}")]
        assert len(bid) == len(view.bids[-1].cards.split())
        told = [text for text in texts_of(root) if text.startswith("bidby")]
        assert len(told) == texts or (layout != "wide" and not told)


@pytest.mark.parametrize(("viewer", "language"), [(0, "en"), (1, "zh"), (-1, "en"), (None, "en")])
def test_the_result_says_to_a_seat_whether_it_has_won(viewer, language):
    view = views_of("two_deck", viewer=viewer)[-1]
    declares = None if viewer is None or viewer < 0 else viewer % 2 == view.declarer % 2
    has_won = declares == (view.result["winner"] == "declarers")
    words = sheet("words")[language]
    own = words["youWin" if has_won else "othersWin"]
    expected = words["won"].format(words[view.result["winner"]]) if declares is None else own
    texts = texts_of(draw_table(view, Style(language=language)))
    assert any(text.startswith(expected.replace(" ", "")) for text in texts)


def test_points_say_whose_they_are():
    view = views_of("two_deck")[50]
    assert "attackers'points" in texts_of(draw_table(view, Style()))
    assert "闲家得分" in texts_of(draw_table(view, Style(language="zh")))
