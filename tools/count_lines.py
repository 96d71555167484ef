"""How large the repository is, room by room: ``python -m tools.count_lines [COMMIT …]``.

| rooms | what is counted |
|---|---|
| the package and its folders; `agents`, `research`, `tools` | lines without docstrings, comments and blanks |
| `tests` | lines of Python |
| `README, CONTRIBUTING`; `docs`, `research` and their `trials` | words of Markdown, by blanks |

With several commits it also counts the lines that changed from the first to the last: those whose text a room has no
longer are moved if another room has them newly, otherwise deleted. An edited line is a deleted one and an added one.
"""

import ast
import collections
import io
import subprocess
import sys
import tarfile
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import PurePath

PACKAGE, PAGES = "shengji_env", ("README.md", "CONTRIBUTING.md")
CODE = (PACKAGE, "shengji_table", "agents", "research", "tools")
FOLDERS_OF_PAGES = ("docs", "research")
_NO_CODE = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
)  # fmt: skip


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


def rows_of(name: str, text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each row that a file belongs to, and the lines or words that it adds to it."""
    folder, *inner = PurePath(name).parts
    if name.endswith(".py") and folder in CODE:
        lines = code_lines(text)
        yield f"code: {folder}", lines
        if folder == PACKAGE and len(inner) > 1:
            yield f"code: {folder}/{inner[0]}", lines
    elif name.endswith(".py") and folder == "tests":
        yield "lines: tests", [line.strip() for line in text.splitlines()]
    elif name in PAGES:
        yield "words: README, CONTRIBUTING", text.split()
    elif name.endswith(".md") and folder in FOLDERS_OF_PAGES:
        yield f"words: {'trials' if inner[0] == 'trials' else folder}", text.split()


class Room:
    """What a row counts at a commit.

    Attributes:
        files: in how many files.
        lines: the lines or words, each with how often there is one.
    """

    def __init__(self) -> None:
        self.files, self.lines = 0, collections.Counter[str]()


def rooms_at(commit: str) -> dict[str, Room]:
    """Return the rows at a commit."""
    archive = subprocess.run(["git", "archive", commit], check=True, capture_output=True).stdout
    rooms: dict[str, Room] = collections.defaultdict(Room)
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        for member in members:
            file = members.extractfile(member) if member.name.endswith((".py", ".md")) else None
            for row, lines in rows_of(member.name, file.read().decode()) if file else ():
                rooms[row].files += 1
                rooms[row].lines.update(lines)
    return rooms


def changes(row: str, before: dict[str, Room], after: dict[str, Room]) -> tuple[int, int, int]:
    """Return how many lines of a row were deleted, moved to other rooms and added."""
    gone, added = before[row].lines - after[row].lines, after[row].lines - before[row].lines
    elsewhere = collections.Counter[str]()
    for other in after:
        if other.startswith("code") and "/" not in other and not row.startswith(other):
            elsewhere += after[other].lines - before[other].lines
    moved = (gone & elsewhere).total()
    return gone.total() - moved, moved, added.total()


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    commits = list(sys.argv[1:] if argv is None else argv) or ["HEAD"]
    rooms = [rooms_at(commit) for commit in commits]
    head = "".join(f"{commit[:12]:>16}" for commit in commits)
    print(f"{'what (files)':<30}{head}" + (f"{'deleted':>9}{'moved':>9}{'added':>9}" if len(commits) > 1 else ""))
    for row in sorted({name for at in rooms for name in at}):
        cells = "".join(f"{f'{at[row].lines.total():,} ({at[row].files})':>16}" for at in rooms)
        counted = len(commits) > 1 and not row.startswith("words")
        print(f"{row:<30}{cells}" + ("".join(f"{n:>9,}" for n in changes(row, rooms[0], rooms[-1])) if counted else ""))


if __name__ == "__main__":
    main()
