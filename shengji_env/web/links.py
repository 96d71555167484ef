"""One link a seat: its secret stands in the address's fragment, which browsers send to no server.

The page sends it as its first message. It is compared in constant time and never logged.
"""

import hmac
import secrets
from collections.abc import Sequence

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.render.view import WATCHER

_BYTES = 18
_WATCH = "w"


def new_secrets() -> tuple[str, ...]:
    """Return secrets for the four seats, and one for those who watch."""
    return tuple(secrets.token_urlsafe(_BYTES) for _ in range(NUM_SEATS + 1))


def link_of(table: int, viewer: int, known: Sequence[str]) -> str:
    """Return the fragment of the link to a seat of a table, or to watch it (`WATCHER`)."""
    return f"{table}.{_WATCH if viewer == WATCHER else viewer}.{known[viewer]}"


def read_link(link: str, known: Sequence[Sequence[str]]) -> tuple[int, int] | None:
    """Return the table and the viewer that a link names, or None if it opens nothing.

    Args:
        link: what a browser sent.
        known: the secrets of each table.
    """
    table, _, rest = link.partition(".")
    viewer_text, _, secret = rest.partition(".")
    if not (table.isascii() and table.isdigit() and len(table) < 6 and int(table) < len(known)):
        return None
    viewer = WATCHER if viewer_text == _WATCH else NUM_SEATS
    if viewer_text in [str(seat) for seat in range(NUM_SEATS)]:
        viewer = int(viewer_text)
    expected = known[int(table)][viewer]
    is_open = hmac.compare_digest(expected.encode(), secret.encode("utf-8", "replace"))
    return (int(table), viewer) if is_open and (viewer_text == _WATCH or viewer < NUM_SEATS) else None
