"""An evening at a table: its rounds, who sat where, and what became of them; for those at the table.

The page's address holds a secret of the table. Rounds that have ended have no other secrets left, so whoever may see
the page may see their replays.
"""

import hmac
from collections.abc import Sequence
from typing import TypedDict

from shengji_env.engine.state import NUM_TEAMS
from shengji_env.web.ended_rounds import EndedRound
from shengji_env.web.messages import ScoreLine
from shengji_env.web.table import Table


class EveningRound(ScoreLine):
    """A round that has ended."""

    number: int
    """Which round of the evening it is, from 1."""
    names: list[str]
    """Who sat in the four seats."""
    substituted: dict[str, int]
    """How many decisions substitutes have made, by seat."""


class EveningPlayer(TypedDict):
    """What somebody has won."""

    name: str
    rounds: int
    """Rounds played."""
    won: int
    """Rounds won."""
    levels: int
    """Levels by which the team has risen."""


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


def evening_of(table: Table) -> Evening:
    """Return what the page shows."""
    return {
        "rules": str(table.rules),
        "names": _told_apart(table.board.names),
        "substitute": table.substitute.name,
        "rounds": [_round_of(ended) for ended in table.rounds],
        "players": _players_of(table.rounds),
    }


def _round_of(ended: EndedRound) -> EveningRound:
    return {
        **ended.score,
        "number": ended.number,
        "names": _told_apart(ended.names),
        "substituted": ended.num_substituted(),
    }


def _players_of(rounds: Sequence[EndedRound]) -> list[EveningPlayer]:
    """Return what each name has won."""
    players: dict[str, EveningPlayer] = {}
    for ended in rounds:
        for seat, name in enumerate(_told_apart(ended.names)):
            player = players.setdefault(name, {"name": name, "rounds": 0, "won": 0, "levels": 0})
            has_won = seat % NUM_TEAMS == _winning_team(ended.score)
            player["rounds"] += 1
            player["won"] += has_won
            player["levels"] += ended.score["rise"] if has_won else 0
    return sorted(players.values(), key=lambda player: (-player["levels"], -player["won"]))


def _told_apart(names: Sequence[str]) -> list[str]:
    """Return names of seats, those that are the same with their seats' numbers, as at the table."""
    return [name if names.count(name) == 1 else f"{name} {seat}" for seat, name in enumerate(names)]


def _winning_team(score: ScoreLine) -> int | None:
    if score["winner"] is None:
        return None
    declarers = score["declarer"] % NUM_TEAMS
    return declarers if score["winner"] == "declarers" else 1 - declarers
