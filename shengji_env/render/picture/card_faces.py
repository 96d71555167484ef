"""Cards: their faces, fans of them, and hands laid out in a box."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

from shengji_env.render.picture.elements import Element, element, group, place, rectangle
from shengji_env.render.picture.lettering import draw_shape, draw_text
from shengji_env.render.picture.sheet import Style

WIDTH, HEIGHT = 100, 140
"""A card in its own units."""
SMALL = 51
"""Cards narrower than this have larger signs, and only in the corner."""
BACK = "back"
_GROUP_GAP = 0.6
"""Gap between effective suits, in steps between cards."""
_ROW = 0.7
"""Distance of rows of cards, at most, in heights of a card."""
_RAISED = 0.22
"""How far a card that is taken is raised, in widths of a card."""
_LEAST_ROW = 0.3
"""Distance of rows of cards at least, in heights of a card."""
_EMBLEMS = {"LJ": ("star", "black"), "BJ": ("crown", "red")}


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
        size = 37 if rank == "10" else 41
        return [draw_text(rank, 12, 13, size, color, weight=12.5), draw_shape(suit, 9, 62, 38, color)]
    return [
        draw_text(rank, 12, 14, 33, color, weight=12),
        draw_shape(suit, 9, 57, 27, color),
        draw_shape(suit, 40, 76, 52, color),
    ]


def _joker_signs(card: str, is_small: bool, style: Style) -> list[Element]:
    shape, name = _EMBLEMS[card]
    color = style.colors[name]
    if is_small:
        return [draw_shape(shape, 7, 8, 46, color), draw_text("J", 19, 64, 36, color, weight=12.5)]
    letters = [
        draw_text(letter, 17, 13 + 19 * row, 12, color, anchor=0.5, weight=14) for row, letter in enumerate("JOKER")
    ]
    return [*letters, draw_shape(shape, 34, 66, 60, color)]


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


def draw_hand(groups: Mapping[str, str], taken: str, spot: Mapping[str, Any], style: Style) -> Element:
    """Draw a hand in the box of its seat; cards that are taken are raised. ``data-card`` says which card is which.

    Args:
        groups: cards of each effective suit, in order.
        taken: cards taken for the decision under way.
        spot: the seat's place in the layout: ``hand`` is the box, ``card`` the width of a card, ``step`` from one card
            to the next, ``lines`` whether suits have lines of their own (``suits``) or share them (``flow``).
        style: how the picture looks.
    """
    x, y, room, height = spot["hand"]
    width = spot["card"]
    card_height = width * HEIGHT / WIDTH
    most_rows = 1 + int((height - card_height) / (card_height * _LEAST_ROW))
    is_flow = spot["lines"] == "flow"
    rows = _flow_rows(groups, spot, most_rows) if is_flow else _suit_rows(groups, spot)
    down = min(card_height * _ROW, (height - card_height) / max(1, len(rows) - 1))
    spare = height - card_height - down * (len(rows) - 1)
    top = y + spare / 2 if is_flow else y
    left_to_raise = taken.split()
    cards = []
    for number, row in enumerate(rows):
        left = x + (room - (row[-1][1] + width)) / 2
        for card, at in row:
            is_raised = card in left_to_raise
            if is_raised:
                left_to_raise.remove(card)
            lift = width * _RAISED if is_raised else 0
            cards.append(draw_card(card, left + at, top + down * number - lift, width, style, **{"data-card": card}))
    return group(*cards)


Row = list[tuple[str, float]]
"""Cards of a row, each with its distance from the row's left end."""


def _flow_rows(groups: Mapping[str, str], spot: Mapping[str, Any], most_rows: int) -> list[Row]:
    """Share the cards evenly among as few rows as possible, if they can be two thirds of a step apart there."""
    room, width, step = spot["hand"][2], spot["card"], spot["step"]
    cards = [(card, place_ == 0) for texts in groups.values() for place_, card in enumerate(texts.split())]
    gaps = sum(bool(texts) for texts in groups.values()) - 1
    needed = ceil((len(cards) - 1 + gaps * _GROUP_GAP) * step * 2 / 3 / (room - width))
    num_rows = max(1, min(most_rows, needed))
    size = max(1, ceil(len(cards) / num_rows))
    return [_spaced(cards[first : first + size], room, width, step) for first in range(0, len(cards), size)]


def _suit_rows(groups: Mapping[str, str], spot: Mapping[str, Any]) -> list[Row]:
    """Give each effective suit rows of its own."""
    room, width, step = spot["hand"][2], spot["card"], spot["step"]
    size = int((room - width) // step) + 1
    rows = []
    for texts in groups.values():
        cards = [(card, False) for card in texts.split()]
        num_rows = ceil(len(cards) / size)
        share = ceil(len(cards) / max(1, num_rows))
        rows += [_spaced(cards[first : first + share], room, width, step) for first in range(0, len(cards), share or 1)]
    return rows


def _spaced(cards: Sequence[tuple[str, bool]], room: float, width: float, step: float) -> Row:
    """Place the cards of a row; the flag of a card says whether an effective suit begins with it."""
    units, places = 0.0, []
    for number, (_, is_first) in enumerate(cards):
        units += (1 + _GROUP_GAP * is_first) if number else 0
        places.append(units)
    distance = min(step, (room - width) / units) if units else step
    return [(card, at * distance) for (card, _), at in zip(cards, places, strict=True)]
