"""Where the cards of a hand or a play lie: in rows that overlap, each card with its rank and its suit to be seen.

A card that others lie on shows its corner: at least `CORNER` of its width, and `row_share` of its height where a row
lies below it. The cards are as large as that allows, so a hand that shrinks never becomes harder to read.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

WIDTH, HEIGHT = 100, 140
"""A card in its own units."""
SMALL = 51
"""Cards narrower than this have larger signs, and only in the corner."""
CORNER = 0.42
"""Strip of a card that shows its rank and its suit, in widths of a card."""
GROUP_GAP = 0.6
"""Gap between effective suits, in steps between cards."""
RAISED = 0.12
"""How far a card that is taken is raised, in widths of a card."""
_ROW, _SMALL_ROW = 0.63, 0.68
"""Distance of rows of large and small cards, in heights of a card: a raised card hides nothing of the row above."""
LEAST = 14
"""Cards are not drawn narrower than this."""
_RED = "DH"
_SUITS = {"C": "THSD", "D": "TSHC", "H": "TSDC", "S": "THCD"}
"""Order of the suits in a hand, for each trump suit."""
_PLAIN = "TSHCD"

Card = tuple[str, bool]
"""A card, and whether an effective suit begins with it."""


class CardSpace(NamedTuple):
    """What cards may take up."""

    width: float
    """Width of the box."""
    height: float
    """Height of the box."""
    card: int
    """Width of a card at most."""
    strip: float = 0.0
    """Width of what is to be seen of a card at least."""
    spread: float = CORNER
    """Distance of two cards at most, in widths of a card; `strip` is kept all the same."""
    raised: float = 0.0
    """How far cards may be raised, in widths of a card."""


class CardRows(NamedTuple):
    """Rows of cards of one width."""

    card: int
    """Width of a card."""
    step: float
    """Distance of two cards of one suit."""
    down: float
    """Distance of two rows."""
    rows: list[list[Card]]
    """The cards of each row."""

    @property
    def height(self) -> float:
        """Height of all rows."""
        return self.card * HEIGHT / WIDTH + self.down * (len(self.rows) - 1)

    def width(self, row: Sequence[Card]) -> float:
        """Return the width of a row."""
        return self.card + self.step * _units(row)

    def places(self, row: Sequence[Card]) -> list[float]:
        """Return the distance of each card from its row's left end."""
        return [self.step * _units(row[: number + 1]) for number in range(len(row))]


def row_share(card: int) -> float:
    """Return how much of a card shows above the next row, in heights of a card."""
    return _SMALL_ROW if card < SMALL else _ROW


def suit_order(groups: Mapping[str, str], trump: str | None) -> list[str]:
    """Return the effective suits of a hand that has them, so that black and red ones alternate where they can.

    Args:
        groups: cards of each effective suit; if the trumps come last, the order is turned round.
        trump: C D H S or NT; None before trumps are named.
    """
    order = [suit for suit in _SUITS.get(trump or "", _PLAIN) if groups.get(suit)]
    plain = [suit for suit in order if suit != "T"]
    reds = [suit in _RED for suit in plain]
    if len(plain) > 2 and any(a == b for a, b in pairwise(reds)):
        (odd,) = [suit for suit in plain if reds.count(suit in _RED) == 1]
        first, last = [suit for suit in plain if suit != odd]
        order = [*order[: len(order) - len(plain)], first, odd, last]
    is_turned = next(iter(groups), "T") != "T"
    return order[::-1] if is_turned else order


def hand_cards(groups: Mapping[str, str], trump: str | None) -> list[list[Card]]:
    """Return the cards of a hand, suit by suit, in the order in which they are drawn."""
    suits = [groups[suit].split() for suit in suit_order(groups, trump)]
    return [[(card, place == 0) for place, card in enumerate(cards)] for cards in suits]


def share_rows(cards: Sequence[Card], room: CardSpace) -> CardRows:
    """Share cards evenly among rows: as large as they can be, and then in as few rows as possible."""
    for width in range(room.card, LEAST - 1, -1):
        strip = max(room.strip, CORNER * width)
        for num_rows in range(1, _most_rows(width, room) + 1):
            rows = _chunks(cards, ceil(len(cards) / num_rows))
            if max(map(_units, rows), default=0) * strip <= room.width - width:
                return _spread(width, rows, room)
    return _spread(LEAST, _chunks(cards, ceil(len(cards) / max(1, _most_rows(LEAST, room)))), room)


def suit_rows(suits: Sequence[Sequence[Card]], room: CardSpace) -> CardRows:
    """Give each effective suit rows of its own."""
    rows: list[list[Card]] = []
    for width in range(room.card, LEAST - 1, -1):
        size = floor((room.width - width) / (room.spread * width)) + 1
        rows = []
        for suit in suits:
            cards = [(card, False) for card, _ in suit]
            rows += _chunks(cards, ceil(len(cards) / ceil(len(cards) / size)))
        if len(rows) <= _most_rows(width, room):
            return _spread(width, rows, room)
    return _spread(LEAST, rows, room)


def _most_rows(width: int, room: CardSpace) -> int:
    card_height = width * HEIGHT / WIDTH
    return 1 + floor((room.height - card_height - room.raised * width) / (card_height * row_share(width)))


def _chunks(cards: Sequence[Card], size: int) -> list[list[Card]]:
    return [list(cards[first : first + size]) for first in range(0, len(cards), max(1, size))]


def _units(row: Sequence[Card]) -> float:
    """Return the distance from the first to the last card of a row, in steps."""
    return len(row) - 1 + GROUP_GAP * sum(is_first for _, is_first in row[1:]) if row else 0.0


def _spread(width: int, rows: list[list[Card]], room: CardSpace) -> CardRows:
    units = max(map(_units, rows), default=0)
    most = max(room.spread * width, room.strip)
    step = min(most, (room.width - width) / units) if units else 0.0
    card_height = width * HEIGHT / WIDTH
    left = room.height - card_height - room.raised * width
    down = min(card_height * row_share(width), left / (len(rows) - 1)) if len(rows) > 1 else 0.0
    return CardRows(width, step, down, rows)
