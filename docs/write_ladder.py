"""The ladder of docs/results.md: a tournament's ratings and cross table as Markdown, the ratings as a picture.

``make ladder`` trains what is to be trained, plays the tournament and runs
``python -m docs.write_ladder runs/ladder/results.json docs/results.md docs/images/ladder.svg``, which writes
the tables between the marks ``<!-- ladder -->`` and ``<!-- end -->``.
"""

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from docs.write_tables import with_tables
from shengji_env.arena.svg import Bar, interval_chart, standalone
from shengji_env.engine.rule_sets import RuleSet

Results = dict[str, Any]
"""What a tournament's ``results.json`` holds (`Standings.to_json`)."""


def ladder_tables(results: Results) -> str:
    """How it was played, the ratings, and the cross table of levels a round: Markdown."""
    versions, rules = results["versions"], RuleSet.from_json(results["rules"])
    until = "" if results["until"] is None else f" at most, until ±{results['until']:g} levels a round are reached"
    intro = (
        f"{results['deals']:,} duplicate deals a pair{until}; {rules} ({rules.fingerprint}), seed "
        f"{results['seed']}, shengji-env {versions['shengji_env']}, observation layout {versions['layout']}."
    )
    return f"{intro}\n\n{_ratings(results)}\nLevels a round, row against column:\n\n{_cross_table(results)}"


def ladder_chart(results: Results) -> str:
    """The ratings with their intervals: a file of SVG."""
    bars = [Bar(each["player"], each["rating"], *each["interval"]) for each in results["ratings"]]
    return standalone(interval_chart("Ratings with their 95 % intervals", bars, "Elo points", "{:+.0f}"))


def _ratings(results: Results) -> str:
    rows = []
    for each in results["ratings"]:
        low, high = each["interval"]
        interval = "by definition" if low == high == 0 else f"{_signed(low, '+,.0f')} to {_signed(high, '+,.0f')}"
        thinking = f"{1000 * results['seconds_per_decision'][each['player']]:.3g}"
        name, rating = f"`{each['player']}`", _signed(each["rating"], "+,.0f")
        rows.append([name, rating, interval, f"{100 * each['win_rate']:.1f} %", thinking])
    return _table(["player", "rating", "95 %", "rounds won", "ms a decision"], rows)


def _cross_table(results: Results) -> str:
    levels: dict[tuple[str, str], str] = {}
    for result in filter(None, results["pairs"]):
        a, b = result["players"]
        error = (result["interval"][1] - result["interval"][0]) / 2
        for pair, sign in (((a, b), 1), ((b, a), -1)):
            levels[pair] = f"{_signed(sign * result['levels_per_round'], '+.3f')} ± {error:.3f}"
    names = [each["player"] for each in results["ratings"]]
    rows = [[f"`{row}`", *(levels.get((row, column), "") for column in names)] for row in names]
    return _table(["", *(f"`{name}`" for name in names)], rows)


def _table(head: list[str], rows: Iterable[list[str]]) -> str:
    lines = [head, ["---", *("--:" for _ in head[1:])], *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _signed(value: float, form: str) -> str:
    """A figure with its sign, as people write it."""
    return format(value, form).replace("-", "−")


def main(argv: Sequence[str] | None = None) -> None:
    """Write a ladder into a page and a picture."""
    parser = argparse.ArgumentParser(prog="python -m docs.write_ladder", description=main.__doc__)
    parser.add_argument("results", type=Path, help="a tournament's results.json")
    parser.add_argument("page", type=Path, help="a page with the marks <!-- ladder --> and <!-- end -->")
    parser.add_argument("chart", type=Path, help="the picture, SVG")
    arguments = parser.parse_args(argv)
    results = json.loads(arguments.results.read_text(encoding="utf-8"))
    text = with_tables(arguments.page.read_text(encoding="utf-8"), {"ladder": lambda: ladder_tables(results)})
    arguments.page.write_text(text, encoding="utf-8")
    arguments.chart.write_text(ladder_chart(results), encoding="utf-8")


if __name__ == "__main__":
    main()
