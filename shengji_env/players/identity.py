"""Who a player is, as far as that can be seen from outside: digests of what it is made of.

| player | its identity |
|---|---|
| of the package | digests of its networks; the rest its text and the package's version say |
| a user's own | the files of its code, and what its arguments name: files, and the files in a folder |
| ``exec:COMMAND`` | what the command names |

What code reads or imports besides is not seen. A player may say itself who it is (`Player.identity`).
"""

import contextlib
import hashlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from shengji_env.players.callables import is_installed

UNKNOWN = "unknown"
"""What is said of a player of which no file can be seen."""
FILES = "files "
"""How a digest of files begins."""
_PACKAGE = __name__.partition(".")[0]


def identity_of_code(made: Any, named: Iterable[Path]) -> tuple[str, ...]:
    """Return the identity of what a class or function makes; empty if it is the package's and nothing is named.

    Args:
        made: the class or function.
        named: what arguments name besides.
    """
    paths = [*code_files(made), *named]
    return identity_of_paths(paths) if paths else ()


def identity_of_paths(paths: Iterable[Path]) -> tuple[str, ...]:
    """Return a digest of the content of some files, and of the files in folders; UNKNOWN if one is not there."""
    digest, paths = hashlib.sha256(), list(dict.fromkeys(paths))
    try:
        for path in dict.fromkeys(file for each in paths for file in _files_at(each)):
            with path.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
    except OSError:
        return (UNKNOWN,)
    return (FILES + digest.hexdigest(),) if paths else (UNKNOWN,)


def code_files(made: Any) -> Iterator[Path]:
    """Yield the files of a function, or of a class and what it inherits from; none for what is the package's.

    Of installed packages there is at most the class itself.
    """
    for each in made.__mro__ if inspect.isclass(made) else (made,):
        is_package = each.__module__.partition(".")[0] == _PACKAGE
        if not is_package and (each is made or not is_installed(each)):
            yield Path(getattr(sys.modules.get(each.__module__), "__file__", None) or f"<{each.__module__}>")


def paths_in(arguments: Iterable[object]) -> Iterator[Path]:
    """Yield the files and folders that arguments name, also as ``values:PATH?…`` and the like."""
    for text in (each for each in arguments if isinstance(each, str)):
        for name in (text, text.partition("?")[0].partition(":")[2]):
            path = Path(name)
            with contextlib.suppress(OSError, ValueError):  # no path
                if name and (path.is_file() or path.is_dir()):  # a device may have no end
                    yield path


def _files_at(path: Path) -> Iterable[Path]:
    return sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else (path,)
