"""What has to be known about a round, in a line above the table: trumps, levels, points, how far it has come."""

from shengji_env.engine.state import NUM_TEAMS
from shengji_env.render.picture.card_faces import draw_pile, rank_text
from shengji_env.render.picture.card_rows import CORNER, LEAST
from shengji_env.render.picture.elements import Element, element, rectangle
from shengji_env.render.picture.lettering import draw_shape, draw_text, shorten, text_width
from shengji_env.render.picture.sheet import Style
from shengji_env.render.view import View

OPENING = ("bid", "name", "rebel", "bury")
"""Phases before the first lead, in which the standing bid lies on the table."""
_CELL_GAP = 6
_BAR = 9
"""Height of the bar of points."""
_FLAT = 40
"""Cells lower than this have one line."""


def draw_header(view: View, style: Style) -> list[Element]:
    """Draw the line above the table."""
    return [*_trump(view, style), *_levels(view, style), *_progress(view, style), *_points(view, style)]


def role_of(seat: int, view: View) -> str | None:
    """Return the side of a seat, declarers or attackers; None while nobody declares."""
    if view.declarer is None:
        return None
    return "declarers" if seat % NUM_TEAMS == view.declarer % NUM_TEAMS else "attackers"


def role_color(seat: int, view: View, style: Style) -> str:
    """Return the colour of a seat's side."""
    return style.colors[role_of(seat, view) or "soft"]


def seat_name(seat: int, view: View, style: Style) -> str:
    """Return what a seat is called; seats of one name are told apart by their numbers."""
    if not view.names:
        return style.word("seat", seat)
    name = view.names[seat]
    return name if view.names.count(name) == 1 else f"{name} {seat}"


def team_names(team: int, view: View, style: Style) -> list[str]:
    """Return what the seats of a team are called."""
    return [seat_name(seat, view, style) for seat in (team, team + NUM_TEAMS)]


def _cell(box: tuple[float, float, float], label: str, color: str, style: Style) -> tuple[list[Element], float, float]:
    """Draw a cell with its label; return it, and the left end and the size of what it says."""
    x, y, width = box
    height, size = style.places["cell"]
    frame = rectangle(x, y, width, height, rx=10, fill=style.colors["panel"], stroke=style.colors["line"])
    if height >= _FLAT:
        return [frame, draw_text(shorten(label, size, width - 16), x + 10, y + 9, size, color)], x + 10, 18
    text = draw_text(label, x + 8, y + (height - size) / 2, size, color)
    return [frame, text], x + 16 + text_width(label, size), 14


def _value_top(y: float, size: float, style: Style) -> float:
    height = style.places["cell"][0]
    return float(y + (height - 26 if height >= _FLAT else (height - size) / 2))


def _trump(view: View, style: Style) -> list[Element]:
    x, y, width = style.places["trump"]
    colors = style.colors
    parts, left, size = _cell((x, y, width), style.word("trump"), colors["soft"], style)
    top = _value_top(y, size, style)
    if view.trump is None or view.level_rank is None:
        return [*parts, draw_text("–", left, top, size, colors["soft"])]
    rank = rank_text(view.level_rank)
    if view.trump == "NT":
        sign, color, across = style.word("none"), colors["ink"], text_width(style.word("none"), size)
        parts.append(draw_text(sign, left, top, size, color, weight=11))
    else:
        color, across = style.suit_color(view.trump, on_card=False), size * 1.2
        parts.append(draw_shape(view.trump, left - 2, top - size / 6, size * 4 / 3, color))
    end = left + size / 2 + across
    return [
        *parts,
        draw_text(rank, end, top, size, color, weight=12),
        *_bid(end + text_width(rank, size) + 8, view, style),
    ]


def _bid(left: float, view: View, style: Style) -> list[Element]:
    """Draw the bid that made the trumps, once it no longer lies on the table."""
    if not view.bids or view.phase in OPENING:
        return []
    x, y, width = style.places["trump"]
    height, size = style.places["cell"]
    bid = view.bids[-1]
    cards = bid.cards.split()
    right, high = x + width - 6, height - 6
    card = min(0.64 * high, (right - left) / 2)
    if card < LEAST:
        return []
    room = min(right - left, card * (1 + CORNER * (len(cards) - 1)))
    pile = {"x": right, "y": y + 3, "room": room, "height": high, "width": card}
    parts = [draw_pile(cards, pile, style, align=1)]
    if height >= _FLAT:
        name = seat_name(bid.seat, view, style)
        label = style.word("shown", name)
        start = x + 16 + text_width(style.word("trump"), size)
        spare = right - room - 4 - start
        text = label if text_width(label, size) <= spare else shorten(name, size, spare)
        parts.append(draw_text(text, start, y + 9, size, style.colors["soft"]))
    return parts


def _levels(view: View, style: Style) -> list[Element]:
    x, y, width = style.places["levels"]
    height, size = style.places["cell"]
    parts = []
    for team in range(NUM_TEAMS):
        left = x + (width + _CELL_GAP) * team
        color = role_color(team, view, style)
        cell, start, big = _cell((left, y, width), style.word(role_of(team, view) or "team"), color, style)
        rank = rank_text(view.levels[team])
        cell.append(draw_text(rank, start, _value_top(y, big, style), big, style.colors["ink"], weight=12))
        used = max(start + text_width(rank, big), start + text_width(style.word("declarers"), size) * (height >= _FLAT))
        names = [shorten(name, size, left + width - 18 - used) for name in team_names(team, view, style)]
        for row, text in enumerate(names if all(names) else []):
            low = y + height * (0.28 + 0.46 * row) - size / 2
            cell.append(draw_text(text, left + width - 8, low, size, style.colors["soft"], anchor=1))
        parts += cell
    return parts


def _progress(view: View, style: Style) -> list[Element]:
    x, y, anchor, size, room = style.places["round"]
    texts = [style.word("round", view.match_round)]
    if view.phase in ("lead", "forced", "follow"):
        texts.append(style.word("trick", view.tricks + 1))
    if view.phase == "bid" and view.trump is None:
        texts.append(style.word("drawn", view.drawn, view.to_draw))
    text = " · ".join(texts)
    size = min(size, size * room / text_width(text, size))
    return [draw_text(text, x, y - size / 2, size, style.colors["ink"], anchor=anchor)]


def _points(view: View, style: Style) -> list[Element]:
    x, y, width = style.places["points"]
    size = style.places["text"]
    colors = style.colors
    share = min(1.0, max(0.0, view.attackers_points / view.threshold))
    bar = min(_BAR, size * 0.7)
    shape = {"x": x, "y": y, "height": bar, "rx": bar / 2}
    top = y - size - size * 0.6
    figures = f"{view.attackers_points} / {view.threshold}"
    label = shorten(style.word("points"), size, width - text_width(figures, size) - size)
    return [
        draw_text(label, x, top, size, colors["soft"]),
        draw_text(figures, x + width, top, size, colors["ink"], anchor=1, weight=11),
        element("rect", {**shape, "width": width, "fill": colors["line"]}),
        element("rect", {**shape, "width": width * share, "fill": colors["attackers"]}),
    ]
