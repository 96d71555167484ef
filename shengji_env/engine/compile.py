"""How the engine is compiled: one decorator, one cache folder for each version of the sources.

Numba's file cache does not notice an edit in a function that a cached one calls, and loads code that was compiled with
other flags. So each layer's cache is in a folder named after a digest of its sources and those of the layers below
(`source_digest.py`), the libraries, the processor and the flags that change compiled code. Folders that nobody has used
for a week are deleted.

Numba finds cached code by the path and content of the source file. Here functions of the layers are found by module and
name alone (`compiled_files.py`): all environments and checkouts of one version share their compiled code and the marks
of what is compiled (`is_compiled`), and whoever edits a comment compiles nothing. Functions of other modules, which the
digest does not cover, have one of their own (`reached.py`).

Only functions that Python calls are compiled by themselves; the others are parts of these (`inner.py`). Under a Numba
of a series for which that was not made, each function is compiled by itself: results are the same, the first use takes
longer.
"""

import atexit
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
from typing import Any, TypeVar

import numpy as np

from shengji_env.engine.compiler import IS_PLAIN, config, typeof, unsaved
from shengji_env.engine.own_files import make_own
from shengji_env.engine.source_digest import LAYERS, digest_of_files, layer_of
from shengji_env.errors import ShengjiError

Function = TypeVar("Function", bound=Callable[..., Any])

_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
_KNOWN_SERIES = ("0.68",)
_SWEEPER = "players"
"""The layer whose first use in a process deletes old caches: environments alone start without the delay."""
_READY = "ready"
_KEEP_SECONDS = 7 * 86400.0
_SPINS = "2000"
_TEMPORARY_HOME = "SHENGJI_ENV_TEMPORARY_HOME"
"""The environment variable by which worker processes find the `temporary_home` of the process that started them."""


def layer_digest(layer: str) -> str:
    """Return a digest of everything on which a layer's compiled code depends."""
    package = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for name in LAYERS[: LAYERS.index(layer) + 1]:
        digest.update(_sources_digest(package, name).encode())
    digest.update(repr([(flag, os.environ.get(flag)) for flag in _FLAGS]).encode())
    digest.update(_machine().encode())
    return digest.hexdigest()[:32]


@functools.cache
def _sources_digest(package: Path, layer: str) -> str:
    """Return the digest of a layer's own sources, noted for later processes where they can read it."""
    try:
        notes = _cache_home()
        make_own(notes)
    except (OSError, RuntimeError):
        notes = None
    return digest_of_files(sorted(package.glob(f"{layer}/**/*.py")), package, notes)


@functools.cache
def _machine() -> str:
    """Return what compiles here and for which processor, since several machines may share a home folder."""
    import llvmlite
    import numba
    from llvmlite import binding as llvm

    versions = numba.__version__, llvmlite.__version__, np.__version__, sys.version
    processor = config.CPU_NAME or llvm.get_host_cpu_name()
    features = config.CPU_FEATURES
    return " ".join((*versions, processor, llvm.get_host_cpu_features().flatten() if features is None else features))


def _cache_home() -> Path:
    """Return the folder of all versions' caches; `XDG_CACHE_HOME` moves it, as for other programs.

    Raises:
        RuntimeError: the user has no home folder.
    """
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shengji_env"


@functools.cache
def cache_folder(layer: str) -> Path:
    """Return a layer's cache, made if needed; for players, also delete old caches of other versions."""
    name = f"{layer}-{layer_digest(layer)}"
    try:
        home = _cache_home()
        make_own(home)
        make_own(home / name)
    except (OSError, RuntimeError):
        home = temporary_home()
        make_own(home / name)
    folder = home / name
    if layer == _SWEEPER:
        _delete_older(home, keep={f"{other}-{layer_digest(other)}" for other in LAYERS})
    return folder


@functools.cache
def temporary_home() -> Path:
    """Return where this process, and those that it starts, keep compiled code if no lasting folder is theirs.

    It is deleted when the process ends by itself.
    """
    inherited = os.environ.get(_TEMPORARY_HOME, "")
    if inherited and Path(inherited).is_dir():
        with contextlib.suppress(OSError):
            make_own(Path(inherited))
            return Path(inherited)
    home = tempfile.mkdtemp(prefix="shengji_env-")
    os.environ[_TEMPORARY_HOME] = home
    atexit.register(_delete_own, home, os.getpid())
    return Path(home)


def _delete_own(home: str, maker: int) -> None:
    """Delete a folder if this is the process that has made it, not one that was forked from it."""
    if os.getpid() == maker:
        shutil.rmtree(home, ignore_errors=True)


def _delete_older(home: Path, keep: set[str]) -> None:
    """Delete caches that nobody has used for a week; another checkout may still use younger ones."""
    for path in home.glob("*-*"):
        if path.name in keep or time.time() - path.stat().st_mtime <= _KEEP_SECONDS:
            continue
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _decorate(function: Function, *, parallel: bool = False, **options: Any) -> Function:
    if IS_PLAIN:
        return function
    import numba

    from shengji_env.engine.compiled_files import FunctionFiles

    # Code compiled above the layers, for example by learners, may call all of them.
    with caching(layer_of(function.__module__) or LAYERS[-1]):
        compiled = numba.njit(nogil=True, parallel=parallel, **options)(function)
        compiled._cache = FunctionFiles(compiled)
        if numba.__version__.rpartition(".")[0] in _KNOWN_SERIES:
            from shengji_env.engine.inner import share_inner  # it takes parts of Numba that others may not have

            share_inner(compiled, function, options)
    result: Function = compiled
    return result


@contextlib.contextmanager
def caching(layer: str = LAYERS[-1]) -> Iterator[None]:
    """Cache in a layer's folder what Numba decorates inside the block."""
    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder(layer))
    try:
        yield
    finally:
        config.CACHE_DIR = before


def jit(function: Function) -> Function:
    """Compile `function` when first called; later processes load it from the cache."""
    return _decorate(function)


def jit_inline(function: Function) -> Function:
    """Compile `function` into its callers; for a function with one caller, this avoids compiling it twice.

    Do not use it for functions called in a `prange` loop: threads would share their variables, and results differ.
    """
    return _decorate(function, inline="always")


def jit_parallel(function: Function) -> Function:
    """Compile `function` as `jit` does, with `prange` loops over all of Numba's threads."""
    return _decorate(function, parallel=True)


def use_threads(number: int) -> None:
    """Let parallel kernels use `number` threads, at most one per core.

    Waiting threads spin for some microseconds and then sleep, unless OpenMP's environment variables say otherwise.
    OpenMP's default, to keep spinning, makes two threads many times slower than one when other programs also use the
    cores; sleeping at once costs more than a step of a small batch (research/trials/performance.md).

    Raises:
        ShengjiError: this process was forked from one that has used threads; OpenMP would end it.
    """
    if IS_PLAIN:
        return
    import numba

    if not _process_with_threads:
        _process_with_threads.append(os.getpid())
        with _spinning(_SPINS):
            numba.set_num_threads(1)  # loads OpenMP, which reads its variables only now
    elif _process_with_threads[0] != os.getpid():
        raise ShengjiError(
            "threads > 1 cannot be used in a process forked from one that has used them;"
            ' start it with multiprocessing.get_context("spawn")'
        )
    numba.set_num_threads(min(number, config.NUMBA_NUM_THREADS))


_process_with_threads: list[int] = []


@contextlib.contextmanager
def _spinning(spins: str) -> Iterator[None]:
    """Set how long GNU's OpenMP spins if it is loaded inside the block, unless the user has set it."""
    if "GOMP_SPINCOUNT" in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ["GOMP_SPINCOUNT"] = spins
    try:
        yield
    finally:
        del os.environ["GOMP_SPINCOUNT"]


def record_type(fields: list[tuple[Any, ...]]) -> np.dtype[np.void]:
    """Return the type of a record for compiled code: fields are aligned, as GPUs need, and cover every byte.

    In memory, fields are sorted by descending alignment, with the given order among equals; a last field fills up the
    record. NumPy would not copy bytes between fields, so equal records could differ in them.
    """
    laid_out = [(name, _without_class(np.dtype(kind)), *shape) for name, kind, *shape in fields]
    laid_out.sort(key=lambda field: -field[1].alignment)
    filling = np.dtype(laid_out, align=True).itemsize - np.dtype(laid_out).itemsize
    if filling:
        laid_out.append(("filling", np.dtype(np.int8), (filling,)))
    return np.dtype((np.record, np.dtype(laid_out, align=True)))


def _without_class(kind: np.dtype[Any]) -> np.dtype[Any]:
    """Return a record type without its class `np.record`, which hides its alignment.

    Values read from a field of this type are `np.record` again if the record around it is.
    """
    if kind.fields is None:
        return kind
    names = list(kind.fields)
    formats, offsets = zip(*(kind.fields[name][:2] for name in names), strict=True)
    layout = {"names": names, "formats": formats, "offsets": offsets, "itemsize": kind.itemsize}
    return np.dtype(layout, align=kind.isalignedstruct)  # type: ignore[call-overload]  # NumPy types a literal only


def compile_for(kernel: Callable[..., Any], *arguments: Any) -> None:
    """Compile a function decorated with `jit` for arguments like these, or load it from the cache; do not call it."""
    compiled: Any = kernel
    compiled.compile(tuple(typeof(argument) for argument in arguments))


def is_compiled(kernels: str, layer: str) -> bool:
    """Return whether an earlier process has compiled some kernels of a layer."""
    return IS_PLAIN or (cache_folder(layer) / f"{kernels}.{_READY}").exists()


def lock_path(kernels: str, layer: str) -> Path:
    """Return the file that a process locks while it compiles some kernels of a layer."""
    return cache_folder(layer) / f"{kernels}.lock"


def is_kept() -> bool:
    """Return whether later processes find what this one compiles: its cache is a lasting one, and all was saved."""
    try:
        home = _cache_home()
    except RuntimeError:
        return False
    return not unsaved and all(cache_folder(layer).parent == home for layer in LAYERS)


def mark_compiled(kernels: str, layer: str) -> None:
    """Note for later processes that some kernels of a layer are in the cache, unless they could not be saved."""
    if not unsaved:
        with contextlib.suppress(OSError):
            (cache_folder(layer) / f"{kernels}.{_READY}").touch()
