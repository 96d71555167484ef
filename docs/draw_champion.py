"""The picture of docs/champion.md: levels a round against `heuristic` by the decisions learned from.

``python -m docs.draw_champion docs/champion.md docs/images/champion.png`` draws the tables that follow the marks
``<!-- curve -->`` and ``<!-- others -->``.
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_NUMBER = re.compile(r"[+−-]?\d+(?:\.\d+)?")
_MARGIN = 1.6
_SIZE, _DOTS_A_INCH = (8.0, 4.2), 130
_OURS, _OTHERS = "#c23b22", "#4a6fa5"


@dataclass(frozen=True)
class Strength:
    """Levels a round against `heuristic`, with the 95 % interval."""

    name: str
    levels: float
    low: float
    high: float


def strengths(page: str, mark: str) -> list[Strength]:
    """Return the rows of the table after a mark: a name first, levels and interval last.

    Raises:
        ValueError: there is no such mark, or a row has no interval.
    """
    _, found, rest = page.partition(f"<!-- {mark} -->\n")
    if not found:
        raise ValueError(f"the page has no mark {mark}")
    lines = rest.split("\n\n", 1)[0].splitlines()[2:]
    rows = []
    for line in lines:
        cells = [cell.strip().replace("*", "").replace("`", "") for cell in line.strip("|").split("|")]
        numbers = [float(text.replace("−", "-")) for text in _NUMBER.findall(cells[-1])]
        if len(numbers) != 3:
            raise ValueError(f"no levels with an interval in {line!r}")
        rows.append(Strength(cells[0], *numbers))
    return rows


def draw(page: str, path: Path) -> None:
    """Draw the picture of a page into a file."""
    figure = Figure(figsize=_SIZE, layout="constrained")
    axes = figure.subplots()
    _draw_others(axes, strengths(page, "others"))
    _draw_curve(axes, strengths(page, "curve"))
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel("labelled decisions learned from, millions")
    axes.set_ylabel("levels a round against heuristic")
    axes.grid(alpha=0.25)
    figure.savefig(path, dpi=_DOTS_A_INCH)


def _draw_curve(axes: Axes, rows: Sequence[Strength]) -> None:
    millions = [float(_NUMBER.findall(row.name)[0]) for row in rows]
    errors = [[row.levels - row.low for row in rows], [row.high - row.levels for row in rows]]
    axes.errorbar(millions, [row.levels for row in rows], errors, fmt="o-", color=_OURS, capsize=3)
    axes.set_xscale("log")
    axes.set_xlim(millions[0] / _MARGIN, millions[-1] * _MARGIN)
    places = sorted(set(millions))
    axes.set_xticks(places, [f"{each:.1f}" for each in places], rotation=90)
    axes.minorticks_off()


def _draw_others(axes: Axes, rows: Sequence[Strength]) -> None:
    for row in rows:
        axes.axhspan(row.low, row.high, color=_OTHERS, alpha=0.15, linewidth=0)
        axes.axhline(row.levels, color=_OTHERS, linewidth=1)
        axes.annotate(
            row.name, (0.995, row.levels), (0, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="right", color=_OTHERS, fontsize=9,
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
