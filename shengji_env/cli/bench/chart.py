"""The report as a chart: our rows and the peers' on a logarithmic scale."""

from pathlib import Path
from typing import TYPE_CHECKING

from shengji_env.cli.bench.benchmark import Report
from shengji_env.cli.bench.printing import number_text
from shengji_env.cli.bench.timing import STEPS, Group, Row
from shengji_env.engine.rule_sets import DEFAULT_RULES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PANELS = (
    ("Observation and mask at each step", (Group.BATCH, Group.PLAYERS, Group.AEC, Group.ONE_SEAT, Group.PEERS)),
    ("Whole random rounds in one call, rules only", (Group.ROLLOUT, Group.PEERS_ROLLOUT)),
)
_PEERS = (Group.PEERS, Group.PEERS_ROLLOUT)
_OURS_COLOR, _PEERS_COLOR = "#c23b22", "#4a6fa5"
_INCHES_A_ROW = 0.24
_WIDTH, _HEAD, _DOTS_A_INCH = 10.0, 1.2, 130
_ROOM_FOR_TEXT = 4.0


def write_chart(report: Report, path: Path) -> bool:
    """Draw the rows of steps, fastest first, with their spread; return False if matplotlib or rows are missing.

    Raises:
        OSError: the file cannot be written.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    panels = [(title, _rows(report, groups)) for title, groups in _PANELS]
    panels = [(title, rows) for title, rows in panels if rows]
    if not panels:
        return False
    heights = [_INCHES_A_ROW * len(rows) + _HEAD for _, rows in panels]
    figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
    for axes, (title, rows) in zip(grid[:, 0], panels, strict=True):
        _draw(axes, title, rows)
    machine = report.machine
    figure.suptitle(f"shengji-env (red) and other libraries (blue): {machine['processor']}, {machine['cores']} cores")
    figure.savefig(path, dpi=_DOTS_A_INCH)
    return True


def _draw(axes: "Axes", title: str, rows: list[Row]) -> None:
    for index, row in enumerate(reversed(rows)):
        color = _PEERS_COLOR if row.group in _PEERS else _OURS_COLOR
        highest = max(row.values)
        axes.plot([min(row.values), highest], [index, index], color=color, linewidth=3, alpha=0.4)
        axes.plot([row.median], [index], "o", color=color)
        text = number_text(row.median)
        axes.annotate(text, (highest, index), (6, 0), textcoords="offset points", va="center", fontsize=8)
    axes.set_yticks(range(len(rows)), [row.name for row in reversed(rows)], fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(right=_ROOM_FOR_TEXT * max(max(row.values) for row in rows))
    axes.set_xlabel(f"{STEPS} (a step is one agent's decision), median with lowest and highest")
    axes.set_title(title, loc="left")
    axes.grid(axis="x", alpha=0.3)


def _rows(report: Report, groups: tuple[Group, ...]) -> list[Row]:
    rows = [row for row in report.rows if row.group in groups and row.unit == STEPS and not _is_left_out(row)]
    return sorted(rows, key=lambda row: row.median, reverse=True)


def _is_left_out(row: Row) -> bool:
    """Return whether a row is a batch of other rules than the default; these are only in the table."""
    return row.group == Group.BATCH and not row.name.startswith(f"{DEFAULT_RULES},")
