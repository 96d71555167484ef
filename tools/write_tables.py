"""The generated tables of the pages in docs/.

``python -m tools.write_tables`` writes them again in all pages, each between its two marks, ``<!-- NAME -->`` and
``<!-- end -->``, lines of their own; and ``llms.txt``, the list of all pages. `NAME` is one of `TABLES`, or what the
table is made of (``rows``, `tools/markdown.py`).
"""

import functools
import itertools
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from shengji_env.errors import ShengjiError
from shengji_env.players.candidates import features_table
from tools import contents, reference, tracks
from tools.layout_tables import layout_table, players_table, rule_features_table, truth_table
from tools.markdown import rows_of
from tools.option_tables import never_learned_table, options_table, presets_table
from tools.protocol_messages import answers_text, messages_text

TABLES: Mapping[str, Callable[[], str]] = {
    "observation": layout_table,
    "figures": rule_features_table,
    "truth": truth_table,
    "presets": presets_table,
    "options": options_table,
    "presets_zh": functools.partial(presets_table, "zh"),
    "options_zh": functools.partial(options_table, "zh"),
    "never_learned": never_learned_table,
    "players": players_table,
    "features": features_table,
    "messages": messages_text,
    "answers": answers_text,
    **tracks.TABLES,
    **reference.TABLES,
}
"""What writes the tables, by their names."""
DOCS = Path(__file__).resolve().parent.parent / "docs"
_END, _ROWS = "end", "rows "
_MARK = re.compile(r"^<!-- ([\s\S]*?)\s-->$", re.MULTILINE)
_BLOCK = re.compile(rf"(^<!-- ([\s\S]*?)\s-->\n)([\s\S]*?)(^<!-- {_END} -->$)", re.MULTILINE)
_OTHERS = ("ladder.md", "recipes.md")
"""Pages whose tables are written by other programs, when they have run."""


def pages() -> list[Path]:
    """Return the pages that have such tables."""
    found = sorted([*DOCS.rglob("*.md"), *(DOCS.parent / "research").rglob("*.md")])
    marked = (page for page in found if f"\n<!-- {_END} -->\n" in page.read_text(encoding="utf-8"))
    return [page for page in marked if page.name not in _OTHERS]


def with_tables(text: str, tables: Mapping[str, Callable[[], str]] = TABLES) -> str:
    """A document with its tables replaced by the present ones.

    Args:
        text: the document.
        tables: what writes them, by their names.

    Raises:
        ShengjiError: a mark names no table or no data, or has no end or no head.
    """
    marks = _MARK.findall(text)
    for name, end in itertools.zip_longest(marks[::2], marks[1::2]):
        if not name.startswith(_ROWS) and name not in tables:
            raise ShengjiError(f"<!-- {name} --> begins no table; there are {', '.join(tables)}")
        if end != _END:
            raise ShengjiError(f"<!-- {name} --> is followed by {end!r}; it must be followed by <!-- {_END} -->")
    return _BLOCK.sub(functools.partial(_written, tables), text)


def _written(tables: Mapping[str, Callable[[], str]], block: re.Match[str]) -> str:
    first, name, old, last = block.groups()
    if not name.startswith(_ROWS):
        return f"{first}{tables[name]()}{last}"
    head = re.match(r"\|.*\n\|.*\n", old)
    if head is None:
        raise ShengjiError(f"<!-- {name} --> is not followed by the two lines of a table's head")
    return f"{first}{head[0]}{rows_of(name.removeprefix(_ROWS))}{last}"


def main() -> None:
    """Write the tables of all pages again, and the list of pages."""
    contents.PATH.write_text(contents.llms_text(), encoding="utf-8")
    for path in pages():
        path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
