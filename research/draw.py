"""Draw the charts of pages from their data: ``python -m research.draw baselines docs/images/baselines.png``.

| chart | page | what it shows |
|---|---|---|
| `baselines` | research/baselines.md | levels a round by processor time; every run is a dot |
| `champion` | research/trials/champion.md | levels against `heuristic` by decisions learned from, and by time |
| `exploitability` | research/exploitability.md | what is surely won from each player, also by who sees all hands |
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from tools.markdown import DOCS, find

_SIZE, _DOTS_A_INCH = (10.0, 4.4), 110
_RED, _BLUE, _GREEN, _PURPLE, _GREY = "#c23b22", "#4a6fa5", "#3f8f5f", "#8a5aa5", "#8f8f8f"
_SHIFT = 0.22
"""Between the marks of one player."""
_MARGIN = 1.5
"""By which a logarithmic axis goes on at both ends."""


@dataclass(frozen=True)
class Series:
    """Values of one colour."""

    at: Sequence[float]
    values: Sequence[Sequence[float]]
    """For each place the value, or value, low and high."""
    color: str
    label: str = ""
    style: str = "o"
    """Marks and line, as matplotlib has them."""


@dataclass(frozen=True)
class Panel:
    """One of a chart's pictures."""

    x: str
    """What its axes show."""
    y: str
    series: Sequence[Series]
    names: Sequence[str] = ()
    """Names of the places 0, 1, …; without them the axis is one of numbers."""
    is_logarithmic: bool = False
    compared: Mapping[str, Sequence[float]] | None = None
    """Values with their intervals, as bands over the whole width, by name."""


def draw(panels: Sequence[Panel], path: Path) -> None:
    """Draw panels beside each other into a file."""
    figure = Figure(figsize=_SIZE, layout="constrained")
    for axes, panel in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _draw_panel(axes, panel)
    figure.savefig(path, dpi=_DOTS_A_INCH)


def _draw_panel(axes: Axes, panel: Panel) -> None:
    for name, (value, low, high) in (panel.compared or {}).items():
        axes.axhspan(low, high, color=_BLUE, alpha=0.15, linewidth=0)
        axes.axhline(value, color=_BLUE, linewidth=1)
        axes.annotate(
            name, (0.01, value), (0, 3), xycoords=("axes fraction", "data"), textcoords="offset points",
            ha="left", color=_BLUE, fontsize=9,
        )  # fmt: skip
    for each in panel.series:
        values = np.array(each.values, np.float64).reshape(len(each.at), -1)
        errors = np.abs(values[:, 1:] - values[:, :1]).T if values.shape[1] == 3 else None
        axes.errorbar(
            each.at, values[:, 0], errors, fmt=each.style, color=each.color, label=each.label, capsize=3, markersize=4
        )
    if panel.is_logarithmic:
        at = [place for each in panel.series for place in each.at]
        axes.set_xscale("log")
        axes.set_xlim(min(at) / _MARGIN, max(at) * _MARGIN)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
    if panel.names:
        axes.set_xticks(range(len(panel.names)), panel.names)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xlabel(panel.x)
    axes.set_ylabel(panel.y)
    axes.grid(alpha=0.25)
    if any(each.label for each in panel.series):
        axes.legend()


def baselines() -> list[Panel]:
    """Return a panel for each opponent."""
    points = find(DOCS, "baselines/runs/points")
    algorithms = dict.fromkeys(point["algorithm"] for point in points)
    panels = []
    for opponent in ("heuristic", "greedy"):
        series = []
        for name, color in zip(algorithms, (_RED, _BLUE, _GREEN, _PURPLE), strict=True):
            curve = [point for point in points if point["algorithm"] == name]
            means = [point[opponent]["mean"][:1] for point in curve]
            series.append(Series([float(np.mean(point["taken"])) for point in curve], means, color, name, "-"))
            runs = [run for point in curve for run in zip(point["taken"], point[opponent]["each"], strict=True)]
            series.append(Series([taken for taken, _ in runs], [[levels] for _, levels in runs], color))
        y = f"levels a round against {opponent}"
        panels.append(Panel("minutes of processor time", y, series, is_logarithmic=True))
    return panels


def champion() -> list[Panel]:
    """Return a panel by decisions and one by time."""
    compared = {"search:100": _levels("search-heuristic"), "MaskablePPO, 50 minutes": _levels("standard-heuristic")}
    amounts = {
        "decisions": "labelled decisions learned from, millions",
        "core_hours": "core hours of labels and learning",
    }
    panels = []
    for amount, x in amounts.items():
        rows = [row for row in find(DOCS, "results/champion_curve") if row[amount] is not None]
        series = Series([row[amount] for row in rows], [row["levels"] for row in rows], _RED, style="o-")
        panels.append(Panel(x, "levels a round against heuristic", [series], is_logarithmic=True, compared=compared))
    return panels


def exploitability() -> list[Panel]:
    """Return a panel of players, and one of the searches against `champion` by their time."""
    searches = ("champion-3", "champion-14", "champion-50")
    players = {"random": "random", "greedy": "greedy", "heuristic": "heuristic", "champion": searches[-1]}
    shown = {
        ("approximate best response", _RED): [_response(search) for search in players.values()],
        ("other winners", _BLUE): [
            _levels(f"{'champion_400' if player == 'champion' else 'champion'}-{player}") for player in players
        ],
        ("sees all hands (no bound)", _GREY): [_open_hands(player) for player in players],
    }
    series = [
        Series([at + (place - 1) * _SHIFT for at in range(len(players))], values, color, label)
        for place, ((label, color), values) in enumerate(shown.items())
    ]
    hours = [find(DOCS, f"exploitability/{search}/core_hours") for search in searches]
    curve = Series(hours, [_response(search) for search in searches], _RED)
    return [
        Panel("", "levels a round won from the player", series, names=list(players)),
        Panel("core hours of the search", "levels a round won from champion", [curve]),
    ]


def _levels(match_up: str) -> Sequence[float]:
    """Return the levels of a match-up of docs/results.json, and their interval."""
    levels: Sequence[float] = find(DOCS, f"results/match_ups/{match_up}/levels")
    return levels


def _response(search: str) -> Sequence[float]:
    """Return what the response of a search wins on fresh deals, and its interval."""
    response: Mapping[str, Any] = find(DOCS, f"exploitability/{search}/response")
    return [response[name] for name in ("levels", "low", "high")]


def _open_hands(player: str) -> Sequence[float]:
    """Return the most that a player who sees all hands won."""
    names = [f"open_hands_{policy}-{player}" for policy in ("heuristic", "champion")]
    return max(
        (_levels(name) for name in names if name in find(DOCS, "results/match_ups")), key=lambda levels: levels[0]
    )


CHARTS: Mapping[str, Callable[[], list[Panel]]] = {
    "baselines": baselines,
    "champion": champion,
    "exploitability": exploitability,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the chart that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chart", choices=CHARTS)
    parser.add_argument("picture", type=Path)
    parsed = parser.parse_args(arguments)
    draw(CHARTS[parsed.chart](), parsed.picture)


if __name__ == "__main__":
    main()
