"""Progress on standard error: on a terminal a bar with the time left, otherwise a line now and then."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

SECONDS_BETWEEN_LINES = 10.0
SECONDS_BETWEEN_MOVES = 0.1

Counter = Callable[[float, int], object]
"""Called with how much is done and how much there is."""


def make_bar(what: str, console: Console) -> Progress:
    """Make a bar that counts what is named."""
    columns = TextColumn(what), BarColumn(), MofNCompleteColumn(), TextColumn("left"), TimeRemainingColumn()
    return Progress(*columns, console=console, transient=True)


class LinesOfProgress:
    """Prints a line of progress every ten seconds.

    Args:
        what: what is counted, in the plural.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.spoken = time.monotonic()

    def __call__(self, done: float, total: int) -> None:
        """Print a line if it is time."""
        if time.monotonic() - self.spoken >= SECONDS_BETWEEN_LINES:
            self.spoken = time.monotonic()
            print(f"{int(done):,} of {total:,} {self.what}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def shown_count(what: str) -> Iterator[Counter]:
    """Show how much has been done while the block runs."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield LinesOfProgress(what)
        return
    with make_bar(what, console) as bar:
        yield _MovingBar(bar, what)


class _MovingBar:
    """Moves a bar; its clock starts with the first call, and what was done before does not count as speed."""

    def __init__(self, bar: Progress, what: str) -> None:
        self.bar = bar
        self.task = bar.add_task(what, total=None)
        self.is_begun = False

    def __call__(self, done: float, total: int) -> None:
        """Show the progress."""
        if self.is_begun:
            self.bar.update(self.task, completed=int(done), total=total)
        else:
            self.bar.reset(self.task, completed=int(done), total=total)
        self.is_begun = True
