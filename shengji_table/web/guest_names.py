"""The names that guests type: short, on one line, visible, and no trick on whoever reads them.

Whatever a name may hold, the page shows it as text alone. Refused is what makes text look like other text: characters
that change the direction of what follows, that are not seen, or that end a line.
"""

import unicodedata

from shengji_env.errors import ShengjiError

MAX_NAME = 24
"""Most characters of a name."""
_MAX_MARKS = 3
"""Most combining marks on one letter; more would be drawn over other things."""
_REFUSED = {
    "Cc": "it holds a control character",
    "Cf": "it holds a character that cannot be seen, or that changes the direction of text",
    "Cs": "it holds half a character",
    "Co": "it holds a character that has no meaning",
    "Cn": "it holds a character that has no meaning",
    "Zl": "it holds a line break",
    "Zp": "it holds a line break",
}
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that look like nothing."""


class GuestError(ShengjiError):
    """Why a guest may not have a name, or a seat."""


def read_name(text: str) -> str:
    """Return the name that a guest has typed, in a fixed form.

    Raises:
        GuestError: it is none.
    """
    for character in text:
        reason = _REFUSED.get("Cf" if character in _UNSEEN else unicodedata.category(character))
        if reason:
            raise GuestError(reason)
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name:
        raise GuestError("a name is needed")
    if len(name) > MAX_NAME:
        raise GuestError(f"it has more than {MAX_NAME} characters")
    _check_marks(name)
    return name


def _check_marks(name: str) -> None:
    """Refuse a name without a base for its marks, or with a heap of them."""
    num_marks = _MAX_MARKS
    for character in name:
        num_marks = num_marks + 1 if unicodedata.category(character).startswith("M") else 0
        if num_marks > _MAX_MARKS:
            raise GuestError("it has too many marks on one letter")


def is_same_name(one: str, other: str) -> bool:
    """Return whether two names would be taken for one another."""
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
