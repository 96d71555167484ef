"""The tables of docs/reference/: the modules of a page with their first sentences, and the names that they offer.

The directives of those pages are read by Sphinx alone; the tables are for whoever reads them elsewhere.
"""

import functools
import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from tools.markdown import table

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
_MODULE = re.compile(r"^\.\. automodule:: (\S+)\n((?:   :.*\n)*)", re.MULTILINE)


def modules_table(page: str) -> str:
    """Return the table of a page's modules: Markdown."""
    found = _MODULE.findall((FOLDER / f"{page}.md").read_text(encoding="utf-8"))
    rows = [
        (f"`{name}`", first_sentence(importlib.import_module(name)), _names(name, options)) for name, options in found
    ]
    return table(("module", "what", "names"), rows, texts=(0, 1, 2))


def first_sentence(documented: object) -> str:
    """Return how a docstring begins, without its full stop."""
    text = " ".join((inspect.getdoc(documented) or "").partition("\n\n")[0].split())
    return re.sub(r"`+", "`", re.split(r"\.(?:\s|$)", text, maxsplit=1)[0]).replace("|", "\\|")


def _names(module: str, options: str) -> str:
    """Return the names that a page documents of a module."""
    (members,) = re.findall(r":members:(.*)", options)
    left_out = re.findall(r":exclude-members:(.*)", options)
    without = {name.strip() for text in left_out for name in text.split(",")}
    names = [name.strip() for name in members.split(",") if name.strip()] or _public(module)
    return ", ".join(f"`{name}`" for name in names if name not in without)


def _public(module: str) -> list[str]:
    """Return what Sphinx takes for the members of a module: its list, or the documented names made in it."""
    made = importlib.import_module(module)
    own = (name for name, value in vars(made).items() if getattr(value, "__module__", None) == module)
    names: list[str] = list(getattr(made, "__all__", [name for name in own if inspect.getdoc(vars(made)[name])]))
    return [name for name in names if not name.startswith("_")]


TABLES: Mapping[str, Callable[[], str]] = {
    f"modules_{path.stem}": functools.partial(modules_table, path.stem)
    for path in sorted(FOLDER.glob("*.md"))
    if path.stem != "index"
}
"""What writes them, by their names."""
