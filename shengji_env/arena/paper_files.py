"""Results as files for papers and spreadsheets: tables as CSV and as LaTeX, the ratings' chart as SVG.

| file | holds |
|---|---|
| ``ratings.csv``, ``ratings.tex`` | a tournament's ratings, with who has none |
| ``ratings.svg`` | their chart |
| ``pairs.csv``, ``pairs.tex`` | each pair's metrics, of its first player |
| ``scores.csv``, ``scores.tex`` | what a track's entrants reached |

CSV begins with the mark by which Excel knows UTF-8; its numbers are plain, and it says on every line what they depend
on. LaTeX needs the package booktabs, and shows what tables do on the terminal.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from shengji_env import __version__
from shengji_env.arena.identities import WhoPlayed
from shengji_env.arena.ratings import Rating
from shengji_env.arena.standings import Standings
from shengji_env.arena.svg import Bar, interval_chart, standalone
from shengji_env.arena.track import Score, Track
from shengji_env.errors import printable

PAPER_FILES = ("ratings.csv", "ratings.tex", "ratings.svg", "pairs.csv", "pairs.tex")
"""The files of a tournament; one of two players has no ratings."""
_NOT_FLAT = ("players", "rules", "versions", "not_own", "seed", "as_declarers", "as_attackers")
"""Fields of a pair's result that are no column."""
_LATEX = str.maketrans(
    {
        **{character: f"\\{character}" for character in "{}$&#_%"},
        "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "†": r"\textdagger{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': "''",
    }
)  # fmt: skip

CsvRow = Mapping[str, Any]
"""Texts, numbers and intervals by the names of CSV's columns."""
Columns = Mapping[str, tuple[str, str]]
"""By a column's heading in LaTeX: the name of its values in a row, and their format, "" for texts."""
_RATINGS: Columns = {
    "player": ("player", ""), "rating": ("rating", "+z.0f"), "95 % interval": ("interval", "+z.0f"),
    "ahead of the next": ("lead_interval", "+z.0f"), "rounds won": ("win_rate", ".1%"), "rounds": ("rounds", "d"),
}  # fmt: skip
_PAIRS: Columns = {
    "player": ("a", ""), "against": ("b", ""), "deals": ("deals", "d"), "levels a round": ("levels_per_round", "+z.3f"),
    "95 % interval": ("interval", "+z.3f"), "level rate": ("level_rate", ".1%"),
    "its interval": ("level_rate_interval", ".1%"),
}  # fmt: skip


def ratings_chart(title: str, ratings: Sequence[Rating]) -> str:
    """Draw ratings with their intervals."""
    bars = [Bar(printable(each.player), each.rating, *each.interval) for each in ratings]
    return interval_chart(title, bars, "Elo points", "{:+.0f}")


def tournament_files(standings: Standings) -> dict[str, bytes]:
    """Return those of `PAPER_FILES` that a tournament has."""
    tournament, shown = standings.tournament, standings.shown_names
    where = {"rules": tournament.rules.fingerprint, "seed": tournament.seed, "version": __version__}
    rules, deals = f"{tournament.rules} ({where['rules']})", f"{tournament.num_deals} deals a pair"
    said = f"{rules}, seed {tournament.seed}, {deals}; 95 % intervals over deals"
    notes = [f"shengji-env {__version__}, {said}", *standings.who.lines]
    files = _tables("pairs", [row | where for row in _pair_rows(standings)], _PAIRS, shown, notes)
    if standings.ratings:
        rows = [*(each.to_json() for each in standings.ratings), *({"player": name} for name in standings.unrated)]
        files |= _tables("ratings", [row | where for row in rows], _RATINGS, shown, notes)
        chart = ratings_chart("Ratings with their 95 % intervals", standings.ratings)
        files["ratings.svg"] = standalone(chart).encode()
    return files


def score_files(track: Track, scores: Sequence[Score], who: WhoPlayed) -> dict[str, bytes]:
    """Return the tables of a track's scores."""
    rows = [{"track": track.name, **asdict(each), "version": __version__} for each in scores]
    better = "more" if track.is_higher_better else "less"
    notes = f"shengji-env {__version__}, {track.name}: {track.number}; {better} is better", *who.lines
    columns = {"entrant": ("entrant", ""), track.name: ("value", "z.3f"), "interval": ("interval", "z.3f")}
    return _tables(
        "scores", rows, columns, {each.entrant: each.entrant + who.mark(each.entrant) for each in scores}, notes
    )


def _pair_rows(standings: Standings) -> list[dict[str, Any]]:
    rows = []
    for (a, b), result in zip(standings.tournament.pairs, standings.results, strict=True):
        names = {"a": standings.tournament.names[a], "b": standings.tournament.names[b]}
        said = {"deals": 0} if result is None else result.to_json()
        rows.append(names | {name: said[name] for name in said if name not in _NOT_FLAT})
    return rows


def _tables(
    stem: str, rows: Sequence[CsvRow], columns: Columns, shown: Mapping[str, str], notes: Iterable[str]
) -> dict[str, bytes]:
    """Return rows as a CSV file and a LaTeX file, bytes by name.

    Args:
        stem: what the files are called.
        rows: what is not in one is a dash in LaTeX.
        columns: those of LaTeX.
        shown: the names of players there.
        notes: what LaTeX says before its table.
    """
    cells = [[_cell(row.get(name), form, shown) for name, form in columns.values()] for row in rows]
    head, *body = [" & ".join(row) + r" \\" for row in ([latex_text(heading) for heading in columns], *cells)]
    comments = [f"% {printable(note)}" for note in (*notes, r"needs \usepackage{booktabs}")]
    begin = rf"\begin{{tabular}}{{{''.join('r' if form else 'l' for _, form in columns.values())}}}"
    lines = [*comments, begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", ""]
    return {f"{stem}.csv": _csv(rows), f"{stem}.tex": "\n".join(lines).encode()}


def _cell(value: Any, form: str, shown: Mapping[str, str]) -> str:
    if value is None or not form:
        return "--" if value is None else latex_text(shown.get(value, value))
    is_interval = isinstance(value, list | tuple)
    text = ", ".join(f"{end:{form}}" for end in (value if is_interval else (value,))).replace("%", r"\%")
    return f"$[{text}]$" if is_interval else f"${text}$"


def latex_text(text: str) -> str:
    """Return a text as LaTeX shows it as it is."""
    return re.sub("-(?=-)", "-{}", printable(text).translate(_LATEX))


def _csv(rows: Sequence[CsvRow]) -> bytes:
    """Write rows, an interval as two columns; the longest row names the columns."""
    flat = [_flat(row) for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, max(flat, key=len), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(flat)
    return text.getvalue().encode("utf-8-sig")


def _flat(row: CsvRow) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        is_interval = isinstance(value, list | tuple)
        cells = zip((f"{name}_low", f"{name}_high"), value, strict=True) if is_interval else [(name, value)]
        flat |= {column: _csv_cell(each) for column, each in cells}
    return flat


def _csv_cell(value: Any) -> Any:
    """Return a rounded number, or a text that no spreadsheet takes for a formula."""
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@"))
    return f"'{value}" if is_formula else round(value, 6) if isinstance(value, float) else value
