"""The deals of a record in which a player lost most: where to begin when it is to play better.

A deal's levels are those of both its tables, the other side's counted as negative, as in `swings.py`; but a record is
enough for them, of any number of players.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from shengji_env.engine.state import NUM_TEAMS
from shengji_env.records.reading import ReplayedRound
from shengji_env.render.round_record import RecordedResult


@dataclass
class Deal:
    """A deal, as one player has played it."""

    number: int
    """That of the deal under the record's seed."""
    others: tuple[str, ...]
    """Who else played it."""
    levels: int = 0
    """What the player won, in levels; negative: what it lost."""
    lines: list[int] = field(default_factory=list)
    """The record's lines of its rounds."""


class WorstDeals:
    """Gathers a player's deals.

    Args:
        player: its name in the record.

    Attributes:
        names: everybody who sat at a table so far.
    """

    def __init__(self, player: str) -> None:
        self.player = player
        self.names: set[str] = set()
        self._deals: dict[tuple[int, tuple[str, ...]], Deal] = {}

    def add(self, replayed: ReplayedRound, players: Iterable[str]) -> None:
        """Count a round; `players` by seat."""
        sides = defaultdict(set)
        for seat, name in enumerate(players):
            sides[name].add(seat % NUM_TEAMS)
        self.names |= set(sides)
        others = tuple(sorted(set(sides) - {self.player}))
        if len(sides[self.player]) != 1:
            return  # it did not play, or against itself
        record = replayed.record
        number = record.get("table", record["round"])
        deal = self._deals.setdefault((number, others), Deal(number, others))
        declarers = record["tricks"][0]["leader"] % NUM_TEAMS
        deal.levels += (1 if declarers not in sides[self.player] else -1) * worth_to_attackers(record["result"])
        deal.lines.append(replayed.line)

    def worst(self, number: int) -> list[Deal]:
        """Return the deals in which it lost most, the worst first; of deals that it did not lose, none."""
        lost = (deal for deal in self._deals.values() if deal.levels < 0)
        return sorted(lost, key=lambda deal: (deal.levels, deal.lines))[:number]


def worth_to_attackers(result: RecordedResult) -> int:
    """Return what a round's result comes to for the attackers, in levels."""
    sign = -1 if result["winner"] == "declarers" else 1
    return sign * result["levels_nominal"] + result.get("levels_lost", 0)
