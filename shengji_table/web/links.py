"""The links of a table: one for guests, one for those who watch, and one for each seat once it is taken.

A link's secret stands in the address's fragment, which browsers send to no server: the page sends it as its first
message. It is compared in constant time and never logged.
"""

import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.render.view import WATCHER

GUEST = -2
"""The viewer of one who has been invited to the table, and has no seat yet."""
_BYTES = 18
_SIGNS = {"w": WATCHER, "t": GUEST, **{str(seat): seat for seat in range(NUM_SEATS)}}


def new_secret() -> str:
    """Return a secret that nobody can guess."""
    return secrets.token_urlsafe(_BYTES)


@dataclass
class Keys:
    """The secrets of a table."""

    invite: str = field(default_factory=new_secret)
    """Of the link for guests."""
    watch: str = field(default_factory=new_secret)
    """Of the link for those who watch."""
    evening: str = field(default_factory=new_secret)
    """Of the page about the rounds that have ended."""
    seats: dict[int, str] = field(default_factory=dict)
    """Of the seats that persons have taken."""

    def of(self, viewer: int) -> str | None:
        """Return the secret of a viewer's link; None for a seat that nobody has taken."""
        return {WATCHER: self.watch, GUEST: self.invite}.get(viewer, self.seats.get(viewer))


def link_of(table: int, viewer: int, keys: Keys) -> str:
    """Return the fragment of a link: to a seat that is taken, to watch (`WATCHER`), or for guests (`GUEST`)."""
    sign = next(sign for sign, meant in _SIGNS.items() if meant == viewer)
    return f"{table}.{sign}.{keys.of(viewer)}"


def read_link(link: str, known: Sequence[Keys]) -> tuple[int, int] | None:
    """Return the table and the viewer that a link names, or None if it opens nothing.

    Args:
        link: what a browser sent.
        known: the secrets of each table.
    """
    table, _, rest = link.partition(".")
    sign, _, secret = rest.partition(".")
    if not (table.isascii() and table.isdigit() and len(table) < 6 and int(table) < len(known)):
        return None
    viewer = _SIGNS.get(sign)
    expected = None if viewer is None else known[int(table)].of(viewer)
    is_open = hmac.compare_digest((expected or new_secret()).encode(), secret.encode("utf-8", "replace"))
    return (int(table), viewer) if is_open and viewer is not None else None
