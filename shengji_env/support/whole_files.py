"""Files that are written whole or not at all, and files that only one process may write.

Locks are the operating system's: a lock ends with the process that holds it, however that process ends. On file
systems without locks, files are written without one.
"""

import contextlib
import errno
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO

from shengji_env.errors import ShengjiError

LOCK_NAME = ".lock"
"""The file that locks a folder; it stays there."""
_FAR_BYTE = 2**31 - 2
"""The byte that Windows locks: others cannot read a locked byte, so it lies beyond everything that is written."""


class _NamedFile(io.FileIO):
    """A file whose errors name it; those of writing to a full disk would not otherwise.

    Args:
        path: the file.
        mode: as for `open`.
        name: the name that errors give, if not `path`.
    """

    def __init__(self, path: Path, mode: str, name: Path | None = None) -> None:
        super().__init__(str(path), mode)
        self._named = str(name or path)

    def write(self, data: Any) -> int:
        """Write bytes; return how many."""
        try:
            return super().write(data) or 0
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._named) from error


def open_bytes(path: Path, mode: str) -> BinaryIO:
    """Open a file for writing bytes (and reading, with ``+`` in the mode); later errors name the file too."""
    file = _NamedFile(path, mode.replace("b", ""))
    return io.BufferedRandom(file) if "+" in mode else io.BufferedWriter(file)


def open_text(path: Path, mode: str, *, name: Path | None = None) -> TextIO:
    """Open a file for writing text (UTF-8, lines end with a newline alone); later errors name the file too."""
    return io.TextIOWrapper(io.BufferedWriter(_NamedFile(path, mode, name)), encoding="utf-8", newline="")


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Open a text file (UTF-8) that replaces `path` when the block ends; until then, or on an error, the old one stays.

    It is written in the same folder as ``.NAME.part``, under a lock; what a killed process left there is overwritten.

    Raises:
        BlockingIOError: another process is writing the file.
        OSError: the file cannot be written; the error names `path`. Errors raised in the block pass through unchanged.
    """
    if path.exists() and not path.is_file():  # a pipe, a device: nothing that could be replaced
        with open_text(path, "w") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{target.name}.part")
    is_mine = is_written = False
    try:
        with open_text(part, "a", name=path) as file:
            is_mine = lock_file(file)
            if not is_mine:
                raise BlockingIOError(errno.EAGAIN, "another run is writing it", str(path))
            file.truncate(0)
            yield file
            is_written = True
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException as error:
        if is_mine:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (str(part), None if is_written else str(part)):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    _sync_folder(target.parent)


def write_whole(path: Path, content: bytes) -> None:
    """Write bytes to a file in one step, as `whole_file` does; its folder is made if need be."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.buffer.write(content)


def write_json(path: Path, value: Any, *, indent: int | None = 2, ensure_ascii: bool = False) -> None:
    """Write a value as a file of JSON, all of it or none; the file ends with a line break."""
    write_whole(path, (json.dumps(value, indent=indent, ensure_ascii=ensure_ascii) + "\n").encode())


def _sync_folder(folder: Path) -> None:
    """Have a folder's entries on disk, if the system can do so: the file itself is whole either way."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def lock_folder(folder: Path) -> IO[Any]:
    """Lock a folder against other runs for as long as the returned file, an empty one in the folder, is open.

    Raises:
        ShengjiError: another run holds the lock.
        OSError: the folder cannot be written to.
    """
    file = (folder / LOCK_NAME).open("ab")
    if not lock_file(file):
        file.close()
        raise ShengjiError(f"another run has {folder}: let it end, or choose another folder")
    return file


def lock_file(file: IO[Any]) -> bool:
    """Lock an open file against other processes until it is closed; return False if another one holds the lock."""
    try:
        if sys.platform == "win32":
            import msvcrt

            before = os.lseek(file.fileno(), 0, os.SEEK_CUR)
            os.lseek(file.fileno(), _FAR_BYTE, os.SEEK_SET)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            os.lseek(file.fileno(), before, os.SEEK_SET)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True
