"""A bot's process: what it is started with, what is read from it, how it ends.

| it gets | |
|---|---|
| a session and a process group of its own | no signal of the terminal reaches it; what it has started ends with it |
| a few environment variables | `_ENVIRONMENT`, and those that are asked for, whose values no message quotes |
| limits | address space, open files, and if asked for seconds of processor time (`Limits`; on Linux) |
| pipes | nothing is waited for while they are read or written; of stderr only the end is kept |

This is not a sandbox: it keeps a bot that is faulty from harming a tournament, not one that is malicious.
"""

import codecs
import contextlib
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from shengji_env.errors import PlayerError, printable, show
from shengji_env.players.exec.bot_messages import MAX_BYTES, ProtocolError, read_line
from shengji_env.players.identity import paths_in
from shengji_env.support.programs import why_not_started

_ENVIRONMENT = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "XDG_CACHE_HOME",
)  # fmt: skip
"""Variables that a bot finds, if they are set here."""
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
"""Variables that a bot finds in addition, since many bots run at once."""
_SHELL = ("/bin/sh", "-c")
_OURS, _OURS_BY = "shengji", (sys.executable, "-P", "-m", "shengji_env.cli")
"""The first word that stands for the installation that runs, and what starts that, whatever the PATH and the folder."""
_PIECE = 65_536
_LAST_PIECES = 16
"""How often stderr is read once more when something has gone wrong."""
_MAX_STDERR = 1 << 20
"""Most bytes that a bot may write to stderr in a round."""
_TAIL, _TAIL_LINES = 600, 5
"""How much of the end of stderr is reported: bytes, and lines."""
_SHORTEST_SECRET = 6
"""Fewest characters of a word that is kept secret; shorter ones are numbers and the like."""
_DYING = 0.2
"""Seconds for which the end of a process is waited for, once its output has ended."""
GRACE = 1.0
"""Seconds that a process has to end by itself."""
_MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a process may use."""

    memory: int | None = 4096
    """Address space of each of its processes, in megabytes; None: any."""
    files: int = 256
    """Open files."""
    cpu: int | None = None
    """Seconds of processor time of its whole life; None: any."""


@dataclass(frozen=True)
class Program:
    """What a bot is started from."""

    command: str
    """The command; words with blanks in them stand in quotes."""
    is_shell: bool = False
    """Whether a shell reads it."""
    keeps: tuple[str, ...] = ()
    """Environment variables that it finds besides the usual ones."""
    limits: Limits = Limits()
    """What its processes may use."""

    @property
    def words(self) -> list[str]:
        """The program and its arguments; a program ``shengji`` is the one that runs here.

        Raises:
            PlayerError: the command cannot be split into words.
        """
        try:
            words = [*_SHELL, self.command] if self.is_shell else shlex.split(self.command)
        except ValueError as error:
            raise PlayerError(f"command {show(self.command)}: {str(error).lower()}") from error
        if not words or not self.command.strip():
            raise PlayerError("exec: needs a command, such as exec:./my_bot or 'exec:python my_bot.py'")
        return [*_OURS_BY, *words[1:]] if words[0] == _OURS else words

    @property
    def title(self) -> str:
        """What it is called: the file that it runs, or else the command."""
        file = next(filter(os.path.isfile, self._own_words), None)
        return os.path.basename(file) if file else f"{'exec-shell' if self.is_shell else 'exec'}:{self.command}"

    @property
    def files(self) -> list[Path]:
        """The files and folders that it names, also within quotes and as in ``--weights=FILE``."""
        inner = [part for word in self._own_words for part in (word, *word.replace('"', " ").replace("'", " ").split())]
        return list(paths_in(part for word in inner for part in (word, word.rpartition("=")[2])))

    @property
    def _own_words(self) -> list[str]:
        """The words without the program, if that is found on the PATH or lies in a folder ``bin``, as interpreters."""
        try:
            first, *others = shlex.split(self.command)
        except ValueError:  # only a shell can read it
            return []
        return others if others and os.path.basename(os.path.dirname(first)) == "bin" else [first, *others]

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the variables that it finds, out of those given here."""
        kept = {name: given[name] for name in (*_ENVIRONMENT, *self.keeps) if name in given}
        return {**_ONE_THREAD, **kept}


class BotProcess:
    """A process that has been started.

    Attributes:
        fault: why it cannot go on; empty while it can.
        is_ready: whether it has answered ``hello``.
        seen: the deals that it has sat at.

    Raises:
        PlayerError: it cannot be started.
    """

    def __init__(self, program: Program) -> None:
        words, environment = program.words, program.environment(os.environ)
        try:
            self._popen = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                env=environment, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError) as error:
            why = why_not_started(words[0], error)
            raise PlayerError(f"command {show(program.command)} cannot be started: {why}") from error
        _limit(self._popen.pid, program.limits)
        pipes = self._popen.stdin, self._popen.stdout, self._popen.stderr
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in pipes if pipe is not None)
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe, False)
        self.fault = ""
        self.is_ready = False
        self.seen: set[tuple[int, int, int]] = set()
        self._unsent = b""
        self._received = b""
        self._has_begun = False
        self._due = 0
        self._stderr_end = b""
        self._num_stderr = 0
        self._secrets = _secrets_in({name: environment[name] for name in program.keeps if name in environment})

    @property
    def group(self) -> int:
        """Its process group."""
        return self._popen.pid

    @property
    def has_unsent(self) -> bool:
        """Whether lines are left that it has not taken yet."""
        return bool(self._unsent)

    def begin_round(self) -> None:
        """Let it write to stderr again as much as in a round."""
        self._num_stderr = 0

    def send(self, lines: bytes = b"", *, asks: bool = False) -> None:
        """Send lines, as far as it takes them; `asks` says whether they are answered, by one line."""
        self._unsent += lines
        self._due += asks
        if self.fault:
            return
        try:
            sent = os.write(self.stdin, self._unsent) if self._unsent else 0
        except BlockingIOError:
            return
        except OSError:
            self.fail(self.why_ended("it has closed its standard input"))
            return
        self._unsent = self._unsent[sent:]

    def take_line(self) -> bytes | None:
        """Return the line that it has written, without its end; None if it has not ended yet."""
        line, end, rest = self._received.partition(b"\n")
        if not end:
            return None
        self._received = rest
        self._due -= 1
        return line

    def read_stdout(self) -> None:
        """Read what it has written to stdout."""
        piece = _read(self.stdout)
        if piece == b"":
            self.fail(self.why_ended("it has closed its standard output"))
        elif piece is not None:
            self._received += piece
            if not self._has_begun:
                self._begin_received()
            self._check_received()

    def _begin_received(self) -> None:
        """Skip the mark of UTF-8 with which some systems begin what they write."""
        self._has_begun = not codecs.BOM_UTF8.startswith(self._received)
        if self._has_begun:
            self._received = self._received.removeprefix(codecs.BOM_UTF8)

    def _check_received(self) -> None:
        """Check that it has written no more lines than it was asked for, and no long ones."""
        *lines, rest = self._received.split(b"\n")
        unasked = [*lines, *[rest] * bool(rest)][self._due :]
        too_long = [line for line in (*lines, rest) if len(line) > MAX_BYTES]
        if unasked:
            stray = next((line for line in lines if not _is_message(line)), unasked[0])
            self.fail(f"it has written more lines than it was asked for: {self.shown(stray)}")
        elif too_long:
            self.fail(f"it has written a line of more than {MAX_BYTES} bytes, which begins {self.shown(too_long[0])}")

    def read_stderr(self) -> bool:
        """Read what it has written to stderr, of which only the end is kept; return whether it may write more."""
        piece = _read(self.stderr)
        self._keep_end(piece)
        self._num_stderr += len(piece or b"")
        if self._num_stderr > _MAX_STDERR:
            self.fail(f"it has written more than {_MAX_STDERR >> 20} MiB to stderr in a round")
        return piece != b""

    def fail(self, reason: str) -> None:
        """Note why it cannot go on, with the last lines of stderr."""
        if self.fault:
            return
        for _ in range(_LAST_PIECES):
            self._keep_end(_read(self.stderr))
        lines = self._stderr_end[-_TAIL:].decode(errors="replace").splitlines()[-_TAIL_LINES:]
        words = " | ".join(printable(line.strip()) for line in lines if line.strip())
        reason = self._without_secrets(reason.encode(errors="backslashreplace")).decode()
        self.fault = reason + (f"; its last words: {words}" if words else "")

    def shown(self, line: bytes) -> str:
        """Return a line that it has written, as text for a message."""
        return show(self._without_secrets(line).decode(errors="replace"))

    def _keep_end(self, piece: bytes | None) -> None:
        """Keep the end of stderr: enough for a secret that has begun in it to be known when it is whole."""
        most = max([_TAIL, *map(len, self._secrets)])
        self._stderr_end = self._without_secrets(self._stderr_end + (piece or b""))[-most:]

    def _without_secrets(self, text: bytes) -> bytes:
        for word, name in self._secrets.items():
            text = text.replace(word, name)
        return text

    def why_ended(self, otherwise: str, seconds: float = _DYING) -> str:
        """Return how it has ended, for which some seconds are waited; if it still runs, what it has done otherwise."""
        for _ in self._until_ended(seconds):
            pass
        code = self._exit_code()
        if code is None:
            return otherwise
        return f"it has ended, with exit code {code}" if code >= 0 else f"it was ended by {signal.Signals(-code).name}"

    def _exit_code(self) -> int | None:
        """Return its exit code, or minus the signal that has ended it; None: it runs.

        Where the system allows it, the process is not reaped, so that nobody else can get its number.
        """
        if not hasattr(os, "waitid"):
            return self._popen.poll()
        state = os.waitid(os.P_PID, self._popen.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if state is None:
            return None
        return state.si_status if state.si_code == os.CLD_EXITED else -state.si_status

    def _until_ended(self, seconds: float) -> Iterator[None]:
        """Yield now and then until it has ended, or for some seconds."""
        until = time.monotonic() + seconds
        while self._exit_code() is None and time.monotonic() < until:
            yield
            time.sleep(0.005)

    def close_input(self) -> None:
        """Let its standard input end."""
        assert self._popen.stdin is not None
        with contextlib.suppress(OSError):
            self._popen.stdin.close()

    def end(self, *, grace: float = 0.0) -> bool:
        """End it with all that it has started; return whether it has ended by itself within the grace period."""
        if self._popen.stdout is None or self._popen.stdout.closed:
            return True
        self.close_input()
        for _ in self._until_ended(grace):
            self._drain()
        has_ended = self._exit_code() is not None
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.group, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._popen.wait(GRACE)  # a program that runs as another user cannot be killed from here
        for pipe in (self._popen.stdout, self._popen.stderr):
            assert pipe is not None
            pipe.close()
        return has_ended

    def _drain(self) -> None:
        """Read what a process says that is ending, so that it does not wait for a reader."""
        for pipe in (self.stdout, self.stderr):
            while _read(pipe):
                pass


def _secrets_in(given: Mapping[str, str]) -> dict[bytes, bytes]:
    """Return what stands for each word of some environment variables, the longest word first."""
    words = [(word, name) for name, value in given.items() for word in value.split() if len(word) >= _SHORTEST_SECRET]
    return {os.fsencode(word): f"${name}".encode() for word, name in sorted(words, key=lambda each: -len(each[0]))}


def _is_message(line: bytes) -> bool:
    """Return whether a line is a message of the protocol."""
    try:
        read_line(line)
    except ProtocolError:
        return False
    return True


def _read(pipe: int) -> bytes | None:
    """Read what a pipe holds: nothing at its end, None if nothing has come."""
    try:
        return os.read(pipe, _PIECE)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _limit(process: int, limits: Limits) -> None:
    """Limit what a process may use, where the system can do that from outside."""
    if sys.platform != "linux":
        return
    import resource

    memory = resource.RLIM_INFINITY if limits.memory is None else limits.memory * _MEGABYTE
    chosen = [(resource.RLIMIT_AS, memory), (resource.RLIMIT_NOFILE, limits.files), (resource.RLIMIT_CORE, 0)]
    if limits.cpu is not None:
        chosen.append((resource.RLIMIT_CPU, limits.cpu))
    for what, most in chosen:
        highest = resource.getrlimit(what)[1]
        most = most if highest == resource.RLIM_INFINITY else min(most, highest)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            resource.prlimit(process, what, (most, most))
