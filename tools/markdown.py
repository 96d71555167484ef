"""Tables in Markdown: of rows that are given, or of JSON in `docs/`.

A table of JSON has a mark that says where the data lies, and what a row shows of it:

```
<!-- rows results/match_ups
greedy-random, heuristic-greedy: | `{*/player}` | {*/deals:,} | {*/levels:+.3f} |
-->
| player | deals | levels a round |
| --- | --: | --: |
| `greedy` | 1,000 | +1.938 (+1.901 to +1.976) |
<!-- end -->
```

A path leads from `docs/` through folders, files without their suffix, and keys or places in lists. In front of a row
stand the names of what it is written for; without them it is written for all that there is. In a row,
``{PATH:FORMAT}`` is a value below the mark's path, ``*`` the row's name; ``{PATH?:FORMAT}`` may be missing. The two
lines of the head are the page's own.

| value | is written as |
|---|---|
| number, text, null | a number with the minus of typography; the text; – |
| `[value, low, high]`, `[value]` | +0.501 (+0.478 to +0.523); +0.501 |
| `[low, high]` | 0.9 to 1.0 |
| more numbers | a cell each |
| `{"lower": …, "upper": …}` | bounds, as `research.solving` prints them |
"""

import functools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from shengji_env.arena.small_games.exploiting import Bounds
from shengji_env.errors import ShengjiError

DOCS = Path(__file__).resolve().parent.parent / "docs"
_FIELD = re.compile(r"\{([^{}:?]+)(\??)(?::([^{}]*))?\}")


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, texts: Iterable[int]) -> str:
    """Return a table; the columns in `texts` are not numbers."""
    marks = ["---" if column in texts else "--:" for column in range(len(head))]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, marks, *rows))


def rows_of(mark: str) -> str:
    """Return the rows that the text of a mark after its ``rows`` describes.

    Raises:
        ShengjiError: a path leads nowhere.
    """
    path, *lines = mark.strip().splitlines()
    data = find(DOCS, path)
    return "".join(f"{row}\n" for line in lines for row in _rows(data, line))


def find(data: Any, path: str) -> Any:
    """Return what a path leads to.

    Raises:
        ShengjiError: it leads nowhere.
    """
    for part in path.split("/"):
        try:
            data = _below(data, part)
        except (LookupError, ValueError, OSError):
            raise ShengjiError(f"{path}: there is no {part}") from None
    return data


def _below(data: Any, part: str) -> Any:
    if isinstance(data, Path):
        return folder if (folder := data / part).is_dir() else _read(folder.with_name(f"{part}.json"))
    return data[int(part)] if isinstance(data, list) else data[part]


@functools.cache
def _read(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def _rows(data: Any, line: str) -> Iterator[str]:
    """Yield the rows that a line of a mark describes."""
    named, _, row = line.partition("|")
    everything = range(len(data)) if isinstance(data, list) else data
    for name in named.removesuffix(": ").split(", ") if named else map(str, everything):
        yield "|" + _FIELD.sub(functools.partial(_cell, data, name), row)


def _cell(data: Any, name: str, field: re.Match[str]) -> str:
    path, optional, spec = field.groups("")
    if path == "*":
        return name
    try:
        return shown(find(data, path.replace("*", name)), spec)
    except ShengjiError:
        if optional:
            return ""
        raise


def shown(value: Any, spec: str = "") -> str:
    """Return a value as tables have it."""
    match value:
        case None:
            return "–"
        case str():
            return value
        case {"lower": lower, "upper": upper}:
            return Bounds(lower, upper).text().replace("-", "−")
        case [one]:
            return shown(one, spec)
        case [low, high]:
            return f"{shown(low, spec)} to {shown(high, spec)}"
        case [number, low, high]:
            return f"{shown(number, spec)} ({shown([low, high], spec)})"
        case [*numbers]:
            return " | ".join(shown(number, spec) for number in numbers)
        case _:
            return format(value, spec).replace("-", "−")
