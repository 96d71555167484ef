"""What is shown of progress where there is no terminal: lines, with an estimate of the time left."""

import io
import re

import pytest
from rich.console import Console

import agents.display
from agents.display import Display


class Minutes:
    """A clock that a test sets, in minutes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(agents.display, "time", self)

    def monotonic(self) -> float:
        return 60 * self.now


def test_the_time_left_is_of_the_speed_since_the_first_update(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes before it, such as compiling, comes once; and a speed of a moment says nothing."""
    clock, written = Minutes(monkeypatch), io.StringIO()
    with Display(Console(file=written)) as display:
        display.begin("learning", 0.5)
        for moment, done in ((10.0, 0.5), (10.01, 0.5078125), (12.0, 0.625), (14.0, 0.75)):
            clock.now = moment
            display.update(done, {})
        display.begin("match-up")
        clock.now = 15.0
        display.update(0.001, {})
    shown = re.findall(r"(\w[\w-]*) +(\d+)%  left (\S+)", written.getvalue())
    assert shown == [
        ("learning", "50", "-:--"), ("learning", "62", "6:00"), ("learning", "75", "4:00"), ("match-up", "0", "-:--")
    ]  # fmt: skip
