"""The picture of docs/champion.md: levels a round against `heuristic` by the decisions learned from, and by time.

``python -m tools.draw_champion research/trials/champion.md docs/images/champion.png`` draws the table that follows
the mark ``<!-- curve -->``, and for comparison `COMPARED`.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from tools.measured import read

_NUMBER = re.compile(r"[+−-]?\d+(?:\.\d+)?")
_MARGIN = 1.5
_SIZE, _DOTS_A_INCH = (10.0, 4.4), 110
_AXES = ("labelled decisions learned from, millions", "core hours of labels and learning")
"""What the first columns of the curve's table are, and the axes below its pictures."""
_OURS, _OTHERS = "#c23b22", "#4a6fa5"
COMPARED = {"search:100": "search-heuristic", "MaskablePPO, 50 minutes": "standard-heuristic"}
"""Whom the champion is compared with, and the match-ups of docs/results.json."""


@dataclass(frozen=True)
class Strength:
    """Levels a round against `heuristic`, with the 95 % interval."""

    cells: tuple[str, ...]
    """The row's cells but for the last."""
    levels: float
    low: float
    high: float


def strengths(page: str) -> list[Strength]:
    """Return the rows of the table after the mark; levels and interval are last.

    Raises:
        ValueError: there is no such mark, or a row has no interval.
    """
    _, found, rest = page.partition("<!-- curve -->\n")
    if not found:
        raise ValueError("the page has no mark curve")
    lines = rest.split("\n\n", 1)[0].splitlines()[2:]
    rows = []
    for line in lines:
        cells = [cell.strip().replace("*", "").replace("`", "") for cell in line.strip("|").split("|")]
        numbers = [float(text.replace("−", "-")) for text in _NUMBER.findall(cells[-1])]
        if len(numbers) != 3:
            raise ValueError(f"no levels with an interval in {line!r}")
        rows.append(Strength(tuple(cells[:-1]), *numbers))
    return rows


def draw(page: str, path: Path) -> None:
    """Draw the picture of a page into a file."""
    figure = Figure(figsize=_SIZE, layout="constrained")
    curve = strengths(page)
    for column, axes in enumerate(figure.subplots(1, len(_AXES), sharey=True)):
        _draw_others(axes)
        _draw_curve(axes, [row for row in curve if _NUMBER.search(row.cells[column])], column)
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_xlabel(_AXES[column])
        axes.grid(alpha=0.25)
    figure.axes[0].set_ylabel("levels a round against heuristic")
    figure.savefig(path, dpi=_DOTS_A_INCH)


def _draw_curve(axes: Axes, rows: Sequence[Strength], column: int) -> None:
    amounts = [float(_NUMBER.findall(row.cells[column])[0]) for row in rows]
    errors = [[row.levels - row.low for row in rows], [row.high - row.levels for row in rows]]
    axes.errorbar(amounts, [row.levels for row in rows], errors, fmt="o-", color=_OURS, capsize=3)
    axes.set_xscale("log")
    axes.set_xlim(amounts[0] / _MARGIN, amounts[-1] * _MARGIN)
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()


def _draw_others(axes: Axes) -> None:
    for name, match_up in COMPARED.items():
        levels = read().match_ups[match_up].measures["levels"]
        assert levels.low is not None
        assert levels.high is not None
        axes.axhspan(levels.low, levels.high, color=_OTHERS, alpha=0.15, linewidth=0)
        axes.axhline(levels.value, color=_OTHERS, linewidth=1)
        axes.annotate(
            name, (0.01, levels.value), (0, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="left", color=_OTHERS, fontsize=9,
        )  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the picture that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    parsed = parser.parse_args(arguments)
    draw(parsed.page.read_text("utf-8"), parsed.picture)


if __name__ == "__main__":
    main()
