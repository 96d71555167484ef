"""Text files from others, read as plain text, JSON or TOML, with a clear error for whatever may be wrong.

| fault | message |
|---|---|
| no file, a folder, no permission | ``cannot read PATH: …`` |
| compressed by gzip, but cut off or damaged | ``cannot read PATH: …`` |
| not UTF-8 (a byte-order mark is allowed, and dropped) | ``PATH is not UTF-8 text`` |
| endless, such as a device | how many characters are read at most |
| not JSON, not TOML | where, and why |
| deeply nested brackets, numbers with thousands of digits | which of the two |

Each is raised as the kind of `ShengjiError` that the caller names.
"""

import gzip
import io
import json
import tomllib
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn, TextIO

from shengji_env.errors import ShengjiError

ENCODING = "utf-8-sig"
"""UTF-8, with or without a byte-order mark."""
COMPRESSED = ".gz"
"""What the names of compressed texts end with, when they are written."""
_GZIP = b"\x1f\x8b"
"""What they begin with."""
MAX_CHARACTERS = 1 << 24
"""Most characters of a whole text, and of a line: hundreds of times the usual number."""
TOO_DEEP = "brackets are nested too deeply"

_UNREADABLE = (OSError, EOFError, zlib.error)

ErrorKind = type[ShengjiError]


class FileText(str):
    """A text that stands in a file, perhaps somebody else's: code that it names is not run."""

    __slots__ = ()


def as_file_texts(value: Any) -> Any:
    """Return what was read of a file, JSON or TOML, with its keys and values that are texts as `FileText`."""
    if isinstance(value, str):
        return FileText(value)
    if isinstance(value, list):
        return [as_file_texts(each) for each in value]
    return {FileText(key): as_file_texts(each) for key, each in value.items()} if isinstance(value, dict) else value


def open_text(path: Path, kind: ErrorKind) -> TextIO:
    """Open a file for reading text; one that gzip has compressed is decompressed, all of its members in a row."""
    try:
        file = path.open("rb")
        return io.TextIOWrapper(_Unpacked(file) if _is_compressed(file) else file, encoding=ENCODING)
    except (OSError, ValueError) as error:
        raise kind(f"cannot read {path}: {reason_of(error)}") from error


def size_of_text(path: Path) -> int | None:
    """Return how many bytes a file's text has; None if that is not known before it is read."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return None if _is_compressed(file) else path.stat().st_size


def check_rereadable(path: Path, why: str, kind: ErrorKind) -> None:
    """Refuse a pipe or device where a file is read more than once, which `why` says."""
    if path.exists() and not path.is_file():
        raise kind(f"{path} can be read only once, and {why}: save it as a file first")


class _Unpacked(gzip.GzipFile):
    """What gzip has compressed; with it, the compressed file is closed."""

    def __init__(self, packed: io.BufferedReader) -> None:
        super().__init__(fileobj=packed)
        self._packed = packed

    def close(self) -> None:
        super().close()
        self._packed.close()


def _is_compressed(file: io.BufferedReader) -> bool:
    """Return whether gzip has compressed an open file, by how it begins, which stays to be read."""
    return file.peek(len(_GZIP)).startswith(_GZIP)


def read_text(path: Path, kind: ErrorKind) -> str:
    """Read all text of a file."""
    try:
        with open_text(path, kind) as file:
            text = file.read(MAX_CHARACTERS + 1)
    except UnicodeDecodeError as error:
        raise kind(f"{path} is not UTF-8 text") from error
    except _UNREADABLE as error:
        raise kind(f"cannot read {path}: {reason_of(error)}") from error
    if len(text) > MAX_CHARACTERS:
        raise kind(f"{path} has more than {MAX_CHARACTERS:,} characters")
    return text


def lines_of(lines: Iterable[str], kind: ErrorKind) -> Iterator[str]:
    """Yield lines from an open file or any other iterable; none may be longer than `MAX_CHARACTERS`."""
    readline = getattr(lines, "readline", None)
    number = 0
    try:
        for line in lines if readline is None else iter(lambda: readline(MAX_CHARACTERS + 1), ""):
            number += 1
            if len(line) > MAX_CHARACTERS:
                raise kind(f"line {number}: it has more than {MAX_CHARACTERS:,} characters")
            yield line
    except UnicodeDecodeError as error:
        raise kind(f"line {number + 1}, or one soon after it, is not UTF-8 text") from error
    except _UNREADABLE as error:
        raise kind(f"line {number + 1} cannot be read: {reason_of(error)}") from error


def parse_json(text: str | bytes, kind: ErrorKind, *, takes_nan: bool = False) -> Any:
    """Parse JSON text; ``NaN`` and ``Infinity`` are refused, unless they are taken, as Python writes them."""
    try:
        return json.loads(text, parse_constant=None if takes_nan else _refuse_constant)
    except json.JSONDecodeError as error:
        raise kind(f"no JSON at character {error.pos}: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise kind(f"no JSON: {_told(error)}") from error


def parse_toml(text: str, kind: ErrorKind) -> dict[str, Any]:
    """Parse TOML text."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise kind(f"not valid TOML: {_told(error)}") from error


def reason_of(error: Exception) -> str:
    """Return why a file cannot be read or written, without the file's name."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def _told(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if "integer string conversion" in str(error):
        return "a number of too many digits"
    return str(error)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")
