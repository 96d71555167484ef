"""The tables of docs/tracks.md: what `shengji track --json` wrote, a file below docs/tracks/TRACK/ for each team."""

import functools
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shengji_env.arena.statistics import plus
from shengji_env.arena.tracks import TRACKS, Track
from shengji_env.errors import ShengjiError
from tools.markdown import table

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "tracks"


FROM_NOTHING = "from-nothing"
"""The folder below a track's of those that learned without the code of a player."""


def entries_table(name: str, folder: Path = FOLDER) -> str:
    """Return the table of a track, the best first, those of `FROM_NOTHING` with a dagger: Markdown.

    Raises:
        ShengjiError: a file is of another track, or of another version of it, or does not say whose it is.
    """
    track, found = TRACKS[name], []
    for path in sorted((folder / name).rglob("*.json")):
        said = json.loads(path.read_bytes())
        if said["track"] != track.name:
            raise ShengjiError(f"{path} is of {said['track']}; it must be of {track.name}: measure again")
        if not said.get("team"):
            raise ShengjiError(f"{path} does not say whose it is: shengji track --team NAME --core-hours H")
        scores = _learners(said["scores"], path) if track.takes_runs else said["scores"]
        mark = " †" if path.parent.name == FROM_NOTHING else ""
        found += [(score, said, mark) for score in scores]
    if not found:
        return "No entries yet.\n"
    found.sort(key=lambda entry: entry[0]["value"], reverse=track.is_higher_better)
    rows = []
    for score, said, mark in found:
        low, high = (_shown(track, end) for end in score["interval"])
        hours = "–" if said["core_hours"] is None else f"{said['core_hours']:g}"
        about = f"`{score['entrant']}`{mark}", said["team"], said["date"], hours
        rows.append((*about, _shown(track, score["value"]), f"{low} to {high}"))
    return table(("entrant", "by", "date", "core hours", "number", "interval"), rows, texts=(0, 1, 2))


def _learners(scores: Sequence[Mapping[str, Any]], path: Path) -> list[dict[str, Any]]:
    """Return the mean of each learner's runs, which it follows, named by what the runs' names have in common."""
    learners: list[dict[str, Any]] = []
    runs: list[str] = []
    for score in scores:
        if not score["entrant"].startswith("mean of "):
            runs.append(score["entrant"])
            continue
        alike = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*runs, strict=False))
        learners.append({**score, "entrant": f"{''.join(letters[0] for letters in alike)}…"})
        runs = []
    if runs:
        raise ShengjiError(f"{path}: no mean follows {', '.join(runs)}; name the runs of one learner together")
    return learners


def _shown(track: Track, value: float) -> str:
    """Return a number as its table shows it: with a sign where it is a gain."""
    return plus(value, 3).replace("-", "−") if track.is_higher_better else f"{value:.3f}"


TABLES: Mapping[str, Callable[[], str]] = {
    f"track_{name.replace('-', '_')}": functools.partial(entries_table, name) for name in TRACKS
}
"""What writes them, by their names."""
