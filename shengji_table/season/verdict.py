"""What somebody made on the first deals of a season, beside the players in the same seat.

Differences are of the same deal, so luck with the cards cancels out. Their mean has Student's t interval, for one
person over deals. Of several persons, who play the same deals, it varies with persons and with deals: both are left out
in turn (`jackknife_interval`).
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.statistics import Interval, jackknife_interval
from shengji_env.records.writing import record_header, record_line
from shengji_env.render.round_record import Round
from shengji_table.season.season import Season, levels_of

_NAME_SIZE = 8


class Against(TypedDict):
    """What was made beside one player in the same seat."""

    player: str
    made: list[int]
    """What the player made on the deals that were played, in levels."""
    difference: float | None
    """By how many levels a round the person is better; None before the first deal."""
    interval: Interval | None
    """Its 95 % interval; None if the deals cannot say, being too few or all alike."""


class SeasonShown(TypedDict):
    """What the page shows, and nothing of deals that were not played."""

    deals: int
    """How many the season has."""
    block: int
    """How many are a test; who goes on plays as many again."""
    others: str
    """The player in the other three seats."""
    made: list[int]
    """What the person's team made on each deal, in levels; below 0: what the other team made."""
    players: list[Against]


def season_shown(season: Season, records: Sequence[Round]) -> SeasonShown:
    """Return what the page shows after some deals, the first of the season in their order."""
    made = [levels_of(record) for record in records[: season.num_deals]]
    players = [against(season, player, [made]) for player in season.made]
    return {
        "deals": season.num_deals, "block": season.block, "others": season.others, "made": made, "players": players,
    }  # fmt: skip


def against(season: Season, player: str, persons: Sequence[Sequence[int]]) -> Against:
    """Return what persons made beside a player.

    Args:
        season: the season.
        player: one of those in its file.
        persons: for each what it made on the first deals, at least one of them on the most deals of all.
    """
    most = max(map(len, persons))
    made = list(season.made[player][:most])
    differences = np.full((len(persons), most), np.nan)
    for row, levels in zip(differences, persons, strict=True):
        row[: len(levels)] = np.subtract(levels, made[: len(levels)])
    mean = float(np.nanmean(differences)) if most else None
    return {"player": player, "made": made, "difference": mean, "interval": _interval(differences)}


def _interval(differences: NDArray[np.float64]) -> Interval | None:
    """Return the interval of the mean of differences by person and deal; NaN where a person did not play."""
    if differences.shape[1] < 2 or np.nanstd(differences) == 0:
        return None
    left_out = [
        np.array([np.nanmean(np.delete(differences, index, axis)) for index in range(differences.shape[axis])])
        for axis in (0, 1)
        if differences.shape[axis] > 1
    ]
    return jackknife_interval(float(np.nanmean(differences)), left_out)


def name_of(secret: str) -> str:
    """Return a name that says nothing about a person: always the same for one secret of a table, which it hides."""
    return f"person-{sha256(secret.encode()).hexdigest()[:_NAME_SIZE]}"


def record_of_person(season: Season, name: str, records: Sequence[Round]) -> str:
    """Return the file that a person keeps, a record: the season's deals as they were played, under a random name."""
    header = record_header(season.rule_set, [name, *3 * [season.others]], season.seed)
    return "".join(map(record_line, [header, *records[: season.num_deals]]))
