"""Installed distributions, made importable from a folder of links."""

from importlib.metadata import Distribution
from pathlib import Path


def link_into(folder: Path, distribution: Distribution) -> None:
    """Make a distribution importable from a folder."""
    for name in {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}:
        if not (folder / name).exists():
            (folder / name).symlink_to(distribution.locate_file(name))
