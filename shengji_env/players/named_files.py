"""The files that a text names: of users' own code, of programs, and of what these are given.

They tell a player from an earlier one of the same text, as far as can be seen from outside: not what else its code
reads or imports.
"""

import hashlib
import inspect
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from shengji_env.players.callables import find_callable, is_installed
from shengji_env.players.registry import PARTNERS, PROGRAMS, names_code


def files_digest(text: str) -> str:
    """Return a digest of the files that a program's or a callable's text names, their names left out; "" for none."""
    digest, files = hashlib.sha256(), list(dict.fromkeys(_files_of(text)))
    for file in files:
        with file.open("rb") as opened:
            digest.update(hashlib.file_digest(opened, "sha256").digest())
    return digest.hexdigest() if files else ""


def not_compared(players: Iterable[str]) -> str:
    """Return what these digests do not see of some players, for a note; "" if they see all that decides."""
    known_by_files = [text for text in dict.fromkeys(players) if _is_known_by_files(text)]
    if not known_by_files:
        return ""
    return (
        f"; of {', '.join(known_by_files)} only the files that the text names are compared with those of then, not what"
        " their code reads or imports: if that has changed, choose another folder"
    )


def _is_known_by_files(text: str) -> bool:
    head, _, query = text.strip().partition("?")
    if head == PARTNERS:
        return any(_is_known_by_files(each) for _, each in parse_qsl(query))
    return head.startswith(PROGRAMS) or names_code(text) or any(map(_is_known_by_files, _playouts_in(query)))


def _files_of(text: str) -> Iterator[Path]:
    """Yield the files, those of partners one after the other."""
    head, _, query = text.strip().partition("?")
    if head == PARTNERS:
        for _, each in parse_qsl(query):
            yield from _files_of(each)
    elif head.startswith(PROGRAMS):
        command = text.strip().partition(":")[2]
        for word in (command.rpartition("?")[0] or command).replace('"', " ").replace("'", " ").split():
            yield from _at(word.rpartition("=")[2])
    elif names_code(text):
        module, _, name = head.partition(":")
        yield from _of_code(find_callable(text, module, name))
        for _, value in parse_qsl(query):
            yield from _at(value)
    else:
        for each in _playouts_in(query):
            yield from _files_of(each)


def _playouts_in(query: str) -> list[str]:
    """Return the players of playouts that a text names."""
    return [value for name, value in parse_qsl(query) if name == "playouts"]


def _of_code(made: Any) -> Iterator[Path]:
    """Yield the files of a function, or of a class and what it inherits from, that are the user's own."""
    for each in made.__mro__ if inspect.isclass(made) else (made,):
        file = getattr(sys.modules.get(each.__module__), "__file__", None)
        if file is not None and not is_installed(each):
            yield Path(file)


def _at(text: str) -> Iterator[Path]:
    """Yield the file of a path, or the files in its folder."""
    try:
        path = Path(text)
        found = sorted(path.iterdir()) if text and path.is_dir() else [path]
        yield from (each for each in found if each.is_file())
    except (OSError, ValueError):  # no path
        return
