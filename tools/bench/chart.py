"""The report as a chart: our rows and the peers' on a logarithmic scale."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from shengji_env.engine.rule_sets import DEFAULT_RULES
from tools.bench.printing import number_text
from tools.bench.running import Report
from tools.bench.timing import STEPS, BenchRow, Group

_PANELS = (
    ("Observation and mask at each step", (Group.BATCH, Group.PLAYERS, Group.AEC, Group.ONE_SEAT, Group.PEERS)),
    ("Whole random rounds in one call, rules only", (Group.ROLLOUT, Group.PEERS_ROLLOUT)),
)
_PEERS = (Group.PEERS, Group.PEERS_ROLLOUT)
_OURS_COLOR, _PEERS_COLOR = "#c23b22", "#4a6fa5"
_INCHES_A_ROW = 0.24
_WIDTH, _HEAD, _DOTS_A_INCH = 10.0, 1.2, 130
_ROOM_FOR_TEXT = 4.0


def write_chart(report: Report, path: Path) -> None:
    """Draw the rows of steps, fastest first, with their spread; without such rows there is no chart.

    Raises:
        OSError: the file cannot be written.
    """
    panels = [(title, _rows(report, groups)) for title, groups in _PANELS]
    panels = [(title, rows) for title, rows in panels if rows]
    if not panels:
        return
    heights = [_INCHES_A_ROW * len(rows) + _HEAD for _, rows in panels]
    figure = Figure(figsize=(_WIDTH, sum(heights)), layout="constrained")
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
    for axes, (title, rows) in zip(grid[:, 0], panels, strict=True):
        _draw(axes, title, rows)
    machine = report.machine
    figure.suptitle(f"shengji-env (red) and other libraries (blue): {machine['processor']}, {machine['cores']} cores")
    figure.savefig(path, dpi=_DOTS_A_INCH)


def _draw(axes: Axes, title: str, rows: list[BenchRow]) -> None:
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


def _rows(report: Report, groups: tuple[Group, ...]) -> list[BenchRow]:
    """Return the rows of steps; batches of other rules than the default are only in the table."""
    shown = [row for row in report.rows if row.group in groups and row.unit == STEPS]
    shown = [row for row in shown if row.group != Group.BATCH or row.name.startswith(f"{DEFAULT_RULES},")]
    return sorted(shown, key=lambda row: row.median, reverse=True)
