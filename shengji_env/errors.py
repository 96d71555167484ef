"""Every error that the package raises on purpose: one family, each member also a ``ValueError``.

A message says what was tried, why it is not possible, and what would be legal instead.

| error                | raised for                                                              |
|----------------------|-------------------------------------------------------------------------|
| `NotationError`      | text of a card, action, trump or rank that cannot be read               |
| `RuleSetError`       | an unknown preset or option, or a combination that makes no sense       |
| `IllegalActionError` | an action that the seat to move may not take now                        |
| `RenderModeError`    | a render mode that an environment does not know; also a ``TypeError``   |
| `DealError`          | an impossible deal, level, declarer or trump given to ``reset``         |
| `RecordError`        | a record that cannot be read or does not replay; names the ply          |
| `PlayerError`        | an unknown player text, or a player whose answer has the wrong form     |
| `ConfigError`        | an unknown key, an impossible value or a missing file of a training run |
| `CheckpointError`    | a checkpoint that is damaged or made for other rules or another layout  |
"""

from collections.abc import Sequence
from typing import Any

__all__ = [
    "CheckpointError",
    "ConfigError",
    "DealError",
    "IllegalActionError",
    "NotationError",
    "PlayerError",
    "RecordError",
    "RenderModeError",
    "RuleSetError",
    "ShengjiError",
    "printable",
    "show",
]

MAX_LEGAL_SHOWN = 12
MAX_SHOWN = 80


class ShengjiError(ValueError):
    """The root of all errors of this package."""


class NotationError(ShengjiError):
    """Text that is not valid notation for what was asked for."""


class RuleSetError(ShengjiError):
    """A rule set that does not exist or whose options contradict one another."""


class RenderModeError(ShengjiError, TypeError):
    """A render mode that an environment does not know.

    Also a ``TypeError``: Stable-Baselines3 first asks every environment for ``rgb_array``, and only a ``TypeError``
    makes it go on without.
    """


class DealError(ShengjiError):
    """A start given to ``reset`` that no round could have."""


class RecordError(ShengjiError):
    """A record that cannot be read, or that does not replay under its own rules."""


class PlayerError(ShengjiError):
    """A player that cannot be made from its text, or whose answer has the wrong form."""


class ConfigError(ShengjiError):
    """A training configuration with an unknown key, an impossible value or a missing file."""


class CheckpointError(ShengjiError):
    """A checkpoint that cannot be read, or that was made for other rules, another layout or other sizes."""


class IllegalActionError(ShengjiError):
    """An action that the seat to move may not take; the position is unchanged.

    Attributes:
        phase: Name of the decision's phase, such as ``"BURY"``.
        seat: The seat that tried, 0..3.
        action: What was tried, as text (for an id that is not an action, its digits).
        reason: Why it is not allowed.
        legal: Texts of the legal actions, in ascending order of their ids.
    """

    def __init__(self, phase: str, seat: int, action: str, reason: str, legal: Sequence[str] = ()) -> None:
        super().__init__(phase, seat, action, reason, tuple(legal))
        self.phase = phase
        self.seat = seat
        self.action = action
        self.reason = reason
        self.legal = tuple(legal)

    def __str__(self) -> str:
        """One line: what was tried, why it is not allowed, what would be legal."""
        tried = f"seat {self.seat} cannot take {self.action!r} in {self.phase}"
        return f"{tried}: {self.reason}; legal: {self._legal_text()}"

    def _legal_text(self) -> str:
        if not self.legal:
            return "nothing"
        shown = ", ".join(self.legal[:MAX_LEGAL_SHOWN])
        hidden = len(self.legal) - MAX_LEGAL_SHOWN
        return f"{shown} and {hidden} more" if hidden > 0 else shown


def printable(text: str) -> str:
    """Return a text from outside in which characters that cannot be printed are escaped, as `repr` writes them.

    These are control characters, marks that turn the direction of writing, and the like; other text stays as it is.
    """
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def show(value: Any) -> str:
    """Return a value as text for a message: its `repr`, cut short if it is long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  # a user's own `__repr__`, or an integer with more digits than Python converts
        text = f"<{type(value).__name__}>"
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
