"""What options take, read from a command line's text."""

import argparse
from pathlib import Path

_MOST_SHOWN = 40
"""Characters of a refused argument that are shown."""


def whole_number(text: str) -> int:
    """What an option takes that is a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{_brief(text)} is no whole number") from None


def number(text: str) -> float:
    """What an option takes that is a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{_brief(text)} is no number") from None


def file_path(text: str) -> Path:
    """What an option takes that is a path: never an empty one, which would be the working folder."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty; write . for the working folder")
    return Path(text)


def _brief(text: str) -> str:
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…")
