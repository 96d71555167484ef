"""The announcement of what must be compiled, when environments and players are made.

A process compiles under a lock, and others wait for it instead of compiling the same. The lock is the operating
system's: if the process is killed, the next one resumes with what has not been compiled yet.
"""

import contextlib
import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

from shengji_env.engine.compile import is_compiled, is_kept, lock_path, mark_compiled
from shengji_env.support.whole_files import lock_file

_SECONDS_BETWEEN_LOOKS = 0.1
_ONCE = "once for this version and machine"
_ALONE = "for this process alone, since the cache cannot be written to; XDG_CACHE_HOME can name another folder"


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
