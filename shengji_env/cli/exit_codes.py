"""How a command runs: an exception becomes a sentence on standard error and an exit code.

| event | exit code |
|---|---|
| success, or the reader of the output stops early (such as ``head``) | 0, or the command's own |
| an error that the package raises on purpose; a file or the output cannot be read or written; out of memory | 2 |
| Ctrl-C | 130 |

A warning of the package becomes a note on standard error.
"""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable

from rich.console import Console

from shengji_env.cli.ending import Ending
from shengji_env.errors import ShengjiError, printable
from shengji_env.support.text_files import reason_of

EXIT_ERROR, EXIT_INTERRUPTED = 2, 130
_OUTPUT = "standard output"
_MAX_SHOWN = 4000
"""Most characters shown of an error, which may quote a file or an argument."""


def run_command(program: str, command: Callable[[], int | None], *, interrupted: str = "") -> int:
    """Run a command; return the exit code.

    Args:
        program: name that error messages begin with.
        command: the command; returns its exit code, or None.
        interrupted: message after Ctrl-C, if the interrupt itself has none.
    """
    _open_streams()
    try:
        try:
            code = command() or 0
        finally:
            sys.stdout.flush()  # while an error can still be reported
    except KeyboardInterrupt as error:
        what, ending = str(error) or interrupted, Ending.running
        if ending is None or ending.may_say():
            _say(f"{program}: interrupted" + (f": {what}" if what else ""))
        if ending is not None:
            ending.say()
        return EXIT_INTERRUPTED
    except BrokenPipeError as error:
        if error.filename is None:
            _drop_output()
            return 0
        return _refuse(program, error)
    except (ShengjiError, OSError, MemoryError) as error:
        return _refuse(program, error)
    return code


class OutputConsole(Console):
    """Rich's console on standard output; a broken pipe is left to `run_command`."""

    def on_broken_pipe(self) -> None:
        """Raise the error, for which Rich would end the process."""
        raise BrokenPipeError


def _open_streams() -> None:
    """Open standard streams that the process was started without; write characters that an encoding lacks as ?."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # open as long as the process runs
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """Discard output that is still buffered, so that the interpreter does not complain when it ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _refuse(program: str, error: Exception) -> int:
    what = printable(" ".join(_what(error).split()))
    _say(f"{program}: error: {what if len(what) <= _MAX_SHOWN else what[:_MAX_SHOWN] + ' …'}")
    if _OUTPUT in what:
        _drop_output()
    return EXIT_ERROR


def _what(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory; fewer tables, workers or worlds at once need less"
    if not isinstance(error, OSError) or error.errno is None:
        return str(error)
    name = error.filename
    if name is None and error.errno in (errno.ENOSPC, errno.EIO):
        name = _OUTPUT  # errors about files already have a name
    return reason_of(error) if name is None else f"{name}: {reason_of(error)}"


def _say(text: str) -> None:
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr, flush=True)
