"""Tables in Markdown, for the tools that write pages."""

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, texts: Iterable[int]) -> str:
    """Return a table; the columns in `texts` are not numbers."""
    marks = ["---" if column in texts else "--:" for column in range(len(head))]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, marks, *rows))
