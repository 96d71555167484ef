"""An evening at a table: its rounds, who sat where, and what became of them; for those at the table.

The page's address holds a secret of the table. Rounds that have ended have no other secrets left, so whoever may see
the page may see their replays.
"""

import hmac
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from shengji_env.engine.state import NUM_TEAMS
from shengji_table.web.ended_rounds import EndedRound
from shengji_table.web.messages import ScoreLine
from shengji_table.web.table import Table

_Summaries = Mapping[int, Sequence[Mapping[str, Any]]]


class EveningRound(ScoreLine):
    """A round that has ended."""

    number: int
    """Which round of the evening it is, from 1."""
    names: list[str]
    """Who sat in the four seats."""
    substituted: dict[str, int]
    """How many decisions substitutes have made, by seat."""
    lost: list[float] | None
    """What the decisions of each seat have cost, in levels; None until somebody has the round reviewed."""


class EveningPlayer(TypedDict):
    """What somebody has won."""

    name: str
    rounds: int
    """Rounds played."""
    won: int
    """Rounds won."""
    levels: int
    """Levels by which the team has risen."""
    lost: float | None
    """What decisions have cost in levels, the mean of the rounds that were reviewed; None if there are none."""
    accuracy: float | None
    """The mean of their accuracies (`shengji_table.review.summarising`), by decisions."""


class Evening(TypedDict):
    """What the evening's page shows."""

    rules: str
    names: list[str]
    """Who sits in the four seats now."""
    substitute: str
    rounds: list[EveningRound]
    players: list[EveningPlayer]
    """Everybody who has played a round, the one with most levels first."""


def evening_path(table: Table) -> str:
    """Return the path of a table's evening."""
    return f"/evening/{table.seating.keys.evening}"


def find_evening(secret: str, tables: Sequence[Table]) -> Table | None:
    """Return the table whose evening a secret opens."""
    given = secret.encode("utf-8", "replace")
    found = [table for table in tables if hmac.compare_digest(table.seating.keys.evening.encode(), given)]
    return found[0] if found else None


def evening_of(table: Table, summaries: _Summaries) -> Evening:
    """Return what the page shows.

    Args:
        table: the table.
        summaries: what decisions came to for each seat, by the number of the round, where it was reviewed.
    """
    return {
        "rules": str(table.rules),
        "names": _told_apart(table.board.names),
        "substitute": table.substitute.name,
        "rounds": [_round_of(ended, summaries) for ended in table.rounds],
        "players": _players_of(table.rounds, summaries),
    }


def _round_of(ended: EndedRound, summaries: _Summaries) -> EveningRound:
    summary = summaries.get(ended.number)
    return {
        **ended.score,
        "number": ended.number,
        "names": _told_apart(ended.names),
        "substituted": ended.num_substituted(),
        "lost": None if summary is None else [_lost(seat) for seat in summary],
    }


def _lost(summary: Mapping[str, Any]) -> float:
    levels: float = sum(summary["lost"].values())
    return round(levels, 3)


def _players_of(rounds: Sequence[EndedRound], summaries: _Summaries) -> list[EveningPlayer]:
    """Return what each name has won, and what its decisions came to."""
    players: dict[str, EveningPlayer] = {}
    reviewed: dict[str, list[Mapping[str, Any]]] = {}
    for ended in rounds:
        for seat, name in enumerate(_told_apart(ended.names)):
            none: EveningPlayer = {"name": name, "rounds": 0, "won": 0, "levels": 0, "lost": None, "accuracy": None}
            player = players.setdefault(name, none)
            reviewed.setdefault(name, []).extend(summaries.get(ended.number, [])[seat : seat + 1])
            has_won = seat % NUM_TEAMS == _winning_team(ended.score)
            player["rounds"] += 1
            player["won"] += has_won
            player["levels"] += ended.score["rise"] if has_won else 0
    for name, seats in reviewed.items():
        if seats:
            decisions = sum(seat["decisions"] for seat in seats)
            kept = sum(seat["decisions"] * (seat["accuracy"] or 0.0) for seat in seats)
            players[name]["lost"] = round(sum(map(_lost, seats)) / len(seats), 3)
            players[name]["accuracy"] = round(kept / decisions, 3) if decisions else None
    return sorted(players.values(), key=lambda player: (-player["levels"], -player["won"]))


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return names of seats, those that are the same with their seats' numbers, as at the table."""
    return [name if names.count(name) == 1 else f"{name} {seat}" for seat, name in enumerate(names)]


def _winning_team(score: ScoreLine) -> int | None:
    if score["winner"] is None:
        return None
    declarers = score["declarer"] % NUM_TEAMS
    return declarers if score["winner"] == "declarers" else 1 - declarers
