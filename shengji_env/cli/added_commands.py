"""Commands that other packages add to ``shengji``: the entry points ``shengji_env.commands``."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


class Command(Protocol):
    """A module that is a command."""

    DESCRIPTION: str
    EPILOG: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Give its parser its arguments."""

    def run(self, arguments: argparse.Namespace) -> int | None:
        """Run it; return the exit code, None for 0."""


@dataclass(frozen=True)
class AddedCommand:
    """A command of another package. Its module is imported when it is named, this alone when commands are listed."""

    group: str
    """Under which heading `shengji --help` lists it."""
    what: str
    """What it does, in a few words."""
    load: Callable[[], Command]
    """Imports its module."""
