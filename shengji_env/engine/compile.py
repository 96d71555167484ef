"""How the engine is compiled: one decorator, one cache folder for each version of the sources.

Numba's file cache does not see an edit in a function that a cached one calls, and loads code that was compiled under
other flags. So the cache lives in a folder named after a digest of the engine's sources and of the flags that
change compiled code; folders of older digests are deleted.
"""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config as numba_config

Function = TypeVar("Function", bound=Callable[..., Any])

_FLAGS = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
_READY = "ready"


def _digest() -> str:
    """Digest of everything that decides what the compiled code is."""
    package = Path(__file__).resolve().parent.parent
    sources = sorted([*package.glob("engine/*.py"), *package.glob("envs/*.py"), *package.glob("arena/*.py")])
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.relative_to(package).as_posix().encode() + source.read_bytes())
    digest.update(repr([(flag, os.environ.get(flag)) for flag in _FLAGS]).encode())
    digest.update(f"{numba.__version__} {sys.version}".encode())
    return digest.hexdigest()[:32]


def _cache_home() -> Path:
    """Folder of all versions' caches; `XDG_CACHE_HOME` moves it, as for other programs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shengji_env"


def _delete_older(home: Path, keep: Path, age: float = 7 * 86400.0) -> None:
    """Delete the caches that nobody has used for a week: another checkout may still use a younger one."""
    for folder in home.glob("*"):
        if folder != keep and folder.is_dir() and time.time() - folder.stat().st_mtime > age:
            shutil.rmtree(folder, ignore_errors=True)


def _open_cache() -> Path:
    home = _cache_home()
    folder = home / _digest()
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    _delete_older(home, folder)
    return folder


_CACHE = _open_cache()


def _decorate(function: Function, *, parallel: bool) -> Function:
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(_CACHE)
    try:
        compiled: Function = numba.njit(cache=True, nogil=True, parallel=parallel)(function)
        return compiled
    finally:
        numba_config.CACHE_DIR = before


def jit(function: Function) -> Function:
    """Compile `function` when first called; later processes load it from the cache."""
    return _decorate(function, parallel=False)


def jit_parallel(function: Function) -> Function:
    """Like `jit`, with `prange` loops over all of Numba's threads."""
    return _decorate(function, parallel=True)


def is_compiled() -> bool:
    """Whether an earlier process has compiled this version's kernels."""
    return numba_config.DISABLE_JIT or (_CACHE / _READY).exists()


def mark_compiled() -> None:
    """Note for later processes that this version's kernels are in the cache."""
    (_CACHE / _READY).touch()
