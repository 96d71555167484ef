"""The picture of a table: four seats around the trick, and what has to be known about the round above them.

The viewer (or seat 0) sits at the bottom, and turns go counter-clockwise, as at a real table: the next seat is on the
right, the partner opposite, the previous seat on the left.
"""

from collections.abc import Mapping
from typing import Any

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.render.decision_values import DecisionValues
from shengji_env.render.picture.card_faces import BACK, card_symbol, draw_pile
from shengji_env.render.picture.card_rows import WIDTH
from shengji_env.render.picture.elements import Element, element, group, rectangle, to_svg, walk
from shengji_env.render.picture.header import draw_header, role_of, seat_name, team_names
from shengji_env.render.picture.lettering import (
    draw_shape,
    draw_text,
    letter_id,
    letter_symbol,
    shape_symbol,
    shorten,
    text_width,
)
from shengji_env.render.picture.seat_picture import draw_plate, draw_play, draw_seat_hand
from shengji_env.render.picture.sheet import Style, sheet
from shengji_env.render.picture.values_picture import draw_values, seen_values, starred, with_raised, without_past
from shengji_env.render.view import View

_PAD = 10
_HIDDEN_BACKS = 3
_ASIDE = 36
"""How far the points of a trick make way for a failed throw."""


def draw_table(view: View, style: Style, values: DecisionValues | None = None) -> Element:
    """Return the picture of a table, with what the candidates of its decision are worth if the viewer may see it."""
    width, height = style.places["size"]
    table = group(*table_parts(view, style, values))
    frame = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {height}", "role": "img"}
    size: dict[str, str | float] = {"width": width, "height": height}
    title, symbols = element("title", {}, style.word("title")), element("defs", {}, *symbols_in(table, style))
    return element("svg", {**frame, **size}, title, symbols, table)


def table_parts(view: View, style: Style, values: DecisionValues | None = None) -> list[Element]:
    """Return everything on the picture of a table, without the symbols that it uses."""
    values = seen_values(values, view)
    view = with_raised(view, values)
    style = style.for_view(view)
    width, height = style.places["size"]
    colors = style.colors
    x, y, felt_width, felt_height = style.places["felt"]
    return [
        element("rect", {"width": width, "height": height, "fill": colors["page"]}),
        rectangle(x, y, felt_width, felt_height, rx=18, fill=colors["felt"], stroke=colors["line"]),
        *draw_header(view, style),
        _last_trick(view, style),
        _kitty(view, style),
        _mark(view, style),
        *_seats(without_past(view, values), style, values),
        _pot(view, style),
        *([draw_values(values, view, style)] if values else []),
        _result(view, style),
    ]


def table_svg(view: View, style: Style | None = None, values: DecisionValues | None = None) -> str:
    """Return the picture of a table as the text of an SVG file.

    Args:
        view: what is to be seen.
        style: how it looks.
        values: what the candidates of the decision are worth; drawn if the viewer is the seat that decides, or sees all
            hands.
    """
    return to_svg(draw_table(view, style or Style(), values))


def svg_in_cell(svg: str) -> str:
    """Return a picture as HTML for a notebook, as wide as its cell at most."""
    return svg.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)


def _seats(view: View, style: Style, values: DecisionValues | None) -> list[Element]:
    bottom = _bottom(view)
    parts = []
    for place in range(NUM_SEATS):
        seat, spot = (bottom + place) % NUM_SEATS, style.places["seats"][place]
        hand = draw_seat_hand(seat, spot, view, style)
        parts += [
            starred(hand, values, view, style) if values and seat == values.seat else hand,
            draw_play(seat, place, spot, view, style),
            draw_plate(seat, spot, view, style),
        ]
    return parts


def _bottom(view: View) -> int:
    """Return the seat that is drawn lowest."""
    return 0 if view.viewer is None or view.viewer < 0 else view.viewer


def _mark(view: View, style: Style) -> Element:
    """Draw the trump suit on the table itself."""
    x, y = style.places["center"]
    size = style.places["mark"]
    if view.trump is None or view.trump == "NT" or not size:
        return group()
    return draw_shape(view.trump, x - size / 2, y - size / 2, size, style.colors["mark"])


def _pot(view: View, style: Style) -> Element:
    """Draw the points in the trick, where neither cards nor a failed throw lie."""
    if not view.trick.points:
        return group()
    x, y = style.places["center"]
    size = style.places["text"] * 1.2
    if view.trick.thrown and view.trick.leader is not None and style.places["thrown"]:
        y += {0: -_ASIDE, 2: _ASIDE}.get((view.trick.leader - _bottom(view)) % NUM_SEATS, 0)
    text = f"+{view.trick.points}"
    return draw_text(text, x, y - size / 2, size, style.colors["attackers"], anchor=0.5, weight=11)


def _box(name: str, label: str, style: Style) -> list[Element]:
    x, y, width, height = style.places[name]
    size = style.places["text"] * 0.8
    return [
        rectangle(x, y, width, height, rx=12, fill=style.colors["panel"], stroke=style.colors["line"]),
        draw_text(shorten(label, size, width - 2 * _PAD), x + _PAD, y + size, size, style.colors["soft"]),
    ]


def _last_trick(view: View, style: Style) -> Element:
    """Draw the last trick, its plays in order."""
    trick = view.last_trick
    if trick is None or trick.leader is None:
        return group()
    x, y, width, height = style.places["last"]
    size = style.places["text"] * 0.8
    room = (width - _PAD) / NUM_SEATS
    label = style.word("last") + (f" · +{trick.points}" if trick.points else "")
    parts = _box("last", label, style)
    low = y + height - 2 * size
    top = y + 2.6 * size
    for turn in range(NUM_SEATS):
        seat = (trick.leader + turn) % NUM_SEATS
        middle = x + _PAD / 2 + room * (turn + 0.5)
        won = seat == trick.winning
        color = style.colors["ink" if won else "soft"]
        name = shorten(seat_name(seat, view, style), size, room - 6)
        box = {"x": middle, "y": top, "room": room - 6, "height": low - top - 4, "width": style.places["smallCard"]}
        parts.append(draw_pile(trick.plays[str(seat)].split(), box, style))
        parts.append(draw_text(name, middle, low, size, color, anchor=0.5, weight=13 if won else 9))
    return group(*parts)


def _kitty(view: View, style: Style) -> Element:
    """Draw kitty or buried cards, as far as they may be seen; none while somebody holds them."""
    x, y, width, height = style.places["kitty"]
    size = style.places["text"] * 0.8
    cards = view.buried or view.kitty or view.turned
    top = y + 2.6 * size
    box = {"x": x + _PAD, "y": top, "room": width - 2 * _PAD, "height": y + height - 6 - top}
    is_held = view.phase == "bury"
    texts = cards.split() if cards else [] if is_held else [BACK] * _HIDDEN_BACKS
    pile = draw_pile(texts, {**box, "width": style.places["smallCard"]}, style, align=0)
    return group(*_box("kitty", _kitty_label(view, style), style), pile)


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
    title, ink = _result_title(view, result, style), colors[winner or "soft"]
    middle = x + width / 2
    big = size * 1.7 if text_width(title, size * 1.7) < width - 40 else size
    parts = [
        rectangle(x, y, width, height, rx=16, stroke_width=2, fill=colors["panel"], stroke=ink),
        draw_text(title, middle, y + height * 0.2, big, ink, anchor=0.5, weight=11),
    ]
    for row, fact in enumerate(_result_facts(view, result, style)):
        text = shorten(fact, size, width - 24)
        parts.append(draw_text(text, middle, y + height * (0.47 + 0.17 * row), size, colors["ink"], anchor=0.5))
    return group(*parts)


def _result_title(view: View, result: Mapping[str, Any], style: Style) -> str:
    """Return who has won, and what that moves: for a seat, whether its own side has."""
    winner = result["winner"]
    title = style.word("draw") if winner is None else style.word("won", style.word(winner))
    if winner is not None and view.viewer is not None and view.viewer >= 0:
        title = style.word("youWin" if role_of(view.viewer, view) == winner else "othersWin")
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
        winners = [] if team is None else team_names(team, view, style)
        facts.append(style.word("matchWon", " · ".join(winners)) if winners else style.word("matchTie"))
    elif result["next_declarer"] is not None:
        facts.append(style.word("next", seat_name(result["next_declarer"], view, style)))
    return facts


def symbols_in(root: Element, style: Style) -> list[Element]:
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
