"""The tables and the pictures of docs/ladder.md, from the seasons in docs/ladder/.

``python -m tools.write_ladder`` writes the tables between their marks (`tools/write_tables.py`), those of a season with
the name of its rules, and the pictures ``docs/images/ladder_RULES.svg``; ``make ladder`` does so when the seasons have
been played.
"""

import functools
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shengji_env.arena.faults import MOST_NOT_OWN
from shengji_env.arena.svg import Bar, interval_chart, standalone
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.identity import UNKNOWN
from tools.ladder_results import read_results
from tools.ladder_season import LadderError, LadderSeason, read_seasons
from tools.markdown import table
from tools.write_tables import with_tables

ROOT = Path(__file__).resolve().parent.parent

MOST_LOST = 0.01
"""The share of its deals that a player with a rank may lose to its faults."""
Results = dict[str, Any]
"""What the file of a season's results holds (`tools/ladder_results.py`)."""


def write(root: Path) -> None:
    """Write the page and the pictures.

    Args:
        root: the root of the repository.

    Raises:
        LadderError: no season has been played to its end.
    """
    page = root / "docs" / "ladder.md"
    seasons, played = played_seasons(root)
    page.write_text(with_tables(page.read_text(encoding="utf-8"), page_tables(seasons, played)), encoding="utf-8")
    for season, results in played.items():
        picture = root / "docs" / "images" / f"ladder_{season.rules}.svg"
        picture.write_text(ladder_chart(results), encoding="utf-8")


def played_seasons(root: Path) -> tuple[list[LadderSeason], dict[LadderSeason, Results]]:
    """Return all seasons, and those that have been played to their ends, with their results.

    Raises:
        LadderError: there is none of the latter.
    """
    folder = root / "docs" / "ladder"
    seasons = read_seasons(folder)
    results = {season: read_results(path) for season in seasons if (path := _path(folder, season)).exists()}
    played = {season: each for season, each in results.items() if each["table"]}
    if not played:
        raise LadderError(f"{folder} has no season that has been played to its end: make ladder plays the current ones")
    return seasons, played


def page_tables(
    seasons: Sequence[LadderSeason], played: Mapping[LadderSeason, Results]
) -> dict[str, Callable[[], str]]:
    """Return what writes the tables of the page, by their names; for each rules they are of the latest season."""
    latest = {season.rules: season for season in sorted(played, key=lambda season: season.number)}
    tables: dict[str, Callable[[], str]] = {
        "seasons": lambda: seasons_table(seasons, {season.number for season in played}),
        "entries": lambda: entries_table({season: played[season] for season in latest.values()}),
    }
    for rules, season in latest.items():
        tables[f"season {rules}"] = functools.partial(season_text, season, played[season])
        tables[f"ladder {rules}"] = functools.partial(ladder_table, season, played[season])
    return tables


def season_text(season: LadderSeason, results: Results) -> str:
    """Return how the season was played: Markdown."""
    rules, versions = RuleSet.from_json(results["rules"]), results["versions"]
    deals = sum(each["deals"] for each in results["table"]) // 2
    met, players = len(results["pairs"]), len(results["players"])
    last = max(player["last"] for player in results["players"].values())
    unknown = [name for name, player in results["players"].items() if UNKNOWN in player["digest"]]
    who = f"Identity unknown: {', '.join(unknown)}.\n" if unknown else ""
    return (
        f"Season {season.number}: {players} players, {rules} (`{rules.fingerprint}`), seed `{results['seed']}`.\n"
        f"{deals:,} duplicate deals between {met} of the {players * (players - 1) // 2} pairs, each played twice;\n"
        f"shengji-env {versions['shengji_env']}, played until {last}.\n{who}"
    )


def ladder_table(season: LadderSeason, results: Results) -> str:
    """Return ratings, levels a round, and cost: Markdown.

    Who has lost too many deals has no rank, nor who has decided too little itself.
    """
    rows: list[list[str]] = []
    ranks = itertools.count(1)
    for each in results["table"]:
        is_reference = each["player"] == season.reference
        player = results["players"][each["player"]]
        is_own = player.get("not_own", 0) <= MOST_NOT_OWN * player["decisions"]
        has_rank = is_own and each["lost"] <= MOST_LOST * (each["deals"] + each["lost"])
        levels = f"{_signed(each['levels_per_round'], 3)} ({_interval(each['levels_interval'], 3)})"
        about = "by definition" if is_reference else f"({_interval(each['interval'], 0)})"
        rows.append(
            [
                str(next(ranks)) if has_rank else "–",
                f"**{each['player']}**",
                f"{_signed(each['rating'], 0)} {about}",
                "" if each["lead_interval"] is None else _interval(each["lead_interval"], 0),
                f"{each['deals']:,}",
                "" if is_reference else levels,
                "" if is_reference else f"{each['reference_deals']:,}",
                f"{1000 * player['seconds'] / max(player['decisions'], 1):.3g}",
                str(each["lost"]),
            ]
        )
    against = f"levels a round against `{season.reference}`"
    head = ["", "player", "rating", "ahead of the next by", "deals", against, "deals of these", "ms a decision", "lost"]
    return table(head, rows, texts=(1,))


def entries_table(played: Mapping[LadderSeason, Results]) -> str:
    """Return who the players of these seasons are, in the order of the first one: Markdown."""
    rows: dict[str, list[str]] = {}
    for season, results in played.items():
        entries = {entry.name: entry for entry in season.players}
        for name in (each["player"] for each in results["table"]):
            entry, player = entries[name], results["players"][name]
            version = " ".join(filter(None, (player["version"], player["digest"] and f"`{player['digest']}`")))
            if entry.source:
                version = f"[`{player['version']}`]({entry.source.replace('@', '/tree/')})"
            late = "†" if season.begins is not None and entry.entered > season.begins else ""
            rows[name] = [name, entry.about, entry.by, version, f"{entry.entered}{late}"]
    return table(["player", "what it does", "by", "version", "entered"], rows.values(), texts=range(5))


def seasons_table(seasons: Sequence[LadderSeason], played: set[int]) -> str:
    """Return the register of seasons, the latest first: Markdown."""
    rows = []
    for season in sorted(seasons, key=lambda season: -season.number):
        name = f"season_{season.number}"
        links = f"[entries](ladder/{name}.toml)"
        if season.number in played:
            links += f", [results](ladder/{name}.json)"
        begins = "" if season.begins is None else str(season.begins)
        seed = "not yet known" if season.seed is None else f"`{season.seed}`"
        announced = str(season.announced), f"`{season.seed_sha256}`"
        rows.append([str(season.number), str(season.rules), *announced, begins, seed, links])
    head = ["season", "rules", "announced", "SHA-256 of the seed", "begins", "seed", "files"]
    return table(head, rows, texts=range(7))


def ladder_chart(results: Results) -> str:
    """Return the ratings with their intervals: a file of SVG."""
    bars = [Bar(each["player"], each["rating"], *each["interval"]) for each in results["table"]]
    return standalone(interval_chart("Ratings with their 95 % intervals", bars, "Elo points", "{:+.0f}"))


def _path(folder: Path, season: LadderSeason) -> Path:
    return folder / f"season_{season.number}.json"


def _interval(interval: Sequence[float], digits: int) -> str:
    low, high = interval
    return f"{_signed(low, digits)} to {_signed(high, digits)}"


def _signed(value: float, digits: int) -> str:
    """Write a number with its sign, as people write it; zero is never negative."""
    return f"{round(value, digits) + 0.0:+,.{digits}f}".replace("-", "−")


def main() -> None:
    """Write the page."""
    write(ROOT)


if __name__ == "__main__":
    main()
