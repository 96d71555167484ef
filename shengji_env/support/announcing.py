"""The announcement of what must be compiled, when environments and players are made.

A process compiles under a lock, and others wait for it instead of compiling the same. The lock is the operating
system's: if the process is killed, the next one resumes with what has not been compiled yet. Who needs several
parts has them compiled ahead, in two processes (`get_ready`).
"""

import contextlib
import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from shengji_env.engine.compile import is_compiled, is_kept, lock_path, mark_compiled
from shengji_env.support.cores import num_cores
from shengji_env.support.whole_files import lock_file

_SECONDS_BETWEEN_LOOKS = 0.1
_ONCE = "once for this version and machine"
_ALONE = (
    "for this process alone, since the cache cannot be written to, or others may write to it;"
    " XDG_CACHE_HOME can name another folder"
)


def announce_compiling(
    kernels: str, call_all: Callable[[], object], *, layer: str = "tables", what: str = "the engine"
) -> None:
    """Compile some kernels unless another process has, and say so on the terminal, since it takes a while.

    Args:
        kernels: a name for the kernels, unique in their layer.
        call_all: calls or compiles all of them; it announces no kernels of this name.
        layer: the highest layer among them: they are compiled again when its sources, or those below, have changed.
        what: what the message calls them.
    """
    if is_compiled(kernels, layer):
        if _loads_all.get():
            call_all()
        return
    with _only_here(lock_path(kernels, layer), what):
        if is_compiled(kernels, layer):
            return
        with contextlib.nullcontext() if _is_said.get() else note_on(what), no_collection():
            call_all()
        mark_compiled(kernels, layer)


@contextlib.contextmanager
def loading_all() -> Iterator[None]:
    """Load in the block what has been compiled, too: of its files, those that are damaged are made again."""
    before = _loads_all.set(True)
    try:
        yield
    finally:
        _loads_all.reset(before)


_loads_all = ContextVar("_loads_all", default=False)


@contextlib.contextmanager
def note_on(what: str) -> Iterator[None]:
    """Say that something is compiled in the block, and how long it took; notes on its parts are left out."""
    _say(f"compiling {what}, {_ONCE if is_kept() else _ALONE} …")
    began, before = time.perf_counter(), _is_said.set(True)
    try:
        yield
    finally:
        _is_said.reset(before)
    _say(f"compiled in {time.perf_counter() - began:.0f} s")


_is_said = ContextVar("_is_said", default=False)
"""Whether the user has been told that this process compiles."""


@dataclass(frozen=True)
class Part:
    """Kernels that are compiled together."""

    help: str
    """What needs them."""
    make: Callable[[], object]
    """Compiles them, with a note, unless a process has done so before."""
    layer: str = "tables"
    """The layer that keeps their mark (`engine/compile.py`)."""


def get_ready(parts: Mapping[str, Part], what: str) -> None:
    """Compile some parts, with one note for all of them, unless processes have done so before.

    A second process begins with the last one and works towards the first. Whoever comes to a part that the other one is
    compiling waits for it, so no order is wrong; it takes the least time if parts that need each other are neighbours.

    Args:
        parts: the parts by name, as `shengji warm-up` knows them, too.
        what: what the note calls them.
    """
    missing = [name for name, part in parts.items() if not is_compiled(name, part.layer)]
    if not missing:
        return
    with note_on(what), _second_process(missing[::-1]):
        for name in missing:
            parts[name].make()


def warm_up_command(names: Sequence[str]) -> list[str]:
    """Return the command of a process that compiles parts and prints a line for each."""
    return [sys.executable, "-m", "shengji_env.cli", "warm-up", "--workers", "1", "--only", *names]


@contextlib.contextmanager
def _second_process(names: Sequence[str]) -> Iterator[None]:
    """Compile parts in a second process too, if there are several, and cores; nothing depends on its success."""
    if len(names) == 1 or num_cores() == 1:
        yield
        return
    with subprocess.Popen(
        warm_up_command(names), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as second:
        try:
            yield
        finally:
            second.terminate()


@contextlib.contextmanager
def _only_here(path: Path, what: str) -> Iterator[None]:
    """Hold a lock in the block; where the file cannot be written, go on without it."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            file = stack.enter_context(path.open("ab"))
            if not lock_file(file):
                if not _is_said.get():
                    _say(f"another process is compiling {what}; waiting for it …")
                while not lock_file(file):
                    time.sleep(_SECONDS_BETWEEN_LOOKS)
        yield


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Collect no garbage in the block: the compiler keeps most of what it makes, and looking takes time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _say(text: str) -> None:
    print(f"shengji_env: {text}", file=sys.stderr, flush=True)  # noqa: T201  # the one note of a library
