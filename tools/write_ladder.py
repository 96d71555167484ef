"""The tables and the picture of docs/ladder.md, from the seasons in docs/ladder/.

``python -m tools.write_ladder`` writes the tables between their marks (`tools/write_tables.py`), and the picture
``docs/images/ladder.svg``; ``make ladder`` does so when the season has been played.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shengji_env.arena.svg import Bar, interval_chart, standalone
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.identity import UNKNOWN
from tools.ladder_results import read_results
from tools.ladder_season import LadderError, Season, read_seasons
from tools.markdown import table
from tools.write_tables import with_tables

ROOT = Path(__file__).resolve().parent.parent

Results = dict[str, Any]
"""What the file of a season's results holds (`tools/ladder_results.py`)."""


def write(root: Path) -> None:
    """Write the page and the picture of the latest season that has been played.

    Args:
        root: the root of the repository.

    Raises:
        LadderError: no season has been played to its end.
    """
    folder, page = root / "docs" / "ladder", root / "docs" / "ladder.md"
    seasons = read_seasons(folder)
    played = {season.number: path for season in seasons if (path := _path(folder, season)).exists()}
    if not played:
        raise LadderError(f"{folder} has no results: make ladder plays a season")
    latest = max(played)
    season = next(season for season in seasons if season.number == latest)
    results = read_results(played[latest])
    if not results["table"]:
        raise LadderError(
            f"{played[latest]} is of a season that has not been played to its end: make ladder resumes it"
        )
    tables = {
        "season": lambda: season_text(season, results),
        "ladder": lambda: ladder_table(season, results),
        "entries": lambda: entries_table(season, results),
        "seasons": lambda: seasons_table(seasons, set(played)),
    }
    page.write_text(with_tables(page.read_text(encoding="utf-8"), tables), encoding="utf-8")
    (root / "docs" / "images" / "ladder.svg").write_text(ladder_chart(results), encoding="utf-8")


def season_text(season: Season, results: Results) -> str:
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


def ladder_table(season: Season, results: Results) -> str:
    """Return the ratings and levels a round: Markdown."""
    rows = []
    for rank, each in enumerate(results["table"], start=1):
        is_reference = each["player"] == season.reference
        lead = each["lead_interval"]
        rows.append(
            [
                str(rank),
                f"**{each['player']}**",
                _signed(each["rating"], 0),
                "by definition" if is_reference else _interval(each["interval"], 0),
                "" if lead is None else _interval(lead, 0),
                f"{each['deals']:,}",
                "" if is_reference else _signed(each["levels_per_round"], 3),
                "" if is_reference else _interval(each["levels_interval"], 3),
                "" if is_reference else f"{each['reference_deals']:,}",
            ]
        )
    against = f"levels a round against `{season.reference}`"
    head = ["", "player", "rating", "95 %", "ahead of the next by", "deals", against, "95 %", "deals of these"]
    return table(head, rows, texts=(1,))


def entries_table(season: Season, results: Results) -> str:
    """Return who the players are, in the order of the ladder: Markdown."""
    entries = {entry.name: entry for entry in season.players}
    rows = []
    for each in results["table"]:
        entry, player = entries[each["player"]], results["players"][each["player"]]
        version = " ".join(filter(None, (player["version"], player["digest"] and f"`{player['digest']}`")))
        cost = 1000 * player["seconds"] / max(player["decisions"], 1)
        late = "†" if season.begins is not None and entry.entered > season.begins else ""
        rows.append(
            [entry.name, f"`{entry.player}`", entry.about, entry.by, version, f"{entry.entered}{late}", f"{cost:.3g}",
             str(each["lost"])]
        )  # fmt: skip
    head = ["player", "text", "what it does", "by", "version", "entered", "ms a decision", "lost deals"]
    return table(head, rows, texts=range(6))


def seasons_table(seasons: Sequence[Season], played: set[int]) -> str:
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


def _path(folder: Path, season: Season) -> Path:
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
