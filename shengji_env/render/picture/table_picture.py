"""The picture of a table: four seats around the trick, and what has to be known about the round above them.

The viewer (or seat 0) sits at the bottom, and turns go counter-clockwise, as at a real table: the next seat is on the
right, the partner opposite, the previous seat on the left.
"""

from collections.abc import Mapping
from typing import Any

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.render.picture.card_faces import BACK, HEIGHT, WIDTH, card_symbol, draw_fan
from shengji_env.render.picture.elements import Element, element, group, rectangle, to_svg, walk
from shengji_env.render.picture.header import draw_header, team_seats
from shengji_env.render.picture.lettering import (
    draw_shape,
    draw_text,
    letter_id,
    letter_symbol,
    shape_symbol,
    shorten,
    text_width,
)
from shengji_env.render.picture.seat_picture import draw_plate, draw_play, draw_seat_hand, seat_name
from shengji_env.render.picture.sheet import Style, sheet
from shengji_env.render.view import View

_PAD = 10
_HIDDEN_BACKS = 3
_TALL = 100
"""Boxes from this height on have room for the bid too."""


def draw_table(view: View, style: Style) -> Element:
    """Return the picture of a table."""
    width, height = style.places["size"]
    colors = style.colors
    x, y, felt_width, felt_height = style.places["felt"]
    parts = [
        element("rect", {"width": width, "height": height, "fill": colors["page"]}),
        rectangle(x, y, felt_width, felt_height, rx=18, fill=colors["felt"], stroke=colors["line"]),
        *draw_header(view, style),
        _last_trick(view, style),
        _kitty(view, style),
        _mark(view, style),
        *_seats(view, style),
        _center(view, style),
        _result(view, style),
    ]
    table = group(*parts)
    frame = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}", "role": "img"}
    size: dict[str, str | float] = {"width": width, "height": height}
    title, symbols = element("title", {}, style.word("title")), element("defs", {}, *_symbols(table, style))
    return element("svg", {**frame, **size}, title, symbols, table)


def table_svg(view: View, style: Style | None = None) -> str:
    """Return the picture of a table as the text of an SVG file."""
    return to_svg(draw_table(view, style or Style()))


def _seats(view: View, style: Style) -> list[Element]:
    bottom = 0 if view.viewer is None or view.viewer < 0 else view.viewer
    parts = []
    for place in range(NUM_SEATS):
        seat, spot = (bottom + place) % NUM_SEATS, style.places["seats"][place]
        parts += [
            draw_seat_hand(seat, spot, view, style),
            draw_play(seat, place, spot, view, style),
            draw_plate(seat, spot, view, style),
        ]
    return parts


def _mark(view: View, style: Style) -> Element:
    """Draw the trump suit on the table itself."""
    x, y = style.places["center"]
    size = style.places["mark"]
    if view.trump is None or view.trump == "NT":
        return group()
    return draw_shape(view.trump, x - size / 2, y - size / 2, size, style.colors["mark"])


def _center(view: View, style: Style) -> Element:
    """Draw how many cards are drawn, or the points in the trick."""
    x, y = style.places["center"]
    size = style.places["text"] * 1.2
    if view.phase == "bid" and view.trump is None:
        text, color = style.word("drawn", view.drawn, view.to_draw), "soft"
    elif view.trick.points:
        text, color = f"+{view.trick.points}", "attackers"
    else:
        return group()
    return draw_text(text, x, y - size / 2, size, style.colors[color], anchor=0.5, weight=11)


def _box(name: str, label: str, style: Style) -> list[Element]:
    x, y, width, height = style.places[name]
    size = style.places["text"] * 0.8
    return [
        rectangle(x, y, width, height, rx=12, fill=style.colors["panel"], stroke=style.colors["line"]),
        draw_text(shorten(label, size, width - 2 * _PAD), x + _PAD, y + _PAD, size, style.colors["soft"]),
    ]


def _last_trick(view: View, style: Style) -> Element:
    """Draw the last trick, its plays in order."""
    trick = view.last_trick
    if trick is None or trick.leader is None:
        return group()
    x, y, width, height = style.places["last"]
    card, size = style.places["smallCard"], style.places["text"] * 0.8
    room = (width - 2 * _PAD) / NUM_SEATS
    label = style.word("last") + (f" · +{trick.points}" if trick.points else "")
    parts = _box("last", label, style)
    top = y + height - _PAD - size - 4 - card * HEIGHT / WIDTH
    names = _short_names(view, room - 4, size * 0.85, style) if height > _TALL else [*map(str, range(NUM_SEATS))]
    for turn in range(NUM_SEATS):
        seat = (trick.leader + turn) % NUM_SEATS
        left = x + _PAD + room * turn
        won = seat == trick.winning
        fan = {"x": left + room / 2, "y": top, "room": room - 4, "width": card, "step": card * 0.45}
        parts.append(draw_fan(trick.plays[str(seat)].split(), fan, style))
        low = top + card * HEIGHT / WIDTH + 5
        color = style.colors["win" if won else "soft"]
        parts.append(
            draw_text(names[seat], left + room / 2, low, size * 0.85, color, anchor=0.5, weight=12 if won else 9)
        )
    return group(*parts)


def _short_names(view: View, room: float, size: float, style: Style) -> list[str]:
    """Return the names of the seats if they all fit, otherwise their numbers."""
    names = [seat_name(seat, view, style) for seat in range(NUM_SEATS)]
    if all(text_width(name, size) <= room for name in names):
        return names
    return [style.word("seat", seat) for seat in range(NUM_SEATS)]


def _kitty(view: View, style: Style) -> Element:
    """Draw kitty or buried cards, as far as they may be seen, and the standing bid."""
    x, y, width, height = style.places["kitty"]
    card, size = style.places["smallCard"], style.places["text"] * 0.8
    cards = view.buried or view.kitty or view.turned
    parts = _box("kitty", _kitty_label(view, style), style)
    texts = cards.split() if cards else [BACK] * _HIDDEN_BACKS
    fan = {"x": x + _PAD, "y": y + 2 * _PAD + size - 2, "room": width - 2 * _PAD, "width": card, "step": card * 0.75}
    parts.append(draw_fan(texts, fan, style, align=0))
    if view.bids and height > _TALL:
        bid = view.bids[-1]
        text = style.word("shown", seat_name(bid.seat, view, style))
        low = y + height - _PAD - card * 0.6
        parts.append(draw_text(shorten(text, size, width * 0.6), x + _PAD, low, size, style.colors["soft"]))
        spread = {
            "x": x + width - _PAD,
            "y": low - card * 0.45,
            "room": width * 0.3,
            "width": card * 0.75,
            "step": card * 0.4,
        }
        parts.append(draw_fan(bid.cards.split(), spread, style, align=1))
    return group(*parts)


def _kitty_label(view: View, style: Style) -> str:
    if view.turned and not view.buried:
        return style.word("turned")
    is_buried = view.phase not in ("bid", "name", "rebel", "bury") or (view.phase == "bid" and bool(view.takers))
    points = f" · {view.buried_points}" if view.buried_points else ""
    return style.word("buried" if is_buried else "kitty") + points


def _result(view: View, style: Style) -> Element:
    """Draw who has won the round, where the lowest hand was."""
    result = view.result
    if result is None:
        return group()
    x, y, width, height = style.places["result"]
    size = style.places["text"]
    winner = result["winner"]
    colors = style.colors
    title, ink = _result_title(result, style), colors[winner or "soft"]
    middle = x + width / 2
    big = size * 1.7 if text_width(title, size * 1.7) < width - 40 else size
    parts = [
        rectangle(x, y, width, height, rx=16, stroke_width=2, fill=colors["panel"], stroke=ink),
        draw_text(title, middle, y + height * 0.2, big, ink, anchor=0.5, weight=11),
    ]
    for row, fact in enumerate(_result_facts(view, result, style)):
        parts.append(draw_text(fact, middle, y + height * (0.47 + 0.17 * row), size, colors["ink"], anchor=0.5))
    return group(*parts)


def _result_title(result: Mapping[str, Any], style: Style) -> str:
    winner = result["winner"]
    title = style.word("draw") if winner is None else style.word("won", style.word(winner))
    moved = [style.word("rise", result["levels"])] if result["levels"] else []
    if result["levels_lost"]:
        moved.append(style.word("fall", result["levels_lost"]))
    return "  ".join([title, *moved])


def _result_facts(view: View, result: Mapping[str, Any], style: Style) -> list[str]:
    facts = [f"{style.word('points')} {view.attackers_points} / {view.threshold}"]
    if result["kitty_points"] and result["kitty_multiplier"]:
        facts.append(style.word("kittyPoints", result["kitty_points"], result["kitty_multiplier"]))
    team = result["match_winner"]
    if result["match_over"]:
        facts.append(style.word("matchTie") if team is None else style.word("matchWon", team_seats(team)))
    elif result["next_declarer"] is not None:
        facts.append(style.word("next", seat_name(result["next_declarer"], view, style)))
    return facts


def _symbols(root: Element, style: Style) -> list[Element]:
    """Return the symbols that a picture uses, and those that they use."""
    known = _known_symbols()
    found: dict[str, Element] = {}
    waiting = [root]
    while waiting:
        for part in walk(waiting.pop(0)):
            name = part.attributes.get("href", "#")[1:]
            if name and name not in found:
                found[name] = known[name] if name in known else _card(name, style)
                waiting.append(found[name])
    return list(found.values())


def _known_symbols() -> dict[str, Element]:
    glyphs = sheet("glyphs")
    letters = {letter_id(letter): letter_symbol(letter) for letter in glyphs["letters"]}
    return {**letters, **{f"sj-{name}": shape_symbol(name) for name in glyphs["shapes"]}}


def _card(name: str, style: Style) -> Element:
    """Return the symbol of a card's id."""
    card, *small = name.split("-")[2:]
    return card_symbol(card, 0 if small else WIDTH, style)
