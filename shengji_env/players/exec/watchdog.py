"""The watchdog: a small process that ends all bots if the process that started them is gone, however that ended.

It reads the numbers of process groups, ``+123`` for one that was started and ``-123`` for one that has ended. When its
standard input ends, it waits a moment, since a bot ends by itself when its own input does, and ends what is left.
"""

import contextlib
import subprocess
import sys

_PROGRAM = """\
import os, signal, sys, time
groups = set()
for line in sys.stdin:
    (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
if groups:
    time.sleep(1)
for group in groups:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
"""


class Watchdog:
    """A watchdog, started when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def watch(self, group: int) -> None:
        """Have a process group ended when this process is gone."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                start_new_session=True, bufsize=0,
            )  # fmt: skip
        self._write(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Say that a process group has ended."""
        self._write(f"-{group}\n")

    def end(self) -> None:
        """End the watchdog, once there is nothing left to watch."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process = None

    def _write(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(line.encode())
