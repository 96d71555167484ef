"""Types of options: values read from the text of the command line."""

import argparse
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
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{_brief(text)} is not a number") from None


def file_path(text: str) -> Path:
    """Read a path; an empty one is refused, since it would be the working folder."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty; write . for the working folder")
    return Path(text)


def _brief(text: str) -> str:
    return repr(text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…")
