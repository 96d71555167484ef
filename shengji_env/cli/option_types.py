"""Types of options: values read from the text of the command line."""

import argparse
import math
import os
from pathlib import Path

_MAX_SHOWN = 40
"""Most characters shown of a refused argument."""


def whole_number(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{_brief(text)} is not a whole number") from None


def number(text: str) -> float:
    """Read a number, which is finite."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{_brief(text)} is not a number")
    return value


def file_path(text: str) -> Path:
    """Read a path; an empty one is refused, since it would be the working folder."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty; write . for the working folder")
    return Path(text)


def output_file(text: str) -> Path:
    """Read the path of a file that is written at the end; one that could not be is refused at once."""
    path = file_path(text)
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{_brief(text)} is a folder; name a file")
    if not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise argparse.ArgumentTypeError(f"{_brief(text)} cannot be written")
    return path


def _brief(text: str) -> str:
    return repr(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…")
