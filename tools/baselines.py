"""The tables of research/baselines.md: what ``make baselines`` and ``shengji crossplay`` wrote into docs/baselines/."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shengji_env.arena.statistics import mean_interval
from tools.markdown import table
from tools.measured import Measured, number

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "baselines"
RUNS_FILE, CROSSPLAY_FILE = "runs.json", "crossplay.json"


@dataclass(frozen=True)
class Outcome:
    """A run and what it reached."""

    algorithm: str
    minutes: float
    """Minutes of processor time that it was given."""
    seed: int
    taken: float
    """Those that it took."""
    levels: Mapping[str, Sequence[float]]
    """By opponent: levels a round and the ends of their 95 % interval over deals."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What else this depends on: speed, deals, seed of the deals, rules, version; empty in older files."""


@dataclass(frozen=True)
class Point:
    """The runs of an algorithm that were given the same time, by seed."""

    runs: Sequence[Outcome]

    @property
    def minutes(self) -> float:
        """What they took, the mean."""
        return float(np.mean([run.taken for run in self.runs]))

    def levels(self, opponent: str) -> list[float]:
        """Return what each run makes against an opponent."""
        return [run.levels[opponent][0] for run in self.runs]

    def mean(self, opponent: str) -> Measured:
        """Return the mean of the runs; its interval is over runs, so one run has none."""
        levels = self.levels(opponent)
        if len(levels) == 1:
            return Measured(levels[0])
        mean, interval = mean_interval(np.array(levels))
        return Measured(mean, *interval)


def read_runs() -> list[Outcome]:
    """Return the runs that ``make baselines`` wrote."""
    return [Outcome(**run) for run in json.loads((FOLDER / RUNS_FILE).read_bytes())["runs"]]


def points(outcomes: Sequence[Outcome]) -> dict[tuple[str, float], Point]:
    """Return the runs by algorithm and by the minutes that they were given, the least first."""
    algorithms = dict.fromkeys(outcome.algorithm for outcome in outcomes)
    return {
        (algorithm, minutes): Point(runs)
        for algorithm in algorithms
        for minutes in sorted({outcome.minutes for outcome in outcomes})
        if (runs := [each for each in outcomes if (each.algorithm, each.minutes) == (algorithm, minutes)])
    }


def runs_table(outcomes: Sequence[Outcome]) -> str:
    """Return what all runs reached: Markdown."""
    opponents = list(outcomes[0].levels)
    rows = []
    for (algorithm, minutes), point in points(outcomes).items():
        cells = [algorithm, f"{minutes:g}", " · ".join(f"{run.taken:.1f}" for run in point.runs)]
        for opponent in opponents:
            each = " · ".join(number(value, "+.3f") for value in point.levels(opponent))
            cells += [format(point.mean(opponent)), each]
        rows.append(cells)
    head = ["algorithm", "minutes given", "taken, by seed"]
    head += [text for name in opponents for text in (f"levels a round against `{name}`", "by seed")]
    return table(head, rows, texts=(0,))


def read_crossplay() -> dict[str, Any]:
    """Return what ``shengji crossplay --json`` wrote."""
    found: dict[str, Any] = json.loads((FOLDER / CROSSPLAY_FILE).read_bytes())
    return found


def matrix_table(crossplay: Mapping[str, Any]) -> str:
    """Return levels a round of all partners: Markdown."""
    names = _names(crossplay)
    rows = [
        [name, *(number(value, "+.2f") for value in row)]
        for name, row in zip(names, crossplay["matrix"], strict=True)
    ]  # fmt: skip
    return table(["", *names], rows, texts=(0,))


def strangers_table(crossplay: Mapping[str, Any]) -> str:
    """Return what the partners of each kind win, and the cross-play gap: Markdown."""
    names = _names(crossplay)
    rows = []
    for group in [*crossplay["groups"], crossplay["all"]]:
        is_all = len(group["players"]) == len(names)
        cells = ["all" if is_all else names[group["players"][0]].rpartition(" ")[0], number(group["own"], "+.3f")]
        for kind in ("group", "others"):
            found = group[kind]
            over_runs = Measured(found["price"], *found["over_players"]).interval()
            price = Measured(found["price"], *found["over_deals"])
            cells += [number(found["levels"], "+.3f"), format(price), over_runs]
        rows.append(cells)
    head = ["algorithm", "own copy"]
    head += [text for kind in ("other seeds", "other algorithms") for text in (kind, "gap, over deals", "over runs")]
    return table(head, rows, texts=(0,))


def _names(crossplay: Mapping[str, Any]) -> list[str]:
    """Return algorithm and seed of each player, from the name of its run's folder."""
    names = []
    for text in crossplay["players"]:
        name, _, seed = Path(text).name.partition("-seed-")
        names.append(f"{name.rpartition('-')[0].replace('-', ' ')} {seed}")
    return names


TABLES: Mapping[str, Callable[[], str]] = {
    "baselines": lambda: runs_table(read_runs()),
    "baselines_partners": lambda: matrix_table(read_crossplay()),
    "baselines_strangers": lambda: strangers_table(read_crossplay()),
}
"""What writes them, by their names."""
