"""A program of Botzone's: found, started, asked, ended.

Usually it is started for every turn, is given all requests and responses, and ends. One that prints
`KEEP_RUNNING` after its answer stays, and is given each further request as a line.
"""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shengji_env.errors import show
from shengji_env.players.botzone.wire import BotzoneError, read_response
from shengji_env.support.text_files import reason_of

KEEP_RUNNING = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
SECONDS, SECONDS_KEPT = 6.0, 4.0
"""Seconds for an answer, as Botzone gives them to Python: started for it, and kept running."""
_MOST = 1 << 20
"""Most bytes of an answer; Botzone's own limits are lower."""
_ENTRIES = ("__main__.py", "main.py")
_OF_PYTHON = (".py", ".pyz", ".zip")


def command_of(words: Sequence[str]) -> tuple[list[str], Path | None]:
    """Return the command that starts a program, and the folder that it runs in, if it is not this one.

    Args:
        words: a folder that holds it; its file, with arguments; or a command.

    Raises:
        BotzoneError: it is not clear what a folder's program is.
    """
    path = Path(words[0])
    if path.is_dir():
        return [*_starting(_entry_of(path)), *words[1:]], path.absolute()
    return [*(_starting(path) if path.is_file() else [words[0]]), *words[1:]], None


def _starting(file: Path) -> list[str]:
    return [sys.executable] * (file.suffix in _OF_PYTHON) + [str(file.absolute())]


def _entry_of(folder: Path) -> Path:
    files = sorted(each for each in folder.iterdir() if each.is_file())
    named = [each for name in _ENTRIES for each in files if each.name == name]
    kinds = [each for each in files if each.suffix in _OF_PYTHON], [each for each in files if os.access(each, os.X_OK)]
    found = [*named[:1], *(kind[0] for kind in kinds if len(kind) == 1)]
    if not found:
        raise BotzoneError(
            f"{folder} has no {' or '.join(_ENTRIES)}, no single file of Python and no single executable: name the file"
        )
    return found[0]


class BotProgram:
    """A program in one deal.

    Args:
        words: as for `command_of`.
        seconds: seconds for an answer; None: those of Botzone.
    """

    def __init__(self, words: Sequence[str], *, seconds: float | None = None) -> None:
        self._command, self._folder = command_of(words)
        self._seconds = (SECONDS, SECONDS_KEPT) if seconds is None else (seconds, seconds)
        self._process: subprocess.Popen[bytes] | None = None
        self._num_told = 0
        self._given_back: dict[str, Any] = {}

    def begin(self) -> None:
        """Begin another deal; what the program keeps as ``globaldata`` stays."""
        self.end()
        self._given_back.pop("data", None)

    def respond(self, requests: Sequence[dict[str, Any]], responses: Sequence[list[int]]) -> list[int]:
        """Return the program's response to the last request.

        Raises:
            BotzoneError: there is none, or it comes late.
        """
        if self._process is not None:
            lines = [json.dumps(each) for each in requests[self._num_told :]]
        else:
            self._start()
            lines = [json.dumps({"requests": requests, "responses": responses, **self._given_back})]
        ids: list[int] = []
        for index, line in enumerate(lines):
            ids = self._answer(line.encode() + b"\n", is_last=index == len(lines) - 1)
        self._num_told = len(requests)
        return ids

    def end(self) -> None:
        """End its process, if one runs."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=self._folder,
                env={**os.environ, "USER": "root"},
            )  # fmt: skip
        except (OSError, ValueError) as error:
            raise BotzoneError(f"{show(' '.join(self._command))} cannot be started: {reason_of(error)}") from error
        self._limit = self._seconds[0]

    def _answer(self, line: bytes, *, is_last: bool) -> list[int]:
        printed = self._exchange(line)
        answer, mark, _ = printed.partition(KEEP_RUNNING)
        if not mark:
            self._check_end()
            if not is_last:
                raise BotzoneError("it was kept running, and has ended before its deal has")
        self._limit = self._seconds[1]
        try:
            ids, back = read_response(answer.strip())
        except BotzoneError as error:
            raise BotzoneError(f"its answer {show(answer.strip().decode(errors='replace'))}: {error}") from error
        self._given_back |= back
        return ids

    def _exchange(self, line: bytes) -> bytes:
        """Send a line; return what is printed, up to the mark or the end."""
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        target, source = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(target, False)
        printed, until = b"", time.monotonic() + self._limit
        while KEEP_RUNNING not in printed:
            left = until - time.monotonic()
            if left <= 0:
                raise BotzoneError(f"it has not answered within {self._limit:g} s")
            readable, writable, _ = select.select([source], [target] if line else [], [], left)
            if writable:
                line = _write(target, line)
            if readable:
                piece = os.read(source, 65_536)
                if not piece:
                    break
                printed += piece
            if len(printed) > _MOST:
                raise BotzoneError(f"it has printed more than {_MOST >> 20} MiB, which begin {show(printed[:40])}")
        return printed

    def _check_end(self) -> None:
        """Check that a process that prints no more has ended well."""
        assert self._process is not None
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            code = 0  # it has closed its output, and is ended now
        self.end()
        if code:
            raise BotzoneError(
                f"it has ended, with exit code {code}" if code > 0 else f"it was ended by signal {-code}"
            )


def _write(target: int, line: bytes) -> bytes:
    """Write what a pipe takes of a line; return the rest, nothing if nobody reads it."""
    try:
        return line[os.write(target, line) :]
    except BrokenPipeError:
        return b""
