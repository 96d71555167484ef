"""Files that stand there whole or not at all, and files that only one process may write.

A lock is the operating system's: it goes with the process that holds it, however that ends. File systems that know no
locks are written to without one.
"""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO

from shengji_env.errors import ShengjiError

LOCK_NAME = ".lock"
"""The file by which a folder is kept; it stays there."""
_FAR_BYTE = 2**31 - 2
"""The byte that Windows locks: what is locked cannot be read by others, so it lies beyond all that is written."""


class _NamedFile(io.FileIO):
    """A file whose errors name it, as those of writing to a full disk else do not.

    Args:
        path: the file.
        mode: as of `open`.
        name: how errors call it, if otherwise.
    """

    def __init__(self, path: Path, mode: str, name: Path | None = None) -> None:
        super().__init__(str(path), mode)
        self._named = str(name or path)

    def write(self, data: Any) -> int:
        """Write bytes; returns how many."""
        try:
            return super().write(data) or 0
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._named) from error


def open_bytes(path: Path, mode: str) -> BinaryIO:
    """A file for writing bytes (and reading, with ``+`` in the mode); what goes wrong with it later names it too."""
    file = _NamedFile(path, mode.replace("b", ""))
    return io.BufferedRandom(file) if "+" in mode else io.BufferedWriter(file)


def open_text(path: Path, mode: str, *, name: Path | None = None) -> TextIO:
    """A file for writing text (UTF-8, lines end with a newline alone); what goes wrong with it later names it too."""
    return io.TextIOWrapper(io.BufferedWriter(_NamedFile(path, mode, name)), encoding="utf-8", newline="")


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A text file (UTF-8) that takes its place at the end of the block; before, and after an error, the old one stays.

    It is written beside that place as ``.NAME.part``, which is locked; what a killed process leaves there the next one
    overwrites.

    Raises:
        BlockingIOError: another process is writing it.
        OSError: it cannot be written; the error names `path`. What the block raises passes as it is.
    """
    if path.exists() and not path.is_file():  # a pipe, a device: nothing that could be replaced
        with open_text(path, "w") as file:
            yield file
        return
    place = Path(os.path.realpath(path))
    part = place.with_name(f".{place.name}.part")
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
        part.replace(place)
    except BaseException as error:
        if is_mine:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (str(part), None if is_written else str(part)):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def lock_folder(folder: Path) -> IO[Any]:
    """Keep a folder from other runs, as long as the file returned is open: an empty one in it.

    Raises:
        ShengjiError: another run has the folder.
        OSError: it cannot be written to.
    """
    file = (folder / LOCK_NAME).open("ab")
    if not lock_file(file):
        file.close()
        raise ShengjiError(f"another run has {folder}: let it end, or choose another folder")
    return file


def lock_file(file: IO[Any]) -> bool:
    """Keep an open file from other processes until it is closed; False if another one keeps it."""
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
