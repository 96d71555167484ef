"""The files in which compiled functions are kept: where they are, and that a damaged one counts as missing.

Numba reads whatever is left of a file that was cut when a disk was full or a machine stopped, and fails each time. Here
each file begins with a digest of the rest; one that does not match is written anew.
"""

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from numba.core import caching as numba_caching
from numba.core import config as numba_config

compiled: list[str] = []
"""Functions that this process has compiled, and not loaded."""
unsaved: list[str] = []
"""Those of them that it could not save."""


class _LayerLocator(numba_caching._CacheLocator):  # type: ignore[misc]  # Numba's classes have no types
    """Where the code of a layer's function is cached: by its module and name, wherever the package is installed."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._folder = Path(numba_config.CACHE_DIR) / py_func.__module__
        self._py_file = py_file  # for Numba's warnings

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_LayerLocator":
        """Return where a function is cached; Numba makes the folder when it has something to save."""
        return cls(py_func, py_file)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return an empty stamp, since the folder belongs to exactly these sources."""
        return ""

    def get_disambiguator(self) -> str:
        """Return nothing: a module has one function of a name."""
        return ""


class _LayerCodes(numba_caching.CompileResultCacheImpl):  # type: ignore[misc]  # as above
    """How the cache of a layer's function is read and written: in Numba's way, but elsewhere."""

    _locator_classes: ClassVar[list[Any]] = [_LayerLocator]


class _WholeFiles(numba_caching.IndexDataCacheFile):  # type: ignore[misc]  # as above
    """A function's index and its data, each in a file after a digest of it."""

    def _load_index(self) -> Any:
        try:
            stamp, overloads = self._load_data(self._index_name)
        except OSError:
            return {}
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: Any) -> None:
        self._save_data(self._index_name, (self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        """Return what a file holds.

        Raises:
            OSError: it is missing or damaged, or its module was imported by another name, such as that of a script.
        """
        content, size = Path(self._data_path(name)).read_bytes(), hashlib.sha256().digest_size
        if hashlib.sha256(content[size:]).digest() != content[:size]:
            raise OSError(f"{name} is damaged")
        try:
            return pickle.loads(content[size:])
        except ImportError as error:
            raise OSError(f"{name} is of another module") from error

    def _dump(self, obj: Any) -> bytes:
        content: bytes = super()._dump(obj)
        return hashlib.sha256(content).digest() + content


class FunctionFiles(numba_caching.FunctionCache):  # type: ignore[misc]  # as above
    """The files of a function; on a full disk the code is not saved, but the process goes on."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _WholeFiles(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save what has been compiled, if possible."""
        compiled.append(self._name)
        try:
            super().save_overload(sig, data)
        except OSError:
            unsaved.append(self._name)


class LayerFiles(FunctionFiles):
    """The files of a layer's function."""

    _impl_class = _LayerCodes
