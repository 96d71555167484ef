"""Ctrl-C and SIGTERM as a flag, looked at where the run can stop cleanly; a second one stops at once."""

import signal
from types import FrameType, TracebackType
from typing import Any


class Interrupted(Exception):
    """The user asked the run to stop, at a place that cannot just return."""


class InterruptFlag:
    """In a ``with`` block in the main thread, signals set `is_set` instead of breaking in anywhere."""

    def __init__(self) -> None:
        """Not set."""
        self.is_set = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> "InterruptFlag":
        """Take over SIGINT and SIGTERM."""
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the signals back."""
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
