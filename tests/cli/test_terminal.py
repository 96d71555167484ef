"""A real terminal: typing ahead of the prompt, and Ctrl-C while worker processes start."""

import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.interrupts import heed_interrupts
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="opens a pseudo-terminal, reads /proc")

PATIENCE = 120.0


class Session:
    """A command at a pseudo-terminal."""

    def __init__(self, *arguments: str) -> None:
        self.keyboard, inside = os.openpty()
        command = [sys.executable, "-m", "shengji_env.cli", *arguments]
        environment = {**os.environ, "TERM": "dumb"}
        self.process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", *command], stdin=inside, stdout=inside, stderr=inside, cwd=ROOT,
            env=environment, preexec_fn=heed_interrupts,
        )  # fmt: skip
        os.close(inside)
        self.screen = ""

    def type(self, text: str) -> None:
        os.write(self.keyboard, text.encode())

    def read(self, seconds: float) -> None:
        """Read what comes within some seconds, until the command ends."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.keyboard], [], [], min(left, 0.05))[0]:
                try:
                    self.screen += os.read(self.keyboard, 65536).decode(errors="replace")
                except OSError:  # the other end is closed
                    return

    def read_until(self, pattern: str, count: int = 1) -> None:
        end = time.monotonic() + PATIENCE
        while len(re.findall(pattern, self.screen)) < count:
            assert time.monotonic() < end, self.screen
            self.read(0.1)

    def end(self) -> int:
        """The exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, self.screen
            self.read(0.1)
        self.read(0.2)
        return self.process.returncode

    def num_children(self) -> int:
        """Processes that the command has started: workers, and what looks after their memory."""
        with contextlib.suppress(OSError):
            return len(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split())
        return 0


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    started: list[Session] = []
    yield started
    for session in started:
        if session.process.poll() is None:
            with contextlib.suppress(OSError):
                session.process.send_signal(signal.SIGKILL)
                session.process.wait()
        os.close(session.keyboard)


@pytest.mark.thorough
def test_what_is_typed_before_a_prompt_decides_nothing(sessions: list[Session]) -> None:
    session = Session("play", "--rules", "one_deck", "--seed", "1")
    sessions.append(session)
    session.type("\n" * 20)
    session.read_until(r"0 human, .* > ")
    session.read(1.0)
    assert len(re.findall(r"0 human, .* > ", session.screen)) == 1, session.screen
    session.type("\n")  # what is typed at the prompt counts
    session.read_until(r"0 human, .* > ", 2)
    session.type("quit\n")
    assert session.end() == 130
    assert "Traceback" not in session.screen


def test_an_interrupt_while_workers_start_is_quiet(sessions: list[Session]) -> None:
    session = Session("arena", "random", "random", "--deals", "2000", "--match", "--workers", "3")
    sessions.append(session)
    end = time.monotonic() + PATIENCE
    while session.num_children() < 3:
        assert time.monotonic() < end, session.screen
        session.read(0.02)
    session.read(0.3)  # by now the first of them is importing
    session.type("\x03")
    assert session.end() == 130, session.screen
    assert "Traceback" not in session.screen
    assert "KeyboardInterrupt" not in session.screen
    assert "shengji: interrupted" in session.screen
