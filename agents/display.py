"""Progress for a person: a live bar on a terminal, otherwise one plain line now and then."""

import time
from collections.abc import Mapping

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

PLAIN_INTERVAL = 15.0
"""Seconds between two lines if there is no terminal."""
SPEED_PERIOD = 600.0
"""Latest seconds from which the bar estimates the time left; an update may take minutes, and it needs two of them."""
LEAST_PERIOD = 5.0
"""Seconds after the first update before which a line estimates no time left."""


class Display:
    """Shows one activity at a time; use it in a ``with`` block.

    On a terminal the bar shows the metrics; otherwise they are printed every `PLAIN_INTERVAL` seconds.
    """

    def __init__(self, console: Console | None = None) -> None:
        """Write to ``console``, by default the standard output."""
        self.console = console or Console(highlight=False, soft_wrap=True)
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._title = ""
        self._printed = 0.0
        self._first: tuple[float, float] | None = None

    def __enter__(self) -> "Display":
        """Start the bar if there is a terminal."""
        if self.console.is_terminal:
            columns = TextColumn("{task.description}"), BarColumn(bar_width=24), TimeRemainingColumn(compact=True)
            metrics = TextColumn("{task.fields[metrics]}")
            self._bar = Progress(*columns, metrics, console=self.console, speed_estimate_period=SPEED_PERIOD)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the bar."""
        if self._bar is not None:
            self._bar.stop()

    def begin(self, title: str, done: float = 0.0) -> None:
        """Start an activity; the part ``done`` (0 to 1) of it is done already."""
        self._title, self._printed, self._first = title, time.monotonic(), None
        self.end()
        if self._bar is not None:
            self._task = self._bar.add_task(title, total=1.0, metrics="")
            self._bar.update(self._task, completed=done)

    def end(self) -> None:
        """Remove the activity's bar."""
        if self._bar is not None and self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None

    def update(self, done: float, metrics: Mapping[str, str]) -> None:
        """Show the progress of the activity, and its metrics."""
        text = "  ".join(f"{name} {value}" for name, value in metrics.items())
        self._first = self._first or (time.monotonic(), done)
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, metrics=text)
        elif time.monotonic() - self._printed >= PLAIN_INTERVAL:
            self._printed = time.monotonic()
            self.line(f"{self._title} {done:4.0%}  {self._time_left(done)}  {text}")

    def line(self, text: str) -> None:
        """Print one line above the bar."""
        self.console.print(text, markup=False)

    def _time_left(self, done: float) -> str:
        """Estimate it from the speed since the first update: what came before, such as compiling, comes once."""
        began, before = self._first or (0.0, done)
        seconds, progressed = time.monotonic() - began, done - before
        if progressed <= 0 or seconds < LEAST_PERIOD:
            return "left -:--"
        left = seconds * (1 - done) / progressed
        return f"left {int(left // 60)}:{int(left % 60):02d}"
