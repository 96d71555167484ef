"""A program of Botzone's: found, started, asked, ended.

Usually it is started for every turn, is given all requests and responses, and ends. One that prints
`KEEP_RUNNING` after its answer stays, and is given each further request as a line. Many a program reads its input to
the end before it answers; nothing says beforehand which is which, so a program's input ends

| what its processes have shown | when |
|---|---|
| nothing yet | after half the time (`_OPEN_FOR`); the time then begins again |
| one has answered, with its input ended, and not asked to stay | at once |
| one has asked to stay | never; one that does so with its input ended is started again, for the same turn |

A file of Python can be started as a copy of a process that has imported slow modules already (`preload`).
"""

import contextlib
import importlib
import json
import multiprocessing
import os
import random
import runpy
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from shengji_botzone.wire import BotzoneError, read_response
from shengji_env.errors import show
from shengji_env.support.programs import why_not_started

KEEP_RUNNING = b">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"
SECONDS, SECONDS_KEPT = 6.0, 4.0
"""Seconds for an answer, as Botzone gives them to Python: started for it, and kept running."""
_OPEN_FOR = 0.5
"""For which share of the time the input of a program stays open of which nothing is known yet."""
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


class _Process(Protocol):
    """A process that has been started, with what it reads and writes."""

    stdin: Any
    stdout: Any

    def wait(self, timeout: float | None = None) -> int: ...
    def kill(self) -> None: ...


class BotProgram:
    """A program in one deal.

    Args:
        words: as for `command_of`.
        seconds: seconds for an answer; None: those of Botzone.
        preload: modules that are imported once, here; each process of the program, a file of Python, is then a copy of
            this one.

    Raises:
        BotzoneError: there is no such program or module, or the program is not a file of Python.
    """

    def __init__(self, words: Sequence[str], *, seconds: float | None = None, preload: Sequence[str] = ()) -> None:
        self._command, self._folder = command_of(words)
        self._seconds = (SECONDS, SECONDS_KEPT) if seconds is None else (seconds, seconds)
        self._process: _Process | None = None
        self._open_for = _OPEN_FOR
        self._is_copied = bool(preload)
        if preload:
            _preload(self._command, preload)
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
        process.stdin.close()
        process.stdout.close()

    def _start(self) -> None:
        self._limit = self._seconds[0]
        if self._is_copied:
            self._process = _Copy(self._command[1:], self._folder)
            return
        try:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=self._folder,
                env={**os.environ, "USER": "root"},
            )  # fmt: skip
        except (OSError, ValueError) as error:
            why = why_not_started(self._command[0], error)
            raise BotzoneError(f"{show(' '.join(self._command))} cannot be started: {why}") from error

    def _answer(self, line: bytes, *, is_last: bool) -> list[int]:
        assert self._process is not None
        printed = self._exchange(line)
        answer, mark, _ = printed.partition(KEEP_RUNNING)
        has_ended_input = self._process.stdin.closed
        if mark or has_ended_input:
            self._open_for = 1.0 if mark else 0.0
        if mark and has_ended_input:
            self.end()
            self._start()
            return self._answer(line, is_last=is_last)
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
        target, source = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(target, False)
        printed, began = b"", time.monotonic()
        until = began + self._limit
        while KEEP_RUNNING not in printed:
            may_end = not (line or self._process.stdin.closed or self._open_for == 1.0)
            left = (began + self._open_for * self._limit if may_end else until) - time.monotonic()
            if left <= 0 and may_end:
                self._process.stdin.close()
                left, until = self._limit, time.monotonic() + self._limit
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


def _preload(command: Sequence[str], modules: Sequence[str]) -> None:
    """Import modules, for a program that is a file of Python."""
    if command[0] != sys.executable or not command[1].endswith(".py") or not hasattr(os, "fork"):
        raise BotzoneError("modules can be loaded beforehand for files of Python alone, where processes can be copied")
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a copy of a process with more threads may wait for them forever
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError as error:
            raise BotzoneError(f"--preload {module}: {error}") from error


class _Copy:
    """A copy of this process that runs a file of Python, with pipes as its input and output."""

    def __init__(self, words: Sequence[str], folder: Path | None) -> None:
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        self.stdin, self.stdout = os.fdopen(ours_in, "wb", 0), os.fdopen(ours_out, "rb", 0)
        self._process = multiprocessing.get_context("fork").Process(
            target=_run_file, args=(words, folder, theirs_in, theirs_out, (ours_in, ours_out)), daemon=True
        )
        self._process.start()
        os.close(theirs_in)
        os.close(theirs_out)

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit code, negative for a signal, as `subprocess.Popen.wait`."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0.0)
        return self._process.exitcode

    def kill(self) -> None:
        """End it."""
        self._process.kill()


def _run_file(words: Sequence[str], folder: Path | None, source: int, target: int, others: Sequence[int]) -> None:
    """Run a file of Python as a process of its own would."""
    for each in others:
        os.close(each)
    os.dup2(source, 0)
    os.dup2(target, 1)
    os.environ["USER"] = "root"
    os.chdir(folder or ".")
    random.seed()
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    sys.argv, sys.path[0] = list(words), os.path.dirname(words[0])
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    with contextlib.closing(os.fdopen(1, "w", encoding="utf-8", closefd=False)) as sys.stdout:
        runpy.run_path(words[0], run_name="__main__")


def _write(target: int, line: bytes) -> bytes:
    """Write what a pipe takes of a line; return the rest, nothing if nobody reads it."""
    try:
        return line[os.write(target, line) :]
    except BrokenPipeError:
        return b""
