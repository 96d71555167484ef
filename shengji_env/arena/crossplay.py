"""Cross-play: does a player play as well with another partner as with a copy of itself?

Every two players play as partners (`players.partners`), and every player with a copy of itself, against two copies of
each opponent of a field: all on the same duplicate deals, whose two tables swap the sides. The **cross-play gap**
is what two players win with their own copies, in the mean, minus what they win together: so it is no matter which of
them is the stronger one.

Players may come in **groups** of equal size, such as the runs of one algorithm with several seeds. Then partners
of the own group are told from the others.

| interval | of | says |
|---|---|---|
| over deals | one value a deal | whether these networks would show it on other deals |
| over players | a jackknife over players (or runs of a group) | whether other runs of the algorithm would show it |
"""

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.chunks import known_player
from shengji_env.arena.identities import player_digests
from shengji_env.arena.limits import MAX_PLAYERS
from shengji_env.arena.result import VERSIONS
from shengji_env.arena.running import Resumed
from shengji_env.arena.statistics import Interval, jackknife_interval, mean_interval
from shengji_env.arena.to_the_last_deal import DealsWatch, play_to_the_last_deal, refuse_persons
from shengji_env.arena.tournament import Tournament
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError
from shengji_env.players.player import check_learned
from shengji_env.support.arguments import check_index
from shengji_env.support.workers.jobs import Executor


@dataclass(frozen=True)
class Crossplay:
    """Who plays with whom, against whom.

    Raises:
        ShengjiError: it cannot be played.
        PlayerError: a text names no player, or a person.
    """

    players: tuple[str, ...]
    """Texts of the players, at least two; groups one after another."""
    opponents: tuple[str, ...]
    """Texts of the field, at least one."""
    rules: RuleSet
    seed: int = 0
    """Seed of deals and random words."""
    num_deals: int = 1000
    """Deals of every match-up."""
    group_size: int = 1
    """How many of the players, one after another, belong together; it divides their number."""

    def __post_init__(self) -> None:
        if not 2 <= len(self.players) <= MAX_PLAYERS:
            raise ShengjiError(f"{len(self.players)} players are named; name 2 to {MAX_PLAYERS}")
        if len(set(self.players)) < len(self.players):
            raise ShengjiError("a player is named twice: its copy is its own partner anyway")
        if not self.opponents:
            raise ShengjiError("no opponent is named: name at least one")
        if len(set(self.opponents)) < len(self.opponents):
            raise ShengjiError("an opponent is named twice: on the same deals, its copy would bring the same again")
        check_index("group_size", self.group_size, 1, len(self.players))
        if len(self.players) % self.group_size:
            raise ShengjiError(f"{len(self.players)} players are not groups of {self.group_size}")
        check_learned((known_player(text) for text in (*self.players, *self.opponents)), self.rules)
        refuse_persons(self.matchups)  # each checks its numbers

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All partners, by their indices; a player with itself means a copy of it."""
        return list(itertools.combinations_with_replacement(range(len(self.players)), 2))

    @property
    def matchups(self) -> list[Tournament]:
        """What is played: all partners, in the order of `pairs`, against each opponent."""
        return [
            Tournament((self._side(*pair), opponent), self.rules, seed=self.seed, num_deals=self.num_deals)
            for pair in self.pairs
            for opponent in self.opponents
        ]

    def _side(self, first: int, second: int) -> str:
        """Return the text of two partners."""
        own = self.players[first]
        if first == second:
            return own
        return f"partners?first={quote(own)}&second={quote(self.players[second])}"


@dataclass(frozen=True)
class Partnering:
    """What some players win with partners of several kinds, in levels a round, in the mean over the players.

    Attributes:
        players: their indices.
        own: with a copy of themselves.
        group: with others of their group, and the gap to these; None: there are none.
        others: the same with players of other groups.
    """

    players: tuple[int, ...]
    own: float
    group: "CrossPartners | None"
    others: "CrossPartners | None"


@dataclass(frozen=True)
class CrossPartners:
    """What some players win with other partners than their copies, and what is lost by it.

    Attributes:
        levels: what they win.
        price: the cross-play gap.
        over_deals: the gap's 95 % interval over deals.
        over_players: that over players; None: these are too few.
    """

    levels: float
    price: float
    over_deals: Interval
    over_players: Interval | None


@dataclass(frozen=True)
class CrossplayResult:
    """What all partners won."""

    crossplay: Crossplay
    names: tuple[str, ...]
    """The players', as in reports."""
    values: NDArray[np.float64]
    """(players, players, deals): levels a round of the two as partners, the mean over opponents; symmetric."""

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The mean over deals, (players, players)."""
        return np.asarray(self.values.mean(axis=2))

    @property
    def error(self) -> NDArray[np.float64]:
        """Half the width of the interval of each entry of the matrix, over deals."""
        flat = self.values.reshape(-1, self.values.shape[2])
        halves = [(high - low) / 2 for _, (low, high) in map(mean_interval, flat)]
        return np.asarray(halves).reshape(self.values.shape[:2])

    def partnering(self, players: Sequence[int]) -> Partnering:
        """Compare partners of some players, the mean over these."""
        own = float(np.mean([self.values[player, player].mean() for player in players]))
        group, others = (self._with_others(players, of_group=of_group) for of_group in (True, False))
        return Partnering(tuple(players), own, group, others)

    @property
    def groups(self) -> list[Partnering]:
        """The comparison for each group."""
        size = self.crossplay.group_size
        return [self.partnering(range(first, first + size)) for first in range(0, len(self.names), size)]

    @property
    def whole(self) -> Partnering:
        """The comparison for all players."""
        return self.partnering(range(len(self.names)))

    def _with_others(self, players: Sequence[int], *, of_group: bool) -> CrossPartners | None:
        """Return what players win with others of their groups, or of other groups; None if there are none."""
        of_kind, values = self._pairs(of_group=of_group), self.values
        if not of_kind[list(players)].any(axis=1).all():
            return None
        levels, gaps = [], []
        for player in players:
            found = np.flatnonzero(of_kind[player])
            own = (values[player, player] + values[found, found]) / 2
            levels.append(values[player, found].mean())
            gaps.append((own - values[player, found]).mean(axis=0))
        gap, over_deals = mean_interval(np.mean(gaps, axis=0))
        return CrossPartners(float(np.mean(levels)), gap, over_deals, self.over_players(players, of_group=of_group))

    def over_players(self, players: Sequence[int], *, of_group: bool) -> Interval | None:
        """Return the interval over players of the cross-play gap.

        A pair's gap belongs to both of its players, so a gap for each player would not be one observation each.
        The jackknife leaves out a player of a group, with all of its pairs, at a time.

        Args:
            players: those in whose mean the gap is.
            of_group: whether the partners are of the own group, or of other groups.

        Returns:
            The interval; None if, with somebody left out, one of the players has no such partner.
        """
        of_kind, matrix = self._pairs(of_group=of_group), self.matrix
        own = matrix.diagonal()
        gaps = (own[:, None] + own) / 2 - matrix

        def gap(kept: NDArray[np.intp]) -> float | None:
            found = of_kind[np.ix_(np.intersect1d(players, kept), kept)]
            if not len(found) or not found.any(axis=1).all():
                return None
            rows = gaps[np.ix_(np.intersect1d(players, kept), kept)]
            return float(np.mean((rows * found).sum(axis=1) / found.sum(axis=1)))

        everybody = np.arange(len(matrix))
        size = self.crossplay.group_size
        left_out = [gap(np.delete(everybody, player)) for player in everybody]
        whole = gap(everybody)
        if whole is None or None in left_out:
            return None
        samples = np.asarray(left_out, np.float64).reshape(-1, size if size > 1 else len(matrix))
        return jackknife_interval(whole, list(samples))

    def _pairs(self, *, of_group: bool) -> NDArray[np.bool_]:
        """Return which two are different players of one group, or of two, (players, players)."""
        groups = np.arange(len(self.names)) // self.crossplay.group_size
        is_same = groups[:, None] == groups
        return np.asarray((is_same & ~np.eye(len(groups), dtype=bool)) if of_group else ~is_same)

    def to_json(self) -> dict[str, Any]:
        """Return everything but the deals, and everything needed to play them again."""
        plan = self.crossplay
        return {
            "players": list(plan.players),
            "names": list(self.names),
            "opponents": list(plan.opponents),
            "policies": player_digests((*plan.players, *plan.opponents), plan.rules),
            "rules": str(plan.rules),
            "fingerprint": plan.rules.fingerprint,
            "versions": VERSIONS,
            "seed": plan.seed,
            "deals": int(self.values.shape[2]),
            "group_size": plan.group_size,
            "matrix": self.matrix.round(6).tolist(),
            "half_widths": self.error.round(6).tolist(),
            "groups": [asdict(group) for group in self.groups],
            "all": asdict(self.whole),
        }


def play_crossplay(
    crossplay: Crossplay,
    folder: Path | None = None,
    *,
    keeps_changed: bool = False,
    executor: Executor | None = None,
    watch: DealsWatch | None = None,
    resumed: Resumed | None = None,
) -> CrossplayResult:
    """Play all partners against the field, or what is left of it.

    Args:
        crossplay: who plays.
        folder: where what was played is kept, a folder for each match-up; None keeps nothing.
        keeps_changed: whether it goes on from the folder if a player has changed since.
        executor: what plays; default: this process.
        watch: called now and then; what it raises ends the work.
        resumed: called at the end of each match-up.

    Raises:
        RecordError: the folder belongs to something else, or a player has changed.
        ShengjiError: deals were lost: a player raised or answered illegally.
    """
    num_opponents = len(crossplay.opponents)
    folders = [f"{index // num_opponents:03}-{index % num_opponents}" for index in range(len(crossplay.matchups))]
    levels = play_to_the_last_deal(
        crossplay.matchups,
        folder,
        folders,
        keeps_changed=keeps_changed,
        executor=executor,
        watch=watch,
        resumed=resumed,
    )
    names = tuple(known_player(text).name for text in crossplay.players)
    unique = len(set(names)) == len(names)
    values = np.zeros((len(names), len(names), crossplay.num_deals))
    for (first, second), won in zip(
        crossplay.pairs, levels.reshape(-1, num_opponents, crossplay.num_deals).mean(axis=1), strict=True
    ):
        values[first, second] = values[second, first] = won
    return CrossplayResult(crossplay, names if unique else crossplay.players, values)
