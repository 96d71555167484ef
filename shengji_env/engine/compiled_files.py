"""The files in which compiled functions are kept: where they are, and that a damaged one counts as missing.

Numba reads whatever is left of a file that was cut when a disk was full or a machine stopped, and fails each time. Here
each file begins with a digest of the rest; one that does not match is written anew, as is one that others may have
written (`own_files.py`). Code is found by what it was made from (`reached.py`), and its file says so, too: if a process
ends between writing index and code, the index leads to a file of another version.
"""

import contextlib
import hashlib
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

from numba.core import caching as numba_caching
from numba.core import config as numba_config

from shengji_env.engine.compiler import compiled, unsaved
from shengji_env.engine.own_files import is_own
from shengji_env.engine.reached import digest_of_reached

_MOST = 32
"""Versions of a function and types of its arguments that are kept; then all make room."""


class _Locator(numba_caching._CacheLocator):  # type: ignore[misc]  # Numba's classes have no types
    """Where the code of a function is cached: by its module and name, wherever the package is installed."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._folder, self._module = numba_config.CACHE_DIR, py_func.__module__
        self._py_file = py_file  # for Numba's warnings

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_Locator":
        """Return where a function is cached."""
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return an empty stamp, since code is found by a digest of what it was made from."""
        return ""

    def get_disambiguator(self) -> str:
        """Return the module: Numba's own part of the file's name is only the last word of it."""
        return str(self._module)


class _Codes(numba_caching.CompileResultCacheImpl):  # type: ignore[misc]  # as above
    """How the cache of a function is read and written: in Numba's way, but elsewhere."""

    _locator_classes: ClassVar[list[Any]] = [_Locator]


class _WholeFiles(numba_caching.IndexDataCacheFile):  # type: ignore[misc]  # as above
    """A function's index and its data, each in a file after a digest of it."""

    def load(self, key: Any) -> Any:
        """Return the code under a key; None: there is none."""
        kept_as, data = super().load(key) or (None, None)
        return data if kept_as == key else None

    def save(self, key: Any, data: Any) -> None:
        """Keep code under a key."""
        if len(self._load_index()) >= _MOST:
            self.flush()
        super().save(key, (key, data))

    def _load_index(self) -> Any:
        try:
            return self._load_data(self._index_name)
        except OSError:
            return {}

    def _save_index(self, overloads: Any) -> None:
        self._save_data(self._index_name, overloads)

    def _load_data(self, name: str) -> Any:
        """Return what a file holds.

        Raises:
            OSError: it is missing, damaged or not this user's alone, or names what is no longer where it was.
        """
        path, size = Path(self._data_path(name)), hashlib.sha256().digest_size
        content = path.read_bytes()
        if hashlib.sha256(content[size:]).digest() != content[:size] or not is_own(path):
            raise OSError(f"{name} is damaged, or others may have written it")
        try:
            return pickle.loads(content[size:])
        except (ImportError, AttributeError) as error:
            raise OSError(f"{name} is of another module") from error

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return hashlib.sha256(content).digest() + content

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[Any]:
        with super()._open_for_write(filepath) as file:
            os.chmod(file.name, 0o600)
            yield file


class FunctionFiles(numba_caching.FunctionCache):  # type: ignore[misc]  # as above
    """The files of a function; on a full disk the code is not saved, but the process goes on.

    Args:
        kernel: the compiled function.
    """

    _impl_class = _Codes

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel.py_func)
        self._kernel = kernel
        self._reached: str | None = None
        self._cache_file = _WholeFiles(self._cache_path, self._impl.filename_base, "")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what has been compiled from the same; None: nothing, or nobody can say."""
        self._reached = digest_of_reached(self._kernel)
        return None if self._reached is None else super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save what has been compiled, if possible."""
        compiled.append(self._name)
        if self._reached is None or digest_of_reached(self._kernel) is None:
            return
        try:
            super().save_overload(sig, data)
        except OSError:
            unsaved.append(self._name)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), self._reached
