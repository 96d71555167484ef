"""Tournaments: who meets whom, on which deals, in which chunks. This module is pure data; `running.py` plays it.

Every pair of players meets on the same deals, 0, 1, 2, …, each played twice with the sides swapped (`deal_batch.py`).
Partners are two copies of one player.

With ``sprt``, two players meet until a sequential test says whether the first is better (`sequential.py`).
"""

import itertools
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from shengji_env.arena.chunks import Chunk, known_player
from shengji_env.arena.identities import player_digests
from shengji_env.arena.limits import MAX_AT_ONCE, MAX_DEALS, MAX_PLAYERS
from shengji_env.arena.result import VERSIONS
from shengji_env.arena.sequential import check_bounds
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError, show
from shengji_env.players.player import Needs, Player, check_learned, needs_of
from shengji_env.support.arguments import is_number
from shengji_env.support.settings import any_seed, between, check_fields, one_of
from shengji_env.tables.settings import STARTS, Start

CHUNK_SIZE = 64
"""Default number of deals of a chunk; results do not depend on it."""
SLOW_CHUNK_SIZE = 4
"""CHUNK_SIZE if a player needs whole positions, which gains nothing from batches, or has a process for each seat at
each table; and a killed run loses less work."""


@dataclass(frozen=True)
class Tournament:
    """A tournament: its players, rules and deals.

    Raises:
        ShengjiError: the tournament cannot be played.
        PlayerError: a text names no player.
    """

    players: tuple[str, ...]
    """Their texts (`registry.make_player`)."""
    rules: RuleSet
    """The rules of all rounds."""
    seed: int = any_seed()
    """Seed of deals and random words."""
    num_deals: int = between(1000, 2, MAX_DEALS, why="one deal gives no interval")
    """Deals of every pair; with `sprt`, the maximum."""
    is_match: bool = False
    """Whether a deal is a pair of matches."""
    start: Start = one_of("any", *STARTS)
    """How single rounds begin: levels, declarer and first drawer are drawn, or as a match begins (``"first"``)."""
    sprt: tuple[float, float] | None = None
    """Levels per round of a first player that is no better, and of one that is: a sequential test tells them apart."""
    time_limit: float | None = None
    """Seconds for each decision (`faults.py`)."""
    keeps_records: bool = False
    """Whether the records of the rounds are kept."""
    batch_size: int | None = between(None, 1, MAX_AT_ONCE)
    """Deals of a chunk; None: by the kind of players. With a person it is one, so that every finished deal is kept."""

    def __post_init__(self) -> None:
        if not isinstance(self.rules, RuleSet):
            raise ShengjiError(f"rules={show(self.rules)} must be a RuleSet: parse_rules('two_deck')")
        check_fields(self)
        self._check_limits()
        self._check_players()
        self._check_sprt()

    def _check_limits(self) -> None:
        limit = self.time_limit
        if limit is not None and not (is_number(limit) and 0 < limit < math.inf):
            raise ShengjiError(f"time_limit={show(limit)} must be above 0, and finite")

    def _check_sprt(self) -> None:
        if self.sprt is None:
            return
        if not isinstance(self.sprt, tuple) or len(self.sprt) != 2:
            raise ShengjiError(f"sprt={show(self.sprt)} must be a tuple of two numbers")
        object.__setattr__(self, "sprt", check_bounds(*self.sprt))
        if len(self.players) != 2:
            raise ShengjiError(f"sprt compares two players; {len(self.players)} are named")
        if self.is_match:
            raise ShengjiError("sprt and is_match do not go together: give one of them")

    def _check_players(self) -> None:
        if not isinstance(self.players, tuple) or not all(isinstance(text, str) for text in self.players):
            raise ShengjiError(f"players={show(self.players)} must be a tuple of texts")
        if not 2 <= len(self.players) <= MAX_PLAYERS:
            named = f"{len(self.players)} player{' is' if len(self.players) == 1 else 's are'} named"
            reason = ": one alone meets nobody" if len(self.players) < 2 else ""
            raise ShengjiError(f"{named}; name 2 to {MAX_PLAYERS}{reason}")
        check_learned(self.made, self.rules)

    @property
    def made(self) -> tuple[Player, ...]:
        """The players themselves, each made once in a process."""
        return tuple(map(known_player, self.players))

    @property
    def has_person(self) -> bool:
        """Whether a person plays (`Needs.PERSON`)."""
        return Needs.PERSON in needs_of(self.made)

    @property
    def begins_first(self) -> bool:
        """Whether single rounds begin as a match does."""
        return self.start == "first" and not self.is_match

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names in reports, all different: their own names, or their texts if two names are equal."""
        own = [player.name for player in self.made]
        names = [text if own.count(name) > 1 else name for name, text in zip(own, self.players, strict=True)]
        before = [names[:index].count(name) for index, name in enumerate(names)]
        return tuple(f"{name} #{number + 1}" if number else name for name, number in zip(names, before, strict=True))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of players, by their indices."""
        return list(itertools.combinations(range(len(self.players)), 2))

    def chunks(self, pair: int, stop: int, played: Collection[int]) -> list[Chunk]:
        """Return the deals of a pair before `stop` that have not been played, in chunks."""
        indices = self.pairs[pair]
        texts, names = (tuple(each[index] for index in indices) for each in (self.players, self.names))
        is_slow = bool((Needs.POSITIONS | Needs.PROCESSES) & needs_of(self.made[index] for index in indices))
        size = 1 if self.has_person else self.batch_size or (SLOW_CHUNK_SIZE if is_slow else CHUNK_SIZE)
        runs: list[list[int]] = []
        for deal in range(stop):
            if deal in played:
                continue
            if runs and runs[-1][1] == deal and deal - runs[-1][0] < size:
                runs[-1][1] = deal + 1
            else:
                runs.append([deal, deal + 1])
        return [
            Chunk(
                pair, texts, names, self.rules, self.seed, first, end, is_match=self.is_match,
                start=self.start, keeps_records=self.keeps_records, time_limit=self.time_limit,
            )
            for first, end in runs
        ]  # fmt: skip

    def header(self) -> dict[str, Any]:
        """Return everything that a deal's outcome depends on, which must be equal if a tournament is continued."""
        return {
            "players": list(self.players),
            "policies": player_digests(self.players, self.rules),
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "episode": "match" if self.is_match else "round",
            **({"start": self.start} if self.begins_first else {}),
            "records": self.keeps_records,
            "time_limit": self.time_limit,
            "versions": VERSIONS,
        }
