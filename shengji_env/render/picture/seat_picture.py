"""One seat of the picture: its name, its hand, and what it has put on the table."""

from typing import Any

from shengji_env.render.picture.card_faces import BACK, HEIGHT, WIDTH, draw_fan, draw_hand, fan_width
from shengji_env.render.picture.elements import Element, element, group, rectangle
from shengji_env.render.picture.header import role_color
from shengji_env.render.picture.lettering import draw_shape, draw_text, shorten, text_width
from shengji_env.render.picture.sheet import Style
from shengji_env.render.view import View

_PLATE = 2.4
"""Height of a name plate, in heights of its text."""
_PLATE_MARGIN = 6
"""Between a plate and the edge of the felt, at least."""
_MAX_BACKS = 6
_PLAY_STEP = 0.38
"""Distance of the cards of a play, in widths of a card."""
_PAST = 0.55
"""How much the last trick on the table hides what is behind it."""
_OPENING = ("bid", "name", "rebel", "bury")


def seat_name(seat: int, view: View, style: Style) -> str:
    """Return what a seat is called; seats of one name are told apart by their numbers."""
    if not view.names:
        return style.word("seat", seat)
    name = view.names[seat]
    return name if view.names.count(name) == 1 else f"{name} {seat}"


def draw_plate(seat: int, spot: dict[str, Any], view: View, style: Style) -> Element:
    """Draw a seat's name, with the colour of its side, a crown for the declarer, and what it has to do."""
    x, y = spot["plate"]
    size = style.places["text"]
    is_mover = view.seat == seat
    name = shorten(seat_name(seat, view, style), size, size * 11)
    is_overbid = view.phase == "bid" and view.trump is not None
    task = style.word("overbid" if is_overbid else view.phase) if is_mover else ""
    width = text_width(name, size) + size * 3.4 + (text_width(task, size) + size * 1.6 if task else 0)
    height = size * _PLATE
    felt_left, _, felt_width, _ = style.places["felt"]
    most = felt_left + felt_width - _PLATE_MARGIN - width
    left, top = max(felt_left + _PLATE_MARGIN, min(x - width / 2, most)), y - height / 2
    colors = style.colors
    ink = colors["panel"] if is_mover else colors["ink"]
    fill, color = colors["move" if is_mover else "plate"], role_color(seat, view, style)
    parts = [
        rectangle(left, top, width, height, rx=height / 2, fill=fill, stroke=color, stroke_width=2),
        draw_text(name, left + size * 2.5, y - size / 2, size, ink),
    ]
    if seat == view.declarer:
        parts.append(draw_shape("crown", left + size * 0.7, y - size * 0.7, size * 1.4, ink if is_mover else color))
    else:
        parts.append(
            element("circle", {"cx": left + size * 1.4, "cy": y, "r": size * 0.4, "fill": ink if is_mover else color})
        )
    if task:
        parts.append(draw_text(task, left + width - size, y - size / 2, size, ink, anchor=1, weight=11))
    return group(*parts)


def draw_seat_hand(seat: int, spot: dict[str, Any], view: View, style: Style) -> Element:
    """Draw a seat's hand, or its back, with the cards that everybody knows to be in it."""
    hand = view.hands[str(seat)]
    if hand.cards is not None:
        taken = view.taken if view.seat == seat else ""
        return draw_hand(hand.cards, taken, spot, style)
    if not hand.size:
        return group()
    x, y, room, height = spot["hand"]
    width = min(spot["card"], 50)
    size = style.places["text"]
    backs = min(hand.size, _MAX_BACKS)
    known = hand.known.split()
    step = width * 0.22
    count = str(hand.size)
    known_width = fan_width(len(known), width, step * 2) + size if known else 0
    across = fan_width(backs, width, step) + size * 0.8 + text_width(count, size) + known_width
    left = x + max(0, room - across) / 2
    top = y + min(6, (height - width * HEIGHT / WIDTH) / 2)
    at = left + fan_width(backs, width, step) + size * 0.8
    fan = {"y": top, "room": room, "width": width}
    parts = [
        draw_fan([BACK] * backs, {**fan, "x": left, "step": step}, style, align=0),
        draw_text(count, at, top + width * 0.7 - size / 2, size, style.colors["ink"], weight=11),
    ]
    if known:
        room_left = max(width, x + room - (at + text_width(count, size) + size))
        spread = {**fan, "x": at + text_width(count, size) + size, "room": room_left, "step": step * 2}
        parts.append(draw_fan(known, spread, style, align=0))
    return group(*parts)


def draw_play(seat: int, place: int, spot: dict[str, Any], view: View, style: Style) -> Element:
    """Draw what a seat has played to the trick, or the standing bid; the play that is winning is framed.

    Until the next lead, the last trick stays on the table, faded.

    Args:
        seat: the seat.
        place: where it sits, counted from the viewer in turn order.
        spot: its place in the layout.
        view: what is to be seen.
        style: how the picture looks.
    """
    x, y, room = spot["play"]
    width = style.places["playCard"]
    height = width * HEIGHT / WIDTH
    past = view.last_trick if view.phase == "lead" else None
    trick = past or view.trick
    cards = trick.plays[str(seat)].split()
    if not cards and view.bids and view.phase in _OPENING and view.bids[-1].seat == seat:
        cards = view.bids[-1].cards.split()
    if not cards:
        return group()
    step = min(width * _PLAY_STEP, (room - width) / max(1, len(cards) - 1))
    parts = []
    if trick.winning == seat:
        across = fan_width(len(cards), width, step)
        left, top = x - across / 2 - 6, y - height / 2 - 6
        parts.append(rectangle(left, top, across + 12, height + 12, rx=12, fill=style.colors["win"]))
    parts.append(draw_fan(cards, {"x": x, "y": y - height / 2, "room": room, "width": width, "step": step}, style))
    if view.trick.thrown and view.trick.leader == seat:
        parts.append(_failed_throw(place, spot, view, style))
    return group(*parts, opacity=_PAST) if past else group(*parts)


def _failed_throw(place: int, spot: dict[str, Any], view: View, style: Style) -> Element:
    """Draw the throw that failed: above the play of the lowest seat, below the others."""
    x, y, room = spot["play"]
    width, size = style.places["smallCard"], style.places["text"] * 0.8
    height, played = width * HEIGHT / WIDTH, style.places["playCard"] * HEIGHT / WIDTH
    top = y - played / 2 - height - size - 22 if place == 0 else y + played / 2 + 10
    fan = {"x": x, "y": top, "room": room, "width": width, "step": width * _PLAY_STEP}
    label = draw_text(style.word("failed"), x, top + height + 6, size, style.colors["signal"], anchor=0.5)
    is_on_table = view.phase == "forced"
    return group(label) if is_on_table else group(draw_fan(view.trick.thrown.split(), fan, style), label)
