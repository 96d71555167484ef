"""Who a player is, as far as that can be seen from outside: digests of what it is made of.

| player | its identity |
|---|---|
| of the package | digests of its networks; the rest its text and the package's version say |
| a user's own | the files of its code, and what its arguments name: files, and the files in a folder |
| ``exec:COMMAND`` | what the command names |

Of code in Python, there is also what its texts name, defaults among them, and what it imports that is not installed.
What a program computes the name of is not seen. A player may say itself who it is (`Player.identity`).
"""

import ast
import contextlib
import hashlib
import inspect
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from shengji_env.players.callables import is_installed, is_installed_file

UNKNOWN = "unknown"
"""What is said of a player of which no file can be seen."""
FILES = "files "
"""How a digest of files begins."""
_SYSTEM = ("proc",), ("sys",), ("dev",)
"""Folders of what is no file: it changes, may have no end, and may wait for something."""
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
    """Return a digest of the content of files, and of files in folders, with what code among them names and imports.

    It is UNKNOWN if one is not there.
    """
    digest, paths = hashlib.sha256(), list(dict.fromkeys(paths))
    try:
        for path in _with_what_code_names(file for each in paths for file in _files_at(each)):
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
    """Yield the files and folders that arguments name, also as ``policy:PATH?…`` and the like."""
    for text in (each for each in arguments if isinstance(each, str)):
        for name in (text, text.partition("?")[0].partition(":")[2]):
            path = Path(name)
            with contextlib.suppress(OSError, ValueError):  # no path
                is_there = name and (path.is_file() or path.is_dir())  # a device may have no end
                if is_there and path.resolve().parts[1:2] not in _SYSTEM:
                    yield path


def _with_what_code_names(files: Iterable[Path]) -> Iterator[Path]:
    seen, waiting = set(), list(files)
    for path in waiting:  # grows
        if path.resolve() not in seen:
            seen.add(path.resolve())
            yield path
            waiting += _named_in(path) if path.suffix == ".py" else ()


def _named_in(code: Path) -> Iterator[Path]:
    """Yield what the texts in code name (files, and the files in ``a/folder``), and what it imports."""
    try:
        nodes = list(ast.walk(ast.parse(code.read_bytes())))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imported(node, code)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for path in paths_in((node.value, os.path.join(code.parent, node.value))):
                if path.is_file() or len(Path(node.value).parts) > 1:  # not whatever folder has the name of something
                    yield from _files_at(path)


def _imported(node: ast.Import | ast.ImportFrom, code: Path) -> Iterator[Path]:
    """Yield the files of modules that are imported, but not installed."""
    names, folders = [each.name for each in node.names], [code.parent, Path(), *map(Path, sys.path)]
    if isinstance(node, ast.ImportFrom):
        names = [node.module or "__init__", *(f"{node.module}.{name}" if node.module else name for name in names)]
        folders = [code.absolute().parents[node.level - 1]] if node.level else folders
    for path in (folder.joinpath(*name.split(".")) for name in names for folder in folders):
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.is_file() and not is_installed_file(file):
                yield file


def _files_at(path: Path) -> Iterable[Path]:
    return sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else (path,)
