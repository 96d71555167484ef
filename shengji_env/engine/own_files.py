"""Folders and files that nobody else may have written. Compiled code may do anything, so no others are read."""

import os
import sys
import tempfile
from pathlib import Path


def is_own(path: Path) -> bool:
    """Return whether a folder or file belongs to this user, or to root, and nobody else may write to it.

    A link must belong to them, too. Windows has no such owners; there, everything is one's own.

    Raises:
        OSError: there is none.
    """
    if sys.platform == "win32":
        return True
    status = path.stat()
    return {status.st_uid, path.lstat().st_uid} <= {0, os.geteuid()} and not status.st_mode & 0o022


def make_own(folder: Path) -> None:
    """Make a folder if needed, mark it as used, and check that this user can write to it, and nobody else.

    Raises:
        OSError: it cannot be written to, or others may write to it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_own(folder):
        raise PermissionError(f"others may write to {folder}")
    os.utime(folder)
    tempfile.TemporaryFile(dir=folder).close()
