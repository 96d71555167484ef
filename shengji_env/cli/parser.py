"""The parser of a command line, which takes every option once.

Argparse lets the last of two win without a word. Flags may be repeated, since they mean the same again; so may options
that gather their values (``action="append"``).
"""

import argparse
from collections.abc import Sequence
from typing import Any


class OnceParser(argparse.ArgumentParser):
    """A parser that refuses an option with a value if it is given twice; the parsers of its commands do too."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for name in (None, "store"):
            self.register("action", name, _StoreOnce)


class _StoreOnce(argparse.Action):
    """Stores a value, once in each namespace: there is a new one whenever something is parsed."""

    _filled: argparse.Namespace | None = None

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:  # fmt: skip
        """Store the value; raise the error that argparse shows if there is one already."""
        if option_string is not None and self._filled is namespace:
            all_values = ", with all its values" if self.nargs == argparse.ONE_OR_MORE else ""
            raise argparse.ArgumentError(self, f"it is given twice; give it once{all_values}")
        self._filled = namespace
        setattr(namespace, self.dest, values)
