"""Why a message is refused, and why a connection is closed: each reason has a code that does not change.

The page shows a code in its own language (``refused_CODE``, ``closed_CODE`` in ``play_words.js``); the English sentence
beside it is for programs and the log. Codes of cards that may not join a play come from the referee's `Reason`.

| code of a closed connection | what the page does |
|---|---|
| `Closed.BUSY`, `Closed.SILENT`, and those that are not ours | it tries again by itself |
| all others | it says why, and offers to try again |
"""

from enum import IntEnum

from shengji_env.errors import ShengjiError

REFUSALS = {
    "watching": "who watches does not play",
    "unknown": "this message has no meaning here",
    "not_now": "it is not this seat's turn, or the table has gone on",
    "no_bids": "no bids are made now",
    "other_bid": "another bid has been made meanwhile",
    "no_bid": "{} is not a bid that this seat can make now",
    "no_answer": "{} is no answer that this seat can give now",
    "too_often": "wait a moment before you say more",
    "no_hint": "the adviser says nothing to this",
    "no_round": "no round has ended",
    "unread": "these are not cards that the hand holds",
    "player": "the adviser has failed",
    "too_few": "these are too few cards",
    "illegal": "the rules do not allow this",
    "substituted": "a player decides for this seat: say first that you are back",
    "not_substituted": "nobody decides for this seat",
    "has_substitute": "a player decides for this seat already",
    "not_away": "this is only done to a person who is not connected",
    "is_free": "nobody has this seat",
    "begun": "the table has begun",
    "not_begun": "the table has not begun: begin without those who are missing",
    "no_seat": "take a seat first",
    "unvalued": "this play is none of the puzzle's candidates, and is not valued here",
    "guest": "this seat, or this name, cannot be had",
}
"""Sentences by code; a gap is for the cards that the refusal is about."""
FAULTS = {"player": "a player has failed", "server": "the server's log says why"}
"""Why a table has stopped, by code."""


class Closed(IntEnum):
    """Why a connection is closed: codes of WebSocket's private range."""

    RUDE = 4400
    """No page sends such a message."""
    LINK = 4403
    """The link opens nothing, or no person sits in its seat."""
    SILENT = 4408
    """No hello came, or messages are not read."""
    TAKEN = 4409
    """A newer window has the seat."""
    FULL = 4413
    """Too many watch."""
    VERSION = 4426
    """The page is of another version than the server."""
    BUSY = 4429
    """Too many connections or messages."""


class Refusal(ShengjiError):
    """Why a message is refused.

    Args:
        code: one of `REFUSALS`.
        cards: the cards that it is about.

    Attributes:
        code: the same.
        cards: the same.
    """

    def __init__(self, code: str, cards: str = "") -> None:
        super().__init__(REFUSALS[code].format(cards))
        self.code, self.cards = code, cards


class ConnectionRefused(ShengjiError):
    """Why a connection is closed.

    Args:
        reason: the reason in English, for programs and the log.
        code: the same for pages.

    Attributes:
        code: the same.
    """

    def __init__(self, reason: str, code: Closed = Closed.RUDE) -> None:
        super().__init__(reason)
        self.code = code
