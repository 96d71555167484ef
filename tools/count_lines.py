"""Lines of code by room, without docstrings, comments and blanks: ``python -m tools.count_lines COMMIT …``.

Rooms are the folders of the package, and the folders beside it; a column for each commit, and the last difference.
"""

import ast
import collections
import io
import subprocess
import sys
import tarfile
import tokenize
from collections.abc import Sequence
from pathlib import PurePath

FOLDERS = ("shengji_env", "agents", "tests", "tools")
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


def rooms_at(commit: str) -> dict[str, list[int]]:
    """Return the lines of code and the number of modules of each room at a commit."""
    archive = subprocess.run(["git", "archive", commit, *FOLDERS], check=True, capture_output=True).stdout
    rooms: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0])
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            parts, file = PurePath(member.name).parts, files.extractfile(member)
            if file is None or not member.name.endswith(".py"):
                continue
            room = "/".join(parts[:2]) if parts[0] == FOLDERS[0] and len(parts) > 2 else parts[0]
            lines = code_lines(file.read().decode())
            for name in {room, parts[0] + " in all"} if room in FOLDERS[:1] or "/" in room else {room}:
                rooms[name][0] += lines
                rooms[name][1] += 1
    return rooms


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    commits = list(sys.argv[1:] if argv is None else argv) or ["HEAD"]
    counted = [rooms_at(commit) for commit in commits]
    print(f"{'lines of code (modules)':<26}" + "".join(f"{commit[:12]:>16}" for commit in commits) + f"{'change':>9}")
    for room in sorted({name for rooms in counted for name in rooms}):
        cells = [rooms.get(room, [0, 0]) for rooms in counted]
        columns = "".join(f"{f'{lines:,} ({modules})':>16}" for lines, modules in cells)
        print(f"{room:<26}{columns}{cells[-1][0] - cells[0][0]:>+9,}")


if __name__ == "__main__":
    main()
