"""How large the repository is, room by room, at some commits: ``python -m tools.count_lines COMMIT …``.

| rooms | what is counted |
|---|---|
| the package and its folders; `agents`, `research`, `tools` | lines without docstrings, comments and blanks |
| `tests` | lines of Python |
| `README, CONTRIBUTING`; `docs`, `research` and their `trials` | words of Markdown, by blanks |

A column for each commit, with the number of files; then the difference between the first and the last.
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
CODE = (PACKAGE, "agents", "research", "tools")
FOLDERS_OF_PAGES = ("docs", "research")
_NO_CODE = (
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
)  # fmt: skip


def code_lines(source: str) -> int:
    """Count the lines that hold code."""
    texts = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {
        line
        for token in tokens
        if token.type not in _NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }  # fmt: skip
    return len(lines - texts)


def counts_of(name: str, text: str) -> Iterator[tuple[str, int]]:
    """Yield each row that a file belongs to, and what it adds to it."""
    folder, *inner = PurePath(name).parts
    if name.endswith(".py") and folder in CODE:
        lines = code_lines(text)
        yield f"code: {folder}", lines
        if folder == PACKAGE and len(inner) > 1:
            yield f"code: {folder}/{inner[0]}", lines
    elif name.endswith(".py") and folder == "tests":
        yield "lines: tests", len(text.splitlines())
    elif name in PAGES:
        yield "words: README, CONTRIBUTING", len(text.split())
    elif name.endswith(".md") and folder in FOLDERS_OF_PAGES:
        yield f"words: {'trials' if inner[0] == 'trials' else folder}", len(text.split())


def rows_at(commit: str) -> dict[str, tuple[int, int]]:
    """Return what each row counts at a commit, and in how many files."""
    archive = subprocess.run(["git", "archive", commit], check=True, capture_output=True).stdout
    rows: dict[str, tuple[int, int]] = collections.defaultdict(lambda: (0, 0))
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        for member in members:
            file = members.extractfile(member) if member.name.endswith((".py", ".md")) else None
            for row, count in counts_of(member.name, file.read().decode()) if file else ():
                rows[row] = rows[row][0] + count, rows[row][1] + 1
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    commits = list(sys.argv[1:] if argv is None else argv) or ["HEAD"]
    counted = [rows_at(commit) for commit in commits]
    print(f"{'what (files)':<30}" + "".join(f"{commit[:12]:>16}" for commit in commits) + f"{'change':>9}")
    for row in sorted({name for rows in counted for name in rows}):
        cells = [rows.get(row, (0, 0)) for rows in counted]
        columns = "".join(f"{f'{count:,} ({files})':>16}" for count, files in cells)
        print(f"{row:<30}{columns}{cells[-1][0] - cells[0][0]:>+9,}")


if __name__ == "__main__":
    main()
