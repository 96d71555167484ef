"""What a target is: a test that hands in what Hypothesis makes up; it is taken, or refused with a `ShengjiError`.

Anything else fails the test, and so does memory, which is bounded. Compiled code that crashes ends the process, as does
the clock of a case that takes forever: so each case is noted in a file before it is tried.
"""

import contextlib
import faulthandler
import functools
import io
import math
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import hypothesis
from hypothesis.strategies import SearchStrategy

from shengji_env.errors import ShengjiError

NOTES = Path(__file__).resolve().parents[2] / "build" / "fuzz"
"""The folder of the notes, a file for each target."""
ROOM_MIB = 1024
"""How much memory the cases of a target may take; only Linux keeps to it."""


def target(*, weight: int = 10, stuck_after: float = 600.0, **cases: SearchStrategy[Any]) -> Callable[..., Any]:
    """Make a test of a function that takes what the strategies make.

    Args:
        weight: its share of all cases, roughly inverse to the cost of a case.
        stuck_after: seconds after which the process is ended if it is still at the same case, in which it may compile.
        cases: a strategy for each argument; what they make has a `repr` that says all.
    """

    def decorate(take: Callable[..., object]) -> Any:
        made = Target(take, weight, stuck_after)

        @hypothesis.given(**cases)
        @functools.wraps(take)
        def test(**case: Any) -> None:
            made.hand_in(case)

        test.target = made
        return test

    return decorate


class Target:
    """A way in, and how much of what was handed in was taken."""

    def __init__(self, take: Callable[..., object], weight: int, stuck_after: float) -> None:
        self.weight, self.taken = weight, 0
        self._take, self._stuck_after = take, stuck_after
        self._note: TextIO | None = None
        self._armed = -math.inf

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Keep a note, the clock and the bound on memory in the block; reports show numbers of any size."""
        NOTES.mkdir(parents=True, exist_ok=True)
        digits = sys.get_int_max_str_digits()
        with (NOTES / self._take.__name__).open("w", encoding="utf-8") as self._note, _bounded_memory():
            sys.set_int_max_str_digits(0)
            try:
                yield
            finally:
                sys.set_int_max_str_digits(digits)
                faulthandler.cancel_dump_traceback_later()
        assert self.taken, "nothing was taken, so nothing was tried beyond the first check"

    def hand_in(self, case: dict[str, Any]) -> None:
        """Try a case."""
        self._write_down(case)
        sys.set_int_max_str_digits(sys.int_info.default_max_str_digits)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                self._take(**case)
            self.taken += 1
            hypothesis.event("taken")
        except ShengjiError:
            hypothesis.event("refused")
        finally:
            sys.set_int_max_str_digits(0)

    def _write_down(self, case: dict[str, Any]) -> None:
        assert self._note is not None
        self._note.seek(0)
        self._note.truncate()
        print(case, file=self._note, flush=True)
        if (now := time.monotonic()) - self._armed > self._stuck_after / 10:  # arming starts a thread
            faulthandler.dump_traceback_later(self._stuck_after, exit=True, file=self._note)
            self._armed = now


@contextlib.contextmanager
def _bounded_memory() -> Iterator[None]:
    if sys.platform != "linux":
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    held = re.search(r"VmData:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    assert held is not None
    resource.setrlimit(resource.RLIMIT_DATA, (int(held[1]) * 2**10 + ROOM_MIB * 2**20, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
