"""The pages of the manual as its tables of contents name them, and ``llms.txt``, which lists them with their titles."""

import re
from collections.abc import Iterator
from pathlib import Path

from shengji_env.errors import ShengjiError

ROOT = Path(__file__).resolve().parent.parent
INDEX = ROOT / "docs" / "index.md"
PATH = ROOT / "llms.txt"
_TREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)
_TITLE = re.compile(r'^\s*"?# (.*?)(?:\\n",?)?$', re.MULTILINE)


def trees_of(page: Path) -> Iterator[tuple[str, list[Path]]]:
    """Yield caption and pages of each table of contents on a page; globs stand for what there is.

    Raises:
        ShengjiError: it names a page that does not exist.
    """
    for tree in _TREE.findall(page.read_text(encoding="utf-8")) if page.suffix == ".md" else ():
        pages: list[Path] = []
        for entry in (line for line in tree.splitlines() if line and not line.startswith(":")):
            found = [each.resolve() for kind in ("md", "ipynb") for each in sorted(page.parent.glob(f"{entry}.{kind}"))]
            if not found and "*" not in entry:
                raise ShengjiError(f"{page.name}: no page {entry}")
            pages += found
        yield "".join(re.findall(r"^:caption: (.*)$", tree, re.MULTILINE)), pages


def llms_text() -> str:
    """Return what `PATH` says: Markdown."""
    title, about, *_ = INDEX.read_text(encoding="utf-8").split("\n\n")
    summary = " ".join(re.sub(r"\[(.*?)\]\(.*?\)", r"\1", about, flags=re.DOTALL).split())
    parts = [f"## {caption}\n\n{''.join(_lines(pages, ''))}" for caption, pages in trees_of(INDEX)]
    return "\n".join([f"{title}\n\n> {summary}\n", *parts])


def _lines(pages: list[Path], indent: str) -> Iterator[str]:
    for page in pages:
        (title, *_) = _TITLE.findall(page.read_text(encoding="utf-8"))
        yield f"{indent}- [{title}]({page.relative_to(ROOT).as_posix()})\n"
        for _, below in trees_of(page):
            yield from _lines(below, f"{indent}  ")
