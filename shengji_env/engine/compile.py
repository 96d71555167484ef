"""How the engine is compiled: one decorator, one cache folder for each version of the sources.

Numba's file cache does not see an edit in a function that a cached one calls, and loads code that was compiled under
other flags. So the cache of a floor lives in a folder named after a digest of its sources, of those of the floors
below, of the libraries and the processor, and of the flags that change compiled code; folders that nobody has used for
a week are deleted.

Numba looks for cached code by the path of a source file and, until 0.62, by its date. The folder's name says all that
matters and more, so functions of the floors are looked for by module and line alone (`_FloorLocator`): every
environment and checkout of one version shares what any of them has compiled, and the marks of what is compiled
(`is_compiled`) hold for all of them. Functions of other modules, which the digest does not know, keep Numba's way.
"""

import contextlib
import functools
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import llvmlite
import numba
import numpy as np
from llvmlite import binding as llvm
from numba.core import caching as numba_caching
from numba.core import config as numba_config
from numba.core import types

from shengji_env.errors import ShengjiError

Function = TypeVar("Function", bound=Callable[..., Any])

_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
_FLOORS = ("engine", "envs", "players", "arena")
"""Folders with compiled code, lowest first."""
_STEPPING = "envs"
_READY = "ready"
_KEEP_SECONDS = 7 * 86400.0
_SPINS = "2000"


def _digest(floor: str) -> str:
    """Digest of everything that decides what a floor's compiled code is."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for name in _FLOORS[: _FLOORS.index(floor) + 1]:
        for source in sorted(package.glob(f"{name}/**/*.py")):
            digest.update(source.relative_to(package).as_posix().encode() + source.read_bytes())
    digest.update(repr([(flag, os.environ.get(flag)) for flag in _FLAGS]).encode())
    digest.update(_machine().encode())
    return digest.hexdigest()[:32]


@functools.cache
def _machine() -> str:
    """What compiles here, and for which processor: a home may be shared by several machines."""
    versions = numba.__version__, llvmlite.__version__, np.__version__, sys.version
    return " ".join((*versions, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()))


def _cache_home() -> Path:
    """Folder of all versions' caches; `XDG_CACHE_HOME` moves it, as for other programs.

    Raises:
        RuntimeError: the user has no home.
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shengji_env"


@functools.cache
def _cache_folder(floor: str) -> Path:
    """A floor's cache, made if need be; the highest floor clears away other versions' caches."""
    name = f"{floor}-{_digest(floor)}"
    try:
        home = _cache_home()
        _make_writable(home / name)
    except (OSError, RuntimeError):  # a cache for this process only, since code is loaded from it
        home = _temporary_home()
        _make_writable(home / name)
    folder = home / name
    if floor == _FLOORS[-1]:
        _delete_older(home, keep={f"{other}-{_digest(other)}" for other in _FLOORS})
    return folder


def _make_writable(folder: Path) -> None:
    """Make a folder if need be, and note that it is used.

    Raises:
        OSError: nothing can be written to it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    tempfile.TemporaryFile(dir=folder).close()


@functools.cache
def _temporary_home() -> Path:
    return Path(tempfile.mkdtemp(prefix="shengji_env-"))


def _delete_older(home: Path, keep: set[str]) -> None:
    """Delete what nobody has used for a week: another checkout may still use younger caches."""
    for folder in home.glob("*-*"):
        if folder.name not in keep and time.time() - folder.stat().st_mtime > _KEEP_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _decorate(function: Function, *, parallel: bool = False, **options: Any) -> Function:
    floor = _floor_of(function)
    # What is compiled above the floors, by learners say, may call all of them.
    with caching(floor or _FLOORS[-1]):
        compiled = numba.njit(cache=floor is None, nogil=True, parallel=parallel, **options)(function)
        if not numba_config.DISABLE_JIT:
            if floor is not None:
                compiled._cache = _FloorCache(function)
            _widen(compiled)
    result: Function = compiled
    return result


def _floor_of(function: Callable[..., Any]) -> str | None:
    """The floor whose digest covers a function's source; None: none does."""
    package, floor, *_ = (*function.__module__.split("."), "")
    return floor if package == __name__.partition(".")[0] and floor in _FLOORS else None


class _FloorLocator(numba_caching._CacheLocator):  # type: ignore[misc]  # as Numba's, it has no type
    """Where the code of a floor's function is cached: by its module and line, wherever the package lies."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._folder = Path(numba_config.CACHE_DIR) / py_func.__module__
        self._line = py_func.__code__.co_firstlineno
        self._py_file = py_file  # for Numba's warnings

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_FloorLocator":
        """The place of a function; Numba makes the folder when it has something to keep."""
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Nothing: the folder is for these very sources."""
        return ""

    def get_disambiguator(self) -> str:
        """What tells functions of one name apart."""
        return str(self._line)


class _FloorCodes(numba_caching.CompileResultCacheImpl):  # type: ignore[misc]  # as above
    """How Numba's cache of a floor's function reads and writes: as ever, at another place."""

    _locator_classes: ClassVar[list[Any]] = [_FloorLocator]


class _FloorCache(numba_caching.FunctionCache):  # type: ignore[misc]  # as above
    """Numba's cache of a floor's function. A disk that is full costs what would be kept, not the work."""

    _impl_class = _FloorCodes

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what has been compiled."""
        try:
            super().save_overload(sig, data)
        except OSError:
            _unsaved.append(self._name)


_unsaved: list[str] = []
"""What this process has compiled and could not keep."""


def _widen(compiled: Any) -> None:
    """Let compiled callers pass every integer as 64 bits: one version of a function serves all that it is given.

    Fields of records have 8, 16 or 32 bits, and Numba would compile a function for each combination of them.
    """
    template = compiled.get_call_template

    def widened(arguments: Any, keywords: Any) -> Any:
        narrow = (isinstance(kind, types.Integer) and kind is not types.uint64 for kind in arguments)
        wide = (types.int64 if flag else kind for flag, kind in zip(narrow, arguments, strict=True))
        return template(tuple(wide), keywords)

    compiled.get_call_template = widened


@contextlib.contextmanager
def caching(floor: str = _FLOORS[-1]) -> Iterator[None]:
    """Let what Numba decorates meanwhile be cached in a floor's folder."""
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(_cache_folder(floor))
    try:
        yield
    finally:
        numba_config.CACHE_DIR = before


def jit(function: Function) -> Function:
    """Compile `function` when first called; later processes load it from the cache."""
    return _decorate(function)


def jit_inline(function: Function) -> Function:
    """Like `jit`, as a part of each caller: for what has one caller, which else would be compiled twice.

    Not for what a `prange` loop calls: threads then share its variables, and results differ.
    """
    return _decorate(function, inline="always")


def jit_parallel(function: Function) -> Function:
    """Like `jit`, with `prange` loops over all of Numba's threads."""
    return _decorate(function, parallel=True)


def use_threads(number: int) -> None:
    """Let parallel kernels use so many threads, at most one a core.

    Threads that wait spin for some microseconds and then sleep, unless environment variables of OpenMP say otherwise.
    Its own way, to spin on, makes two threads many times slower than one where other programs use the cores too; to
    sleep at once costs more than a step of a small batch (docs/performance.md).

    Raises:
        ShengjiError: this process was forked from one that has used threads, so that OpenMP would end it.
    """
    if not _process_with_threads:
        _process_with_threads.append(os.getpid())
        with _spinning(_SPINS):
            numba.set_num_threads(1)  # loads OpenMP, which looks at its variables only then
    elif _process_with_threads[0] != os.getpid():
        raise ShengjiError(
            "threads > 1 cannot be used in a process forked from one that has used them;"
            ' start it with multiprocessing.get_context("spawn")'
        )
    numba.set_num_threads(min(number, numba_config.NUMBA_NUM_THREADS))


_process_with_threads: list[int] = []


@contextlib.contextmanager
def _spinning(spins: str) -> Iterator[None]:
    """What OpenMP (GNU's) reads meanwhile about how long to spin, if the user has said nothing."""
    if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = spins
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]


def record_type(fields: list[tuple[Any, ...]]) -> np.dtype[np.void]:
    """The type of a record for compiled code: each field is aligned, as GPUs need it, and no byte lies outside a field.

    Fields come in memory by falling alignment, their order kept among equals; a last one fills the record up. Bytes
    between fields would not be copied by NumPy, so that equal records could differ in them.
    """
    laid_out = [(name, _without_class(np.dtype(kind)), *shape) for name, kind, *shape in fields]
    laid_out.sort(key=lambda field: -field[1].alignment)
    filling = np.dtype(laid_out, align=True).itemsize - np.dtype(laid_out).itemsize
    if filling:
        laid_out.append(("filling", np.dtype(np.int8), (filling,)))
    return np.dtype((np.record, np.dtype(laid_out, align=True)))


def _without_class(kind: np.dtype[Any]) -> np.dtype[Any]:
    """A record type without its class `np.record`, which hides its alignment; values nested in a record keep theirs."""
    if kind.fields is None:
        return kind
    names = list(kind.fields)
    formats, offsets = zip(*(kind.fields[name][:2] for name in names), strict=True)
    layout = {"names": names, "formats": formats, "offsets": offsets, "itemsize": kind.itemsize}
    return np.dtype(layout, align=kind.isalignedstruct)  # type: ignore[call-overload]  # NumPy types a literal only


def compile_for(kernel: Callable[..., Any], *arguments: Any) -> None:
    """Compile what `jit` decorated for arguments like these, without calling it; or load it from the cache."""
    compiled: Any = kernel
    compiled.compile(tuple(numba.typeof(argument) for argument in arguments))


def is_compiled(kernels: str, floor: str = _STEPPING) -> bool:
    """Whether an earlier process has compiled some kernels of a floor."""
    return numba_config.DISABLE_JIT or (_cache_folder(floor) / f"{kernels}.{_READY}").exists()


def mark_compiled(kernels: str, floor: str = _STEPPING) -> None:
    """Note for later processes that some kernels of a floor are in the cache, unless they could not be kept."""
    if not _unsaved:
        with contextlib.suppress(OSError):
            (_cache_folder(floor) / f"{kernels}.{_READY}").touch()
