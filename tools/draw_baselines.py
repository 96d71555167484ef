"""The picture of research/baselines.md: levels a round by processor time, every run a dot.

``python -m tools.draw_baselines docs/images/baselines.png`` draws what ``docs/baselines/runs.json`` holds.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tools.baselines import Outcome, points, read_runs

_SIZE, _DOTS_A_INCH = (10.0, 4.4), 110
_COLORS = ("#c23b22", "#4a6fa5", "#3f8f5f", "#8a5aa5")


def draw(outcomes: Sequence[Outcome], path: Path) -> None:
    """Draw the curves of all algorithms, one picture for each opponent, into a file."""
    figure = Figure(figsize=_SIZE, layout="constrained")
    opponents = list(outcomes[0].levels)
    for axes, opponent in zip(figure.subplots(1, len(opponents), squeeze=False)[0], opponents, strict=True):
        _draw_curves(axes, outcomes, opponent)
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_xscale("log")
        given = sorted({outcome.minutes for outcome in outcomes})
        axes.set_xticks(given, [f"{minutes:g}" for minutes in given])
        axes.minorticks_off()
        axes.set_xlabel("minutes of processor time")
        axes.set_ylabel(f"levels a round against {opponent}")
        axes.grid(alpha=0.25)
    figure.axes[0].legend()
    figure.savefig(path, dpi=_DOTS_A_INCH)


def _draw_curves(axes: Axes, outcomes: Sequence[Outcome], opponent: str) -> None:
    found = points(outcomes)
    algorithms = dict.fromkeys(algorithm for algorithm, _ in found)
    for algorithm, color in zip(algorithms, _COLORS, strict=False):
        curve = [point for (name, _), point in found.items() if name == algorithm]
        axes.plot(
            [point.minutes for point in curve], [point.mean(opponent).value for point in curve],
            "-", color=color, label=algorithm,
        )  # fmt: skip
        for point in curve:
            axes.plot([run.taken for run in point.runs], point.levels(opponent), "o", color=color, markersize=4)


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the picture that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path)
    draw(read_runs(), parser.parse_args(arguments).picture)


if __name__ == "__main__":
    main()
