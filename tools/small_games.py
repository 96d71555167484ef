"""The tables of research/small_games.md, from what ``shengji solve`` wrote into docs/small_games/ and from the ladder.

``shengji solve RULES PLAYER … --json docs/small_games/RULES.json`` writes one of these files, `python -m
tools.write_tables` the tables.
"""

import functools
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shengji_env.arena.small_games.exploiting import Bounds
from shengji_env.arena.small_games.rank_agreement import agreement
from tools.markdown import table

DOCS = Path(__file__).resolve().parent.parent / "docs"
GAMES = ("small_two_ranks", "small_four_ranks", "small_three_ranks")
SEASON = 2
HYBRIDS = ("champion?phases=lead", "champion?phases=follow")
"""Entries of the ladder that are made of two others: `champion` for leads or follows, `heuristic` for the rest."""
WEAK = ("greedy", "random")


@functools.cache
def read(rules: str) -> dict[str, Any]:
    """Return what was found in a game."""
    found: dict[str, Any] = json.loads((DOCS / "small_games" / f"{rules}.json").read_text(encoding="utf-8"))
    return found


@functools.cache
def ladder() -> dict[str, dict[str, Any]]:
    """Return the ladder's entries by the text of their player, as ``shengji solve`` names it."""
    season = json.loads((DOCS / "ladder" / f"season_{SEASON}.json").read_text(encoding="utf-8"))
    texts = {name: each["player"].removesuffix("?threads=1") for name, each in season["players"].items()}
    return {texts[row["player"]]: row for row in season["table"]}


def games_table() -> str:
    """Return how large the games are."""
    columns = ("deals", "histories", "choices", "information_sets", "joint_information_sets")
    rows = ([f"`{rules}`", *(f"{read(rules)[column]:,}" for column in columns)] for rules in GAMES)
    head = ("game", "deals", "histories", "choices", "information sets", "of partners together")
    return table(head, rows, texts={0})


def players_table(rules: str) -> str:
    """Return what players win and lose in a game."""
    head = (
        "player", "against `heuristic`", "exploitability", "declarers' value", "best declarers", "best attackers",
        "`nash_conv`",
    )  # fmt: skip
    rows = []
    for each in read(rules)["players"]:
        name, gains = each["player"], f"{each['nash_conv']:.3f}"
        exploited, declarers, attackers = (_bounds(each[key]) for key in ("exploitability", "declarers", "attackers"))
        value = _signed(each["value"])
        rows.append([f"`{name}`", _signed(each["levels"]), exploited, value, declarers, attackers, gains])
    return table(head, rows, texts={0})


def ranks_table() -> str:
    """Return how far each figure of a small game agrees with the ladder's ratings."""
    figures: Mapping[str, Callable[[dict[str, Any]], float]] = {
        "exploitability, lower value": lambda each: -each["exploitability"]["lower"],
        "exploitability, upper value": lambda each: -each["exploitability"]["upper"],
        "levels against `heuristic`": lambda each: each["levels"],
    }
    rows = []
    for rules in GAMES:
        known = [each for each in read(rules)["players"] if each["player"] in ladder()]
        for name, figure in figures.items():
            found = [
                agreement([figure(each) for each in rated], [ladder()[each["player"]]["rating"] for each in rated])
                for left_out in ((), HYBRIDS, WEAK)
                for rated in ([each for each in known if each["player"] not in left_out],)
            ]
            taus = (f"{_signed(each.tau)} ({' to '.join(map(_signed, each.interval))})" for each in found)
            rows.append([f"`{rules}`", name, f"{found[0].p:.3f}", *taus])
    number = len(known)
    head = (
        "game", "figure", "p", f"all {number}: τ", f"{number - len(HYBRIDS)} without hybrids",
        f"{number - len(WEAK)} without `greedy` and `random`",
    )  # fmt: skip
    return table(head, rows, texts={0, 1})


def _signed(value: float) -> str:
    return f"{round(value, 3) + 0.0:+.3f}".replace("-", "−")


def _bounds(bounds: Mapping[str, Any]) -> str:
    return Bounds(bounds["lower"], bounds["upper"]).text().replace("-", "−")


TABLES: Mapping[str, Callable[[], str]] = {
    "small_games": games_table,
    **{rules: functools.partial(players_table, rules) for rules in GAMES},
    "small_games_ranks": ranks_table,
}
"""What writes the tables, by their names."""
