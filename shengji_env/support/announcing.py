"""The parts of compiled code: each registered where its kernels are, and compiled, with a note, by who needs it first.

A process compiles under a lock, and others wait for it instead of compiling the same. The lock is the operating
system's: if the process is killed, the next one resumes with what has not been compiled yet. Who needs several
parts has them compiled ahead, in two processes (`get_ready`).
"""

import contextlib
import functools
import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from shengji_env.engine.compile import is_compiled, is_kept, lock_path, mark_compiled
from shengji_env.engine.compiler import HAS_NUMBA
from shengji_env.engine.source_digest import LAYERS, layer_of
from shengji_env.support.cores import num_cores
from shengji_env.support.whole_files import lock_file

Value = TypeVar("Value")

_SECONDS_BETWEEN_LOOKS = 0.1
_ONCE = "once for this version and machine"
_ALONE = (
    "for this process alone, since the cache cannot be written to, or others may write to it;"
    " XDG_CACHE_HOME can name another folder"
)


@dataclass(frozen=True)
class Part:
    """Kernels that are compiled together: calling it compiles them, with a note, unless a process has done so before.

    A process compiles under a lock. What is called while a part compiles may need the part itself.
    """

    name: str
    about: str
    """What they are, as notes call them, and after a colon who needs them."""
    layer: str
    """The layer that keeps their mark: they are compiled again when its sources, or those below, have changed."""
    call_all: Callable[[], object]
    """Calls or compiles all of them."""

    @property
    def is_ready(self) -> bool:
        """Whether they have been compiled."""
        return is_compiled(self.name, self.layer)

    def __call__(self) -> None:
        """Compile them, unless that has been done, or is being done by a caller."""
        if not HAS_NUMBA:
            _say_it_is_slow()
        under_way = _under_way.get()
        if self.name in under_way or (self.is_ready and not _loads_all.get()):
            return
        with _set(_under_way, under_way | {self.name}):
            if self.is_ready:
                self.call_all()
            else:
                self._compile()

    def _compile(self) -> None:
        what = self.about.partition(":")[0]
        with _only_here(lock_path(self.name, self.layer), what):
            if self.is_ready:
                return
            with contextlib.nullcontext() if _is_said.get() else _note_on(what), no_collection():
                self.call_all()
            mark_compiled(self.name, self.layer)


PARTS: dict[str, Part] = {}
"""The parts of all modules that have been imported, by name."""


def part(name: str, about: str) -> Callable[[Callable[[], object]], Part]:
    """Make a function that compiles kernels a part of its module's layer; of the highest one if it is in none."""

    def register(call_all: Callable[[], object]) -> Part:
        PARTS[name] = Part(name, about, layer_of(call_all.__module__) or LAYERS[-1], call_all)
        return PARTS[name]

    return register


_under_way: ContextVar[frozenset[str]] = ContextVar("_under_way", default=frozenset())
"""The parts that are being compiled or loaded by callers."""
_loads_all = ContextVar("_loads_all", default=False)
_is_said = ContextVar("_is_said", default=False)
"""Whether the user has been told that this process compiles."""


@contextlib.contextmanager
def _set(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Give a variable another value in the block."""
    before = variable.set(value)
    try:
        yield
    finally:
        variable.reset(before)


def loading_all() -> AbstractContextManager[None]:
    """Load in the block what has been compiled, too: of its files, those that are damaged are made again."""
    return _set(_loads_all, True)


@contextlib.contextmanager
def _note_on(what: str) -> Iterator[None]:
    """Say that something is compiled in the block, and how long it took; notes on its parts are left out."""
    _say(f"compiling {what}, {_ONCE if is_kept() else _ALONE} …")
    began = time.perf_counter()
    with _set(_is_said, True):
        yield
    _say(f"compiled in {time.perf_counter() - began:.0f} s")


def get_ready(parts: Iterable[Part], what: str) -> None:
    """Compile some parts, with one note for all of them, unless processes have done so before.

    A second process begins with the last one and works towards the first. Whoever comes to a part that the other one is
    compiling waits for it, so no order is wrong; it takes the least time if parts that need each other are neighbours.

    Args:
        parts: parts that `shengji warm-up` knows, too.
        what: what the note calls them.
    """
    missing = [each for each in parts if not each.is_ready]
    if not missing:
        return
    with _note_on(what), _second_process([each.name for each in missing[::-1]]):
        for each in missing:
            each()


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


@functools.cache
def _say_it_is_slow() -> None:
    _say("Numba is not installed: all code is plain Python, and some thousand times slower")


def _say(text: str) -> None:
    print(f"shengji_env: {text}", file=sys.stderr, flush=True)  # noqa: T201  # the one note of a library
