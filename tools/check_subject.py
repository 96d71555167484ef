"""``python tools/check_subject.py FILE``: whether a commit's message begins with a subject of at most 72 characters.

A hook of commits calls it (`.pre-commit-config.yaml`); CONTRIBUTING.md says what else a message should be.
"""

import sys
from pathlib import Path

MAX_LETTERS = 72


def fault_of(message: str) -> str:
    """Return what is wrong with a message; nothing if it is fine."""
    subject, *rest = message.splitlines() or [""]
    if not subject.strip():
        return "the message begins with an empty line: write a subject there"
    if len(subject) > MAX_LETTERS:
        return f"the subject has {len(subject)} characters, at most {MAX_LETTERS} are shown everywhere: {subject!r}"
    if rest and rest[0].strip() and not rest[0].startswith("#"):
        return "the second line is part of the message's body: leave it empty"
    return ""


if __name__ == "__main__":
    fault = fault_of(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if fault:
        sys.exit(f"check_subject: {fault}")
