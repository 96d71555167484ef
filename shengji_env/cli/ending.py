"""Ctrl-C ends a command in time, whatever is being computed.

Python hears an interrupt only between two steps of its own: not in the middle of a player's compiled code, and at the
end of a process it waits for the threads that run some. So a thread listens for interrupts, too, and ends the process
if it has not ended by itself soon after one.
"""

import atexit
import os
import signal
import socket
import sys
import threading
import time
from typing import ClassVar

from rich.console import Console

_PATIENCE = 1.2
"""Seconds that a command has to end by itself."""
_LEAVING = 0.5
"""Seconds that its process has then."""
_CLEANING = 0.3
"""Seconds for what else is done at the end of a process: folders that are removed, programs that are ended."""


class Ending:
    """What ends this process after an interrupt.

    Args:
        program: name that the message begins with.
        code: the exit code.
    """

    running: ClassVar["Ending | None"] = None
    """That of the command that runs."""

    def __init__(self, program: str, code: int) -> None:
        self._program, self._code, self._patience = program, code, _PATIENCE
        self._has_begun, self._speaks, self._has_said = threading.Lock(), threading.Lock(), threading.Event()

    def listen(self) -> None:
        """Listen for interrupts until the process ends."""
        signals, pythons = socket.socketpair()
        pythons.setblocking(False)
        signal.set_wakeup_fd(pythons.detach(), warn_on_full_buffer=False)
        threading.Thread(target=self._listen, args=(signals,), daemon=True).start()
        Ending.running = self

    def _listen(self, signals: socket.socket) -> None:
        while signal.SIGINT not in signals.recv(1):
            pass
        self._begin()

    def may_say(self) -> bool:
        """Return whether its user has not been told yet why the command ends; who asks first tells it."""
        return self._speaks.acquire(blocking=False)

    def say(self) -> None:
        """Note that the command has ended, and that its user has been told why."""
        self._has_said.set()
        self._begin()

    def take(self, seconds: float) -> None:
        """Give the command other time to end by itself."""
        self._patience = seconds

    def _begin(self) -> None:
        if self._has_begun.acquire(blocking=False):
            threading.Thread(target=self._end, daemon=True).start()

    def _end(self) -> None:
        if self._has_said.wait(self._patience):
            time.sleep(_LEAVING)
        elif self.may_say():
            Console(stderr=True).show_cursor(show=True)
            print(f"{self._program}: interrupted: what is kept stays", file=sys.stderr, flush=True)
        cleaning = threading.Thread(target=atexit._run_exitfuncs, daemon=True)
        cleaning.start()
        cleaning.join(_CLEANING)
        os._exit(self._code)


def take_longer(seconds: float) -> None:
    """Give the command that runs more time to end after an interrupt."""
    if Ending.running is not None:
        Ending.running.take(seconds)
