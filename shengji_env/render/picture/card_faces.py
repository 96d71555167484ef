"""Cards: their faces, and fans, piles and hands of them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shengji_env.render.picture.card_rows import (
    HEIGHT,
    RAISED,
    SMALL,
    WIDTH,
    CardRows,
    CardSpace,
    hand_cards,
    share_rows,
    suit_rows,
)
from shengji_env.render.picture.elements import Element, element, group, place, rectangle
from shengji_env.render.picture.lettering import draw_shape, draw_text
from shengji_env.render.picture.sheet import Style

BACK = "back"
_SPREAD = 0.55
"""Distance of the cards of a hand at most, in widths of a card."""
_EMBLEMS = {"LJ": ("star", "black"), "BJ": ("crown", "red")}


class ShownHand(NamedTuple):
    """A hand, as it is drawn."""

    groups: Mapping[str, str]
    """Cards of each effective suit."""
    trump: str | None
    """The trumps, which decide in which order the suits stand."""
    taken: str
    """Cards that are raised: those taken for the decision under way."""


def card_id(card: str, width: float, style: Style) -> str:
    """Return the id of a card's symbol."""
    colors = "4" if style.four_colors else ""
    return f"sj-{style.theme}{colors}-{card}{'-small' if width < SMALL and card != BACK else ''}"


def draw_card(card: str, x: float, y: float, width: float, style: Style, **attributes: str) -> Element:
    """Draw a card, or BACK for its back, as an element with some more attributes."""
    look = {"href": f"#{card_id(card, width, style)}", "transform": place(x, y, width / WIDTH)}
    return element("use", {**look, **attributes})


def card_symbol(card: str, width: float, style: Style) -> Element:
    """Return the symbol of a card."""
    colors = style.colors
    fill, edge = colors["back" if card == BACK else "card"], colors["edge"]
    face = rectangle(1, 1, WIDTH - 2, HEIGHT - 2, rx=10, fill=fill, stroke=edge, stroke_width=2)
    if card == BACK:
        weave = colors["weave"]
        frame = rectangle(11, 11, WIDTH - 22, HEIGHT - 22, rx=5, stroke_width=2.5, fill="none", stroke=weave)
        signs = [frame, draw_shape("D", 28, 48, 44, weave)]
    else:
        signs = _joker_signs(card, width < SMALL, style) if card in _EMBLEMS else _signs(card, width < SMALL, style)
    return group(face, *signs, id=card_id(card, width, style))


def _signs(card: str, is_small: bool, style: Style) -> list[Element]:
    suit, rank = card[0], rank_text(card[1])
    color = style.suit_color(suit)
    if is_small:
        size = 33 if rank == "10" else 37
        return [draw_text(rank, 9, 10, size, color, weight=12.5), draw_shape(suit, 8, 52, 31, color)]
    return [
        draw_text(rank, 9, 11, 31, color, weight=12),
        draw_shape(suit, 8, 47, 28, color),
        draw_shape(suit, 38, 74, 54, color),
    ]


def _joker_signs(card: str, is_small: bool, style: Style) -> list[Element]:
    shape, name = _EMBLEMS[card]
    color = style.colors[name]
    if is_small:
        return [draw_shape(shape, 5, 8, 40, color), draw_text("J", 16, 54, 28, color, weight=12.5)]
    letters = [
        draw_text(letter, 20, 48 + 17 * row, 11, color, anchor=0.5, weight=14) for row, letter in enumerate("JOKER")
    ]
    return [draw_shape(shape, 6, 8, 34, color), *letters, draw_shape(shape, 36, 70, 58, color)]


def rank_text(rank: str) -> str:
    """Return how a rank is shown."""
    return "10" if rank == "T" else rank


def draw_fan(cards: Sequence[str], box: Mapping[str, float], style: Style, *, align: float = 0.5) -> Element:
    """Draw cards in one row that overlap as far as they must.

    Args:
        cards: their texts.
        box: ``x`` of the place named by `align`, ``y`` of the cards' top, ``room`` for the row, ``width`` of a card and
            ``step`` from one card to the next at most.
        style: how the picture looks.
        align: 0 for the row's left end, 0.5 for its middle, 1 for its right end.
    """
    width = box["width"]
    step = min(box["step"], (box["room"] - width) / max(1, len(cards) - 1))
    left = box["x"] - align * fan_width(len(cards), width, step)
    return group(*(draw_card(card, left + step * place_, box["y"], width, style) for place_, card in enumerate(cards)))


def fan_width(num_cards: int, width: float, step: float) -> float:
    """Return how wide a row of cards is."""
    return width + step * max(0, num_cards - 1)


def draw_pile(cards: Sequence[str], box: Mapping[str, float], style: Style, *, align: float = 0.5) -> Element:
    """Draw cards in a box, smaller and in more rows if they are many, so that all can be read.

    Args:
        cards: their texts.
        box: ``x`` of the place named by `align`, ``y`` of the box's top, its ``room`` and ``height``, and the ``width``
            of a card at most.
        style: how the picture looks.
        align: 0 for the rows' left end, 0.5 for their middle, 1 for their right end.
    """
    pile = pile_of(cards, box)
    top = box["y"] + (box["height"] - pile.height) / 2
    parts = []
    for number, row in enumerate(pile.rows):
        left, y = box["x"] - align * pile.width(row), top + pile.down * number
        spots = zip(row, pile.places(row), strict=True)
        parts += [draw_card(card, left + at, y, pile.card, style) for (card, _), at in spots]
    return group(*parts)


def pile_of(cards: Sequence[str], box: Mapping[str, float]) -> CardRows:
    """Return the rows in which `draw_pile` draws cards."""
    return share_rows([(card, False) for card in cards], CardSpace(box["room"], box["height"], int(box["width"])))


def draw_hand(hand: ShownHand, spot: Mapping[str, Any], style: Style) -> Element:
    """Draw a hand in the box of its seat. ``data-card`` says which card is which.

    Args:
        hand: the hand.
        spot: the seat's place in the layout: ``hand`` is the box, ``card`` the width of a card at most, ``lines``
            whether suits have lines of their own (``suits``) or share them (``flow``).
        style: how the picture looks.
    """
    x, y, width, height = spot["hand"]
    is_flow = spot["lines"] == "flow"
    room = CardSpace(width, height, spot["card"], style.places["strip"] if is_flow else 0, _SPREAD, RAISED)
    suits = hand_cards(hand.groups, hand.trump)
    laid = share_rows([card for suit in suits for card in suit], room) if is_flow else suit_rows(suits, room)
    lift = laid.card * RAISED
    top = y + lift + ((height - lift - laid.height) / 2 if is_flow else 0)
    left_to_raise = hand.taken.split()
    parts = []
    for number, row in enumerate(laid.rows):
        left = x + (width - laid.width(row)) / 2
        for (card, _), at in zip(row, laid.places(row), strict=True):
            is_taken = _take_out(card, left_to_raise)
            over = top + laid.down * number - (lift if is_taken else 0)
            parts.append(draw_card(card, left + at, over, laid.card, style, **{"data-card": card}))
            if is_taken:
                parts.append(_frame(left + at, over, laid.card, style))
    return group(*parts, data_hand="")


def _take_out(card: str, cards: list[str]) -> bool:
    """Take a card out of a list; return whether it was there."""
    is_there = card in cards
    if is_there:
        cards.remove(card)
    return is_there


def _frame(x: float, y: float, width: float, style: Style) -> Element:
    """Draw the frame of a card that is taken: where rows are close, a card cannot be raised far."""
    scale = width / WIDTH
    look: dict[str, str | float] = {"fill": "none", "stroke": style.colors["move"], "stroke_width": 4 * scale}
    return rectangle(
        x + 2 * scale,
        y + 2 * scale,
        width - 4 * scale,
        (HEIGHT - 4) * scale,
        rx=9 * scale,
        pointer_events="none",
        **look,
    )
