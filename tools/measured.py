"""What was measured: ``docs/results.json``, the home of every figure of strength and speed that the manual gives.

| key | what |
|---|---|
| `match_ups` | by name: who played whom, on which deals, and each measure as ``[value, low, high]`` or ``[value]`` |
| `speeds` | by name: what is done, how fast, on which machine (docs/speed.md), by which command |

`python -m tools.write_tables` writes the tables made of them into the pages.
"""

import dataclasses
import functools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shengji_env.engine.rule_sets import DEFAULT_RULES, PRESETS
from tools.markdown import table

PATH = Path(__file__).resolve().parent.parent / "docs" / "results.json"
_HOUR_SEEDS = ("11", "12", "13")
MEASURES = ("levels", "level_rate", "points", "rounds_won", "deals_won", "as_declarers", "as_attackers")
"""What a match-up measures. Rates are in percent."""


@dataclasses.dataclass(frozen=True)
class Measured:
    """A figure, and its 95 % interval if it has one."""

    value: float
    """The figure."""
    low: float | None = None
    """The interval's lower end."""
    high: float | None = None
    """Its upper end."""

    def __format__(self, spec: str) -> str:
        """Write figure and interval, ``+0.501 (+0.478 to +0.523)``; `spec` is that of each number (``+.3f``)."""
        value = number(self.value, spec or "+.3f")
        return value if self.low is None else f"{value} ({self.interval(spec)})"

    def interval(self, spec: str = "") -> str:
        """Write the interval alone, ``+0.478 to +0.523``; it is empty if there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"{number(self.low, spec or '+.3f')} to {number(self.high, spec or '+.3f')}"


@dataclasses.dataclass(frozen=True)
class MatchUp:
    """A match-up on duplicate deals."""

    player: str
    """Whose figures these are."""
    against: str
    """Whom it played."""
    rules: str
    """The rule set."""
    deals: int
    """Number of deals, each played twice."""
    seed: int | None = None
    """Seed of the deals; none in a match-up of a training run, which has the run's."""
    commit: str = ""
    """Commit of the code, where it is known."""
    time: str = ""
    """How long the run took whose network played."""
    ms: float | None = None
    """Milliseconds of processor time that the player took for a decision, where it was measured."""
    measures: Mapping[str, Measured] = dataclasses.field(default_factory=dict)
    """What was measured, by the names of `MEASURES`."""

    def text(self, name: str, spec: str = "") -> str:
        """Return a measure as text, empty if it was not measured."""
        return format(self.measures[name], spec) if name in self.measures else ""


@dataclasses.dataclass(frozen=True)
class Speed:
    """How fast something is."""

    what: str
    """What is done."""
    value: float | Sequence[float]
    """How many in a second, or how many seconds; two figures are a range."""
    unit: str
    """Its unit."""
    machine: str
    """The machine's letter."""
    command: str
    """What measures it."""
    commit: str = ""
    """Commit of the code, where it is known."""

    def __str__(self) -> str:
        """Write figure and unit."""
        values = self.value if isinstance(self.value, Sequence) else [self.value]
        return f"{' to '.join(f'{value:,}' for value in values)} {self.unit}"


@dataclasses.dataclass(frozen=True)
class Results:
    """All that `PATH` holds."""

    match_ups: Mapping[str, MatchUp]
    """Match-ups by name."""
    speeds: Mapping[str, Speed]
    """Speeds by name."""

    def measures(self, name: str) -> dict[str, Measured]:
        """Return one measure of all match-ups that have it, by the match-ups' names."""
        return {key: each.measures[name] for key, each in self.match_ups.items() if name in each.measures}


def number(value: float, spec: str) -> str:
    """Write a number; its minus is that of typography, and zero keeps the sign that it was measured with."""
    return format(value, spec).replace("-", "−")


@functools.cache
def read() -> Results:
    """Read the file."""
    data = json.loads(PATH.read_text(encoding="utf-8"))
    return Results(
        {name: _match_up(dict(each)) for name, each in data["match_ups"].items()},
        {name: Speed(**each) for name, each in data["speeds"].items()},
    )


def _match_up(each: dict[str, Any]) -> MatchUp:
    measures = {name: Measured(*each.pop(name)) for name in MEASURES if name in each}
    return MatchUp(**each, measures=measures)


# ---- the tables


def champion_table() -> str:
    """Return how strong `champion` is, and the players that it is compared with: Markdown."""
    names = [f"champion-{against}" for against in ("heuristic", "greedy", "random", "search")]
    names += [f"champion-heuristic {phase}" for phase in ("bid", "bury", "lead", "follow")]
    names += ["search-heuristic", "heuristic-greedy 14001", "heuristic-random", "greedy-random"]
    rows = [[*_who(each), _deals(each), each.text("levels")] for each in map(read().match_ups.__getitem__, names)]
    return table(["player", "against", "deals, seed", "levels a round"], rows, texts=(0, 1))


def _who(each: MatchUp) -> list[str]:
    return [f"`{each.player}`", f"`{each.against}`"]


def _deals(each: MatchUp) -> str:
    return f"{each.deals:,}, {each.seed}"


def selfplay_table() -> str:
    """Return what `make train` reaches: Markdown."""
    return _three_seeds("selfplay", "processor minutes")


def values_table() -> str:
    """Return what `configs/values.toml` reaches: Markdown."""
    return _three_seeds("values", "time")


def _three_seeds(run: str, time: str) -> str:
    rows = []
    for seed in "123":
        rate, weak, levels = (read().match_ups[f"{run}-{of} {seed}"] for of in ("random", "greedy", "heuristic"))
        shown = rate.text("level_rate", ".1f"), weak.text("levels"), f"**{levels.text('levels')}**"
        rows.append([seed, levels.time, *shown])
    head = [
        "seed",
        time,
        "against `random`: level rate, %",
        "against `greedy`: levels",
        "against `heuristic`: levels",
    ]
    return table(head, rows, texts=(0,))


def hour_table() -> str:
    """Return what `configs/hour.toml` reaches: Markdown."""
    rows = []
    for seed in _HOUR_SEEDS:
        pairs = ("hour first-greedy", "hour first-heuristic", "hour-greedy", "hour-heuristic")
        first_greedy, first, greedy, levels = (read().match_ups[f"{pair} {seed}"] for pair in pairs)
        shown = (each.text("levels") for each in (first_greedy, first, greedy))
        rows.append([seed, levels.time, *shown, f"**{levels.text('levels')}**"])
    head = [
        "seed",
        "core hours",
        "first generation, against `greedy`",
        "against `heuristic`",
        "both, against `greedy`",
        "against `heuristic`",
    ]
    return table(head, rows, texts=(0,))


def ppo_table(run: str = "ppo") -> str:
    """Return what a run of `configs/ppo.toml` reaches: Markdown."""
    rows = []
    for what in ("random", "greedy", "heuristic", "bids", "burials"):
        each = read().match_ups[f"{run}-{what}"]
        rate = each.text("level_rate", ".1f")
        rows.append([f"`{each.against}`" if rate else each.against, each.text("levels"), rate])
    return table(["against", "levels a round", "level rate, %"], rows, texts=(0,))


def champion_search_table() -> str:
    """Return how strong `champion:N` is, and how long it takes: Markdown."""
    names = [f"champion_{worlds}-champion" for worlds in (8, 25, 100, 400, 1000, 3000, 10_000)] + ["champion_80-search"]
    rows = [
        [*_who(each), f"{each.ms:g}", _deals(each), each.text("levels")]
        for each in map(read().match_ups.__getitem__, names)
    ]
    return table(["player", "against", "ms a decision", "deals, seed", "levels a round"], rows, texts=(0, 1))


def champion_parts_table() -> str:
    """Return what parts of `champion:100` bring: Markdown."""
    without = {"": "`champion:100`", " heuristic": "playouts by `heuristic`", " uniform": "sampled deals not replayed",
               " alone": "the network counts nothing"}  # fmt: skip
    rows = []
    for part, shown in without.items():
        each = read().match_ups[f"champion_100{part}-champion"]
        less = read().match_ups[f"champion_100-champion_100{part}"].text("levels") if part else ""
        rows.append([shown, f"{each.ms:g}", f"{each.deals:,}", each.text("levels"), less])
    head = ["", "ms a decision", "deals", "levels a round against `champion`", "`champion:100` wins more, same deals"]
    return table(head, rows, texts=(0,))


def champion_presets_table() -> str:
    """Return how strong `champion` is under the other presets: Markdown."""
    rows = []
    for rules in PRESETS:
        if rules != DEFAULT_RULES:
            pairs = ("champion-heuristic", "champion-greedy", "heuristic-greedy")
            rows.append([f"`{rules}`", *(read().match_ups[f"{pair} {rules}"].text("levels") for pair in pairs)])
    return table(
        ["preset", "against `heuristic`", "against `greedy`", "`heuristic` against `greedy`"], rows, texts=(0,)
    )


def speed_table() -> str:
    """Return how fast the package is: Markdown."""
    names = ("batch", "aec", "seat", "plays", "heuristic", "search", "network", "labels", "duel", "start")
    rows = []
    for each in map(read().speeds.__getitem__, names):
        machine = f"{each.machine} ({each.commit})" if each.commit else each.machine
        rows.append([each.what, f"**{each}**", machine, f"`{each.command}`"])
    return table(["what you do", "speed", "machine (commit)", "measured by"], rows, texts=(0, 2, 3))


TABLES: Mapping[str, Callable[[], str]] = {
    "selfplay": selfplay_table,
    "values": values_table,
    "hour": hour_table,
    "ppo": ppo_table,
    "standard": functools.partial(ppo_table, "standard"),
    "champion": champion_table,
    "champion_presets": champion_presets_table,
    "champion_search": champion_search_table,
    "champion_parts": champion_parts_table,
    "speed": speed_table,
}
"""The tables by the names of their marks."""
