"""Docstrings as Sphinx reads them: their Markdown tables become reStructuredText, their colons stay colons."""

import re
from itertools import groupby
from typing import Any

_RULE = re.compile(r"\|[\s:|-]+\|")
"""The line below a table's head."""
_BAR = re.compile(r"(?<!\\)\|")
_VALUES = ("attribute", "data", "property")


def restructured(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Make a docstring ready for napoleon, in place; an `autodoc-process-docstring` handler.

    Napoleon takes what comes before a colon in the first line about a value for its type, so an empty comment comes
    first.
    """
    written: list[str] = []
    for is_table, group in groupby(lines, key=lambda line: line.lstrip().startswith("|")):
        block = list(group)
        written += _list_table(block) if is_table else block
    lines[:] = ["..", "", *written] if what in _VALUES else written


def _list_table(rows: list[str]) -> list[str]:
    """Return a Markdown table as a ``list-table`` directive."""
    indent = " " * (len(rows[0]) - len(rows[0].lstrip()))
    has_head = len(rows) > 1 and _RULE.fullmatch(rows[1].strip()) is not None
    table = ["", ".. list-table::", *(["   :header-rows: 1"] if has_head else []), ""]
    for row in rows:
        if _RULE.fullmatch(row.strip()):
            continue
        cells = [cell.strip() for cell in _BAR.split(row.strip())[1:-1]]
        table += [f"   {'* -' if place == 0 else '  -'} {cell}".rstrip() for place, cell in enumerate(cells)]
    return [indent + line if line else line for line in [*table, ""]]
