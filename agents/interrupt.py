"""Ctrl-C and SIGTERM as a flag, checked where the run can stop cleanly; a second signal stops at once."""

import signal
from types import FrameType
from typing import Any


class Interrupted(Exception):
    """The user asked the run to stop, in code that cannot simply return."""


class InterruptFlag:
    """In a ``with`` block in the main thread, signals set `is_set` instead of interrupting the code."""

    def __init__(self) -> None:
        """Create a flag that is not set."""
        self.is_set = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> "InterruptFlag":
        """Take over SIGINT and SIGTERM."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the signal handlers."""
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise `Interrupted` if the flag is set."""
        if self.is_set:
            raise Interrupted

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_set:
            raise KeyboardInterrupt
        self.is_set = True
