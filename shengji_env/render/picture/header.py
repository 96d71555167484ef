"""What has to be known about a round, in a line above the table: trumps, levels, points, how far it has come."""

from shengji_env.engine.state import NUM_TEAMS
from shengji_env.render.picture.card_faces import rank_text
from shengji_env.render.picture.elements import Element, element, rectangle
from shengji_env.render.picture.lettering import draw_shape, draw_text, shorten, text_width
from shengji_env.render.picture.sheet import Style
from shengji_env.render.view import View

_CELL_GAP = 6
_BAR = 9
"""Height of the bar of points."""


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


def team_seats(team: int) -> str:
    """Return the seats of a team."""
    return f"{team} · {team + NUM_TEAMS}"


def _cell(x: float, y: float, label: str, color: str, style: Style) -> list[Element]:
    width, height, size = style.places["cell"]
    return [
        rectangle(x, y, width, height, rx=10, fill=style.colors["panel"], stroke=style.colors["line"]),
        draw_text(shorten(label, size, width - 16), x + 10, y + 9, size, color),
    ]


def _trump(view: View, style: Style) -> list[Element]:
    x, y = style.places["trump"]
    height = style.places["cell"][1]
    colors = style.colors
    top, size = y + height - 26, 18
    parts = _cell(x, y, style.word("trump"), colors["soft"], style)
    if view.trump is None or view.level_rank is None:
        return [*parts, draw_text("–", x + 10, top, size, colors["soft"])]
    rank = rank_text(view.level_rank)
    if view.trump == "NT":
        sign, color, width = style.word("none"), colors["ink"], text_width(style.word("none"), size)
        parts.append(draw_text(sign, x + 10, top, size, color, weight=11))
    else:
        color, width = style.suit_color(view.trump, on_card=False), 22.0
        parts.append(draw_shape(view.trump, x + 8, top - 3, 24, color))
    return [*parts, draw_text(rank, x + 20 + width, top, size, color, weight=12)]


def _levels(view: View, style: Style) -> list[Element]:
    x, y = style.places["levels"]
    width, height, _ = style.places["cell"]
    size = style.places["text"]
    parts = []
    for team in range(NUM_TEAMS):
        left = x + (width + _CELL_GAP) * team
        color = role_color(team, view, style)
        seats = team_seats(team)
        label = style.word(role_of(team, view) or "team", seats)
        rank = rank_text(view.levels[team])
        parts += _cell(left, y, label, color, style)
        parts.append(draw_text(rank, left + 10, y + height - 26, 18, style.colors["ink"], weight=12))
        parts.append(
            draw_text(seats, left + width - 10, y + height - 26 + 18 - size, size, style.colors["soft"], anchor=1)
        )
    return parts


def _progress(view: View, style: Style) -> list[Element]:
    x, y, anchor, size = style.places["round"]
    texts = [style.word("round", view.match_round)]
    if view.phase in ("lead", "forced", "follow"):
        texts.append(style.word("trick", view.tricks + 1))
    colors = (style.colors["ink"], style.colors["soft"])
    return [
        draw_text(text, x, y + row * size * 2 - size * (len(texts) - 1) / 2, size, color, anchor=anchor)
        for row, (text, color) in enumerate(zip(texts, colors, strict=False))
    ]


def _points(view: View, style: Style) -> list[Element]:
    x, y, width = style.places["points"]
    size = style.places["text"]
    colors = style.colors
    share = min(1.0, max(0.0, view.attackers_points / view.threshold))
    shape = {"x": x, "y": y, "height": _BAR, "rx": _BAR / 2}
    top = y - size - 8
    return [
        draw_text(style.word("points"), x, top, size, colors["soft"]),
        draw_text(
            f"{view.attackers_points} / {view.threshold}", x + width, top, size, colors["ink"], anchor=1, weight=11
        ),
        element("rect", {**shape, "width": width, "fill": colors["line"]}),
        element("rect", {**shape, "width": width * share, "fill": colors["attackers"]}),
    ]
