"""What the candidates of a decision are worth, on the table: where the seat that decides will put its cards.

| drawn | means |
|---|---|
| a bar | the value: full for the best, empty for one that is SCALE levels worse, or for the worst if that is further |
| a star, in the box and on cards of the hand | the best |
| a framed row, and raised cards in the hand | what is played |
| a ring | what another player would have played |

A viewer sees the values of its own decisions only; whoever sees all hands sees all of them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.render.decision_values import DecisionValues
from shengji_env.render.picture.card_faces import rank_text
from shengji_env.render.picture.elements import Element, element, group, rectangle
from shengji_env.render.picture.lettering import draw_shape, draw_text, text_width
from shengji_env.render.picture.sheet import Style
from shengji_env.render.view import View

SCALE = 0.5
"""Levels that a bar spans, at least."""
_ROW = 1.8
"""Height of a row, in heights of its text."""
_PAD = 6
_SHARE = 0.55
"""Share of a row that an answer may take."""
_GAP = 0.6
"""After a rank, in heights of the text: so 6 and 10 are not read as 610."""
_LEFT_OUT = "…"
_STAR = (4, -16, 34)
"""A star at the upper edge of a card, in the card's own units."""
_RAISING = ("bid", "bury", "lead", "follow")
"""Phases in which an answer is cards of the seat's own hand."""
_WORDS = {None: "pass", "rebel": "rebel", "NT": "none"}
_JOKERS = {"LJ": ("star", "ink"), "BJ": ("crown", "signal")}


class _Row(NamedTuple):
    """Where something is drawn in a row: its left end, the row's middle, how wide it may be."""

    x: float
    middle: float
    width: float


def seen_values(values: DecisionValues | None, view: View) -> DecisionValues | None:
    """Return the values that a viewer may see: its own, or anybody's if it sees all hands."""
    return values if values and view.viewer in (None, values.seat) else None


def with_raised(view: View, values: DecisionValues | None) -> View:
    """Return a view in which the cards that are played are raised in the hand."""
    if values is None or values.played is None or view.seat != values.seat or view.phase not in _RAISING:
        return view
    return replace(view, taken=values.options[values.played][0] or "")


def without_past(view: View, values: DecisionValues | None) -> View:
    """Return a view in which the seat that decides has taken back its play of the last trick, to make room."""
    if values is None or view.last_trick is None:
        return view
    plays = {**view.last_trick.plays, str(values.seat): ""}
    return replace(view, last_trick=replace(view.last_trick, plays=plays))


def starred(hand: Element, values: DecisionValues, view: View, style: Style) -> Element:
    """Return a seat's hand with stars on the cards that are best to play, if others are played."""
    best = values.by_value()[0]
    answer = values.options[best][0]
    if best == values.played or view.seat != values.seat or view.phase not in _RAISING or not answer:
        return hand
    return _with_stars(hand, answer.split(), style)


def _with_stars(part: Element, cards: list[str], style: Style) -> Element:
    """Put a star on each of some cards that is found, and take that card off the list."""
    children: list[Element | str] = []
    for child in part.children:
        if isinstance(child, str):
            children.append(child)
            continue
        children.append(_with_stars(child, cards, style))
        card = child.attributes.get("data-card")
        if card in cards:
            cards.remove(card)
            there = {"transform": child.attributes["transform"], "pointer_events": "none"}
            children.append(group(draw_shape("star", *_STAR, style.colors["win"]), **there))
    return Element(part.tag, part.attributes, tuple(children))


def draw_values(values: DecisionValues, view: View, style: Style) -> Element:
    """Draw the best candidates of a decision, as many as there is room for, and those that were chosen."""
    bottom = 0 if view.viewer is None or view.viewer < 0 else view.viewer
    x, y, width, height = style.places["values"][(values.seat - bottom) % NUM_SEATS]
    down = style.places["text"] * _ROW
    shown = _fitting(values, int((height - 2 * _PAD) / down))
    across = down * len(shown.options) + 2 * _PAD
    top = y + (height - across) / 2
    parts = [rectangle(x, top, width, across, rx=10, fill=style.colors["panel"], stroke=style.colors["line"])]
    shown = _told_apart(shown, _answer_room(width - 2 * _PAD, style), style)
    for index in range(len(shown.options)):
        row = _Row(x + _PAD, top + _PAD + (index + 0.5) * down, width - 2 * _PAD)
        parts += [*_signs(shown, index, row, style), *_figures(shown, index, row, style)]
    return group(*parts, data_values=str(values.seat))


def _answer_room(width: float, style: Style) -> float:
    """Return how wide an answer may be in a row."""
    size = style.places["text"]
    return float((width - size * 1.9 - 5 - text_width("+0.00", size * 0.85)) * _SHARE)


def _told_apart(values: DecisionValues, room: float, style: Style) -> DecisionValues:
    """Return candidates without the cards that all of them have, if some are too long to be read to the end."""
    answers = [(answer or "").split() for answer, _ in values.options]
    isnt_cards = any(answer in _WORDS for answer, _ in values.options)
    if isnt_cards or all(sum(width for _, width in _marks_of(cards, style)) <= room for cards in answers):
        return values
    common = answers[0]
    for cards in answers:
        common = _without(common, _without(common, cards))
    others = [_without(cards, common) for cards in answers]
    if not common or not all(others):
        return values
    texts = [" ".join([_LEFT_OUT, *cards]) for cards in others]
    return replace(values, options=tuple(zip(texts, (value for _, value in values.options), strict=True)))


def _without(cards: list[str], left_out: list[str]) -> list[str]:
    """Return cards without others, as often as these occur."""
    rest, kept = list(left_out), []
    for card in cards:
        if card in rest:
            rest.remove(card)
        else:
            kept.append(card)
    return kept


def _fitting(values: DecisionValues, most: int) -> DecisionValues:
    """Return as many candidates as there is room for: those that were chosen, and the best."""
    best = values.by_value()[:most]
    others = {index for index in (values.played, values.second) if index is not None and index not in best}
    return values.first(most - len(others))


def _signs(values: DecisionValues, index: int, row: _Row, style: Style) -> list[Element]:
    """Draw how a candidate stands out: a frame, a star, a ring."""
    size, colors = style.places["text"], style.colors
    x, parts = row.x + size * 0.9, []
    if index == values.played:
        high = size * _ROW - 2
        frame = {"fill": colors["plate"], "stroke": colors["move"]}
        parts.append(rectangle(row.x, row.middle - high / 2, row.width, high, rx=6, stroke_width=1.5, **frame))
    if index == 0:
        parts.append(draw_shape("star", x - size * 0.5, row.middle - size * 0.5, size, colors["win"]))
    if index == values.second:
        ring: dict[str, str | float] = {"fill": "none", "stroke": colors["declarers"], "stroke-width": 2}
        parts.append(element("circle", {"cx": x, "cy": row.middle, "r": size * 0.6, **ring}))
    return parts


def _figures(values: DecisionValues, index: int, row: _Row, style: Style) -> list[Element]:
    """Draw a candidate's answer, its bar and its value."""
    size, colors = style.places["text"], style.colors
    answer, value = values.options[index]
    left, end = row.x + size * 1.9, row.x + row.width - 5
    room = _answer_room(row.width, style) / _SHARE
    bar = {"x": left + room * (_SHARE + 0.03), "y": row.middle - size * 0.35, "height": size * 0.7, "rx": 3}
    width, share = room * (0.92 - _SHARE), _share_of(values, index)
    color = colors["move" if index == 0 else "attackers" if index == values.played else "soft"]
    return [
        *draw_answer(answer, _Row(left, row.middle, room * _SHARE), style),
        element("rect", {**bar, "width": width, "fill": colors["line"]}),
        element("rect", {**bar, "width": width * share, "fill": color}),
        draw_text(signed(value), end, row.middle - size * 0.425, size * 0.85, colors["ink"], anchor=1,
                  weight=12 if index == 0 else 10),
    ]  # fmt: skip


def _share_of(values: DecisionValues, index: int) -> float:
    """Return how much of its bar a candidate fills."""
    numbers = [value for _, value in values.options]
    return 1 - (max(numbers) - numbers[index]) / max(SCALE, max(numbers) - min(numbers))


def signed(value: float) -> str:
    """Return a value with its sign and two decimal places, as the page writes it."""
    hundredths = int(abs(value) * 100 + 0.5)
    return f"{'−' if value < 0 else '+'}{hundredths // 100}.{hundredths % 100:02d}"


def draw_answer(answer: str | None, row: _Row, style: Style) -> list[Element]:
    """Draw a word, or cards as symbols and ranks: a suit's symbol once for cards of it that follow one another."""
    size, ink = style.places["text"], style.colors["ink"]
    if answer in _WORDS:
        return [draw_text(style.word(_WORDS[answer]), row.x, row.middle - size / 2, size, ink)]
    parts: list[Element] = []
    marks = _marks_of((answer or "").split(), style)
    x = row.x
    for number, (draw, across) in enumerate(marks):
        spare = 0 if number == len(marks) - 1 else text_width(_LEFT_OUT, size)
        if x + across + spare > row.x + row.width:
            return [*parts, draw_text(_LEFT_OUT, x, row.middle - size / 2, size, ink)]
        parts.append(draw(x, row.middle - size / 2))
        x += across
    return parts


def _marks_of(cards: list[str], style: Style) -> list["_Mark"]:
    """Return the signs of cards: a suit's symbol once for cards of it that follow one another."""
    suits = ["" if card in _JOKERS else card[0] for card in cards]
    firsts = [card[0] != before for card, before in zip(cards, ["", *suits], strict=False)]
    return [mark for card, is_first in zip(cards, firsts, strict=True) for mark in _marks(card, is_first, style)]


_Mark = tuple[Callable[[float, float], Element], float]
"""What draws a sign at a place, and how much room it takes."""


def _marks(card: str, is_first: bool, style: Style) -> list[_Mark]:
    """Return the signs of a card, or of a suit alone: the suit's symbol if it is the first, and the rank."""
    size = style.places["text"]
    if card == _LEFT_OUT:
        ink = style.colors["ink"]
        return [(lambda x, y: draw_text(_LEFT_OUT, x, y, size, ink), text_width(_LEFT_OUT, size) + size * _GAP)]
    if card in _JOKERS:
        shape, name = _JOKERS[card]
        return [(lambda x, y: draw_shape(shape, x, y, size, style.colors[name]), size * 1.15)]
    color = style.suit_color(card[0], on_card=False)
    symbol: _Mark = (lambda x, y: draw_shape(card[0], x, y, size, color), size * 1.1)
    rank = rank_text(card[1:])
    text: _Mark = (lambda x, y: draw_text(rank, x, y, size, color, weight=11), text_width(rank, size) + size * _GAP)
    return [symbol] * is_first + [text] * bool(rank)
