"""How large the repository is, room by room: ``python -m tools.count_lines [COMMIT …]``.

| rooms | what is counted |
|---|---|
| library and its folders, table, learners, programs | lines without docstrings, comments and blanks |
| `JavaScript` | the same of the pages' modules |
| `tests` | lines of Python |
| `manual`: README, CONTRIBUTING, `docs`; `rules`: their pages; `trials` | words of Markdown, by blanks |

With several commits it also counts the lines that changed from the first to the last: those whose text a room has no
longer are moved if another room has them newly, otherwise deleted. An edited line is a deleted one and an added one.

``--check``, a part of ``make lint``, counts the files as they are now, and fails if a room is larger than its budget in
``pyproject.toml``.
"""

import argparse
import ast
import collections
import io
import re
import subprocess
import sys
import tarfile
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath

ROOT = Path(__file__).resolve().parent.parent
LIBRARY, PAGES = "shengji_env", ("README.md", "CONTRIBUTING.md")
WITH_SCRIPTS = (LIBRARY, "shengji_table")
CODE = (*WITH_SCRIPTS, "agents", "research", "tools", "integrations")
_KINDS = (".py", ".js", ".md")
_NO_CODE = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
)  # fmt: skip
_SCRIPT_COMMENT = re.compile(r"^\s*(?:/\*.*?\*/|//[^\n]*)\s*?$", re.MULTILINE | re.DOTALL)


def code_lines(source: str) -> list[str]:
    """Return the lines that hold code."""
    texts = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    numbers = {
        line
        for token in tokens
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }  # fmt: skip
    lines = source.split("\n")
    return [lines[number - 1].strip() for number in sorted(numbers - texts)]


def script_lines(source: str) -> list[str]:
    """Return the lines of JavaScript that hold code."""
    return [line.strip() for line in _SCRIPT_COMMENT.sub("", source).splitlines() if line.strip()]


def rows_of(name: str, text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each row that a file belongs to, and the lines or words that it adds to it."""
    folder, *inner = PurePath(name).parts
    if name.endswith(".py") and folder in CODE:
        lines = code_lines(text)
        yield f"code: {folder}", lines
        if folder == LIBRARY and len(inner) > 1:
            yield f"code: {folder}/{inner[0]}", lines
    elif name.endswith(".js") and folder in WITH_SCRIPTS:
        yield "code: JavaScript", script_lines(text)
    elif name.endswith(".py") and folder == "tests":
        yield "lines: tests", [line.strip() for line in text.splitlines()]
    elif name.endswith(".md") and inner[:1] == ["trials"]:
        yield "words: trials", text.split()
    elif name in PAGES or (name.endswith(".md") and folder == "docs"):
        yield f"words: {'rules' if inner and inner[0].startswith('rules.') else 'manual'}", text.split()


class Room:
    """What a row counts.

    Attributes:
        files: in how many files.
        lines: the lines or words, each with how often there is one.
    """

    def __init__(self) -> None:
        self.files, self.lines = 0, collections.Counter[str]()


def rooms_of(files: Iterable[tuple[str, str]]) -> dict[str, Room]:
    """Return the rows of files, given as pairs of path and text."""
    rooms: dict[str, Room] = collections.defaultdict(Room)
    for name, text in files:
        for row, lines in rows_of(name, text):
            rooms[row].files += 1
            rooms[row].lines.update(lines)
    return rooms


def files_at(commit: str) -> Iterator[tuple[str, str]]:
    """Yield the files of a commit."""
    archive = subprocess.run(["git", "archive", commit], check=True, capture_output=True, cwd=ROOT).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        for member in members:
            file = members.extractfile(member) if member.name.endswith(_KINDS) else None
            if file is not None:
                yield member.name, file.read().decode()


def files_now() -> Iterator[tuple[str, str]]:
    """Yield the files of the folders that are counted, as they are now."""
    found = (path for folder in (*CODE, "docs") for path in (ROOT / folder).rglob("*") if path.suffix in _KINDS)
    for path in (*found, *(ROOT / page for page in PAGES)):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def faults(rooms: Mapping[str, Room], budgets: Mapping[str, int]) -> list[str]:
    """Return what is wrong with the size of rooms: a line for each that is too large, or has no budget."""
    found = []
    for row, room in sorted(rooms.items()):
        kind, _, name = row.partition(": ")
        budget, size = budgets.get(name), room.lines.total()
        unit = "words" if kind == "words" else "lines of code"
        if budget is not None and size > budget:
            found.append(f"{name} has {size:,} {unit}, {size - budget:,} more than its budget of {budget:,}")
        elif budget is None and kind == "code":
            found.append(f"{name} has {size:,} {unit} and no budget: name one in pyproject.toml")
    return found


def changes(row: str, before: dict[str, Room], after: dict[str, Room]) -> tuple[int, int, int]:
    """Return how many lines of a row were deleted, moved to other rooms and added."""
    gone, added = before[row].lines - after[row].lines, after[row].lines - before[row].lines
    elsewhere = collections.Counter[str]()
    for other in after:
        if other.startswith("code") and "/" not in other and not row.startswith(other):
            elsewhere += after[other].lines - before[other].lines
    moved = (gone & elsewhere).total()
    return gone.total() - moved, moved, added.total()


def show(commits: Sequence[str]) -> None:
    """Print the table of some commits."""
    rooms = [rooms_of(files_at(commit)) for commit in commits]
    head = "".join(f"{commit[:12]:>16}" for commit in commits)
    print(f"{'what (files)':<30}{head}" + (f"{'deleted':>9}{'moved':>9}{'added':>9}" if len(commits) > 1 else ""))
    for row in sorted({name for at in rooms for name in at}):
        cells = "".join(f"{f'{at[row].lines.total():,} ({at[row].files})':>16}" for at in rooms)
        counted = len(commits) > 1 and not row.startswith("words")
        print(f"{row:<30}{cells}" + ("".join(f"{n:>9,}" for n in changes(row, rooms[0], rooms[-1])) if counted else ""))


def check() -> int:
    """Print the rooms that are larger than their budgets; return the exit code."""
    budgets = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["count_lines"]
    rooms = rooms_of(files_now())
    found = faults(rooms, budgets)
    print("\n".join(found) or f"The sizes of {len(budgets)} rooms are within their budgets.")
    if found:
        print("Delete as much. Or raise the budget, in a commit of its own that says why and what it was.")
    return bool(found)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("commits", metavar="COMMIT", nargs="*", default=["HEAD"], help="what is counted (HEAD)")
    parser.add_argument("--check", action="store_true", help="fail if a room is larger than its budget now")
    arguments = parser.parse_args(argv)
    if arguments.check:
        return check()
    show(arguments.commits)
    return 0


if __name__ == "__main__":
    sys.exit(main())
