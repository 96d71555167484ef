"""One seat of the picture: its name, its hand, and what it has put on the table."""

from typing import Any

from shengji_env.render.picture.card_faces import (
    BACK,
    ShownHand,
    draw_fan,
    draw_hand,
    draw_pile,
    fan_width,
    pile_of,
)
from shengji_env.render.picture.card_rows import HEIGHT, WIDTH
from shengji_env.render.picture.elements import Element, element, group, rectangle
from shengji_env.render.picture.header import OPENING, role_color, seat_name
from shengji_env.render.picture.lettering import draw_shape, draw_text, least_width, shorten, text_width
from shengji_env.render.picture.sheet import Style
from shengji_env.render.view import Trick, View

_PLATE = 2.4
"""Height of a name plate, in heights of its text."""
_PLATE_MARGIN = 6
"""Between a plate and the edge of the felt, at least."""
_MAX_BACKS = 6
_FRAME = 6
"""How far the frame of the play that is winning stands out."""
_PAST = 0.55
"""How much the last trick on the table hides what is behind it."""


def draw_plate(seat: int, spot: dict[str, Any], view: View, style: Style) -> Element:
    """Draw a seat's name, with the colour of its side, a crown for the declarer, and what it has to do or has done.

    What it has to do gives way to its name.
    """
    x, y, room = spot["plate"]
    size = style.places["text"]
    is_mover = view.seat == seat
    whole, task, count = seat_name(seat, view, style), _task(seat, view, style), _count(seat, spot, view)
    least = least_width(whole, size)
    beside = size * 3.4 + (text_width(count, size) + size * 1.3 if count else 0)
    across = text_width(task, size) + size * 1.3 if task else 0
    if room - beside - across < least:
        task, across = "", 0
    beside += across
    name = shorten(whole, size, max(least, min(size * 11, room - beside)))
    width = text_width(name, size) + beside
    height = size * _PLATE
    felt_left, _, felt_width, _ = style.places["felt"]
    most = felt_left + felt_width - _PLATE_MARGIN - width
    left, top = max(felt_left + _PLATE_MARGIN, min(x - width / 2, most)), y - height / 2
    colors = style.colors
    ink = colors["panel"] if is_mover else colors["ink"]
    fill, color = colors["move" if is_mover else "plate"], role_color(seat, view, style)
    sign = ink if is_mover else color
    parts = [
        rectangle(left, top, width, height, rx=height / 2, fill=fill, stroke=color, stroke_width=2),
        draw_text(name, left + size * 2.5, y - size / 2, size, ink),
    ]
    if seat == view.declarer:
        parts.append(draw_shape("crown", left + size * 0.7, y - size * 0.7, size * 1.4, sign))
    else:
        parts.append(element("circle", {"cx": left + size * 1.4, "cy": y, "r": size * 0.4, "fill": sign}))
    end = left + width - size
    if task:
        failed = bool(view.trick.thrown) and view.trick.leader == seat and not is_mover
        told = ink if is_mover else colors["signal" if failed else "move"]
        parts.append(draw_text(task, end, y - size / 2, size, told, anchor=1, weight=11))
        end -= text_width(task, size) + size * 1.3
    if count:
        parts.append(draw_text(count, end, y - size / 2, size, ink, anchor=1, weight=11))
    return group(*parts, data_plate=str(seat))


def _task(seat: int, view: View, style: Style) -> str:
    """Return what a seat has to do, or that it has led the trick on the table."""
    if view.seat == seat:
        is_overbid = view.phase == "bid" and view.trump is not None
        return style.word("overbid" if is_overbid else view.phase)
    trick, _ = _shown_trick(view)
    if trick.leader != seat or not trick.plays[str(seat)]:
        return ""
    return style.word("failed" if view.trick.thrown else "led")


def _count(seat: int, spot: dict[str, Any], view: View) -> str:
    """Return the number of a hidden hand's cards, if its plate tells it."""
    hand = view.hands[str(seat)]
    return str(hand.size) if spot["lines"] == "count" and hand.cards is None and hand.size else ""


def draw_seat_hand(seat: int, spot: dict[str, Any], view: View, style: Style) -> Element:
    """Draw a seat's hand, or its back, with the cards that everybody knows to be in it."""
    hand = view.hands[str(seat)]
    if hand.cards is not None:
        return draw_hand(ShownHand(hand.cards, view.trump, view.taken if view.seat == seat else ""), spot, style)
    known = _known(seat, view)
    if not hand.size:
        return group()
    x, y, room, height = spot["hand"]
    if spot["lines"] == "count":
        box = {"x": x + room / 2, "y": y, "room": room, "height": height, "width": spot["card"]}
        return draw_pile(known, box, style) if known else group()
    width = min(spot["card"], 50)
    size = style.places["text"]
    backs = min(hand.size, _MAX_BACKS)
    step = width * 0.22
    count = str(hand.size)
    told = fan_width(backs, width, step) + size * 0.8 + text_width(count, size)
    known_room = min(fan_width(len(known), width, width * 0.44), room - told - size)
    left = x + max(0, room - told - (known_room + size if known else 0)) / 2
    top = y + min(6, (height - width * HEIGHT / WIDTH) / 2)
    parts = [
        draw_fan([BACK] * backs, {"x": left, "y": top, "room": room, "width": width, "step": step}, style, align=0),
        draw_text(count, left + told, top + width * 0.7 - size / 2, size, style.colors["ink"], anchor=1, weight=11),
    ]
    if known:
        tall = width * HEIGHT / WIDTH
        box = {"x": left + told + size, "y": top, "room": known_room, "height": tall, "width": width}
        parts.append(draw_pile(known, box, style, align=0))
    return group(*parts)


def _known(seat: int, view: View) -> list[str]:
    """Return the cards that everybody knows a hand to hold, without a bid that lies on the table."""
    known = view.hands[str(seat)].known.split()
    if view.phase in OPENING and view.bids and view.bids[-1].seat == seat:
        for card in view.bids[-1].cards.split():
            if card in known:
                known.remove(card)
    return known


def _shown_trick(view: View) -> tuple[Trick, bool]:
    """Return the trick on the table, and whether it is the last one: it stays, faded, until the next lead."""
    if view.phase == "lead" and view.last_trick:
        return view.last_trick, True
    return view.trick, False


def draw_play(seat: int, place: int, spot: dict[str, Any], view: View, style: Style) -> Element:
    """Draw what a seat has played to the trick, or the standing bid; the play that is winning is framed.

    Args:
        seat: the seat.
        place: where it sits, counted from the viewer in turn order.
        spot: its place in the layout.
        view: what is to be seen.
        style: how the picture looks.
    """
    x, y, room, width = spot["play"]
    trick, is_past = _shown_trick(view)
    cards = trick.plays[str(seat)].split()
    if not cards and view.bids and view.phase in OPENING and view.bids[-1].seat == seat:
        cards = view.bids[-1].cards.split()
    if not cards:
        return group()
    tall = width * HEIGHT / WIDTH
    box = {"x": x, "y": y - tall / 2, "room": room, "height": tall, "width": width}
    parts = []
    if trick.winning == seat:
        pile = pile_of(cards, box)
        edge = min(_FRAME, width / 9)
        across, high = max(map(pile.width, pile.rows)) + 2 * edge, pile.height + 2 * edge
        parts.append(rectangle(x - across / 2, y - high / 2, across, high, rx=12, fill=style.colors["win"]))
    parts.append(draw_pile(cards, box, style))
    is_failed = view.trick.thrown and view.trick.leader == seat
    if is_failed and view.phase != "forced" and style.places["thrown"]:
        parts.append(_failed_throw(place, spot, view, style))
    return group(*parts, data_play=str(seat), **({"opacity": _PAST} if is_past else {}))


def _failed_throw(place: int, spot: dict[str, Any], view: View, style: Style) -> Element:
    """Draw the throw that failed: above the play of the lowest seat, below the others."""
    x, y, room, played = spot["play"]
    width = style.places["smallCard"]
    height, half = width * HEIGHT / WIDTH, played * HEIGHT / WIDTH / 2
    top = y - half - height - 2 * _FRAME if place == 0 else y + half + 2 * _FRAME
    box = {"x": x, "y": top, "room": room, "height": height, "width": width}
    return group(draw_pile(view.trick.thrown.split(), box, style), opacity=0.75)
