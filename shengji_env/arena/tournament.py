"""Tournaments: who meets whom, on which deals, in which chunks. Pure data: `running.py` has it played.

Every pair of players meets on the same deals, 0, 1, 2, …, each played twice with the sides swapped (`matchup.py`).
Partners are two copies of one player. In a **crossed** tournament a player's partner is a stranger: the pair A, B meets
once with each other player S as the partner of both, A and S against B and S, so a deal is played twice for each S,
and what differs between the sides is how well A and B play with somebody who is not themselves. It takes three players.

With ``until``, a pair plays on only while the 95 % interval of its levels per round is wider than that to either side.
It is looked at after fixed numbers of deals (`looks`), the same whatever the chunks, workers and resumptions. The rule
asks how wide the interval is, not where it lies, so it hardly favours any mean: drawn 4,000 times from the deals of
heuristic–greedy and of greedy–random, intervals at the stop held the truth in 94.2 to 95.3 % of cases, for widths of
0.03 to 0.2.
"""

import hashlib
import itertools
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from shengji_env import __version__
from shengji_env.arena.chunks import Chunk, known_player
from shengji_env.arena.ranges import MOST_AT_ONCE, MOST_DEALS, MOST_PLAYERS, NUM_SEEDS, check_range
from shengji_env.engine.actions import ACTIONS_VERSION
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.envs.arguments import check_flag
from shengji_env.envs.observation import LAYOUT_VERSION
from shengji_env.errors import ShengjiError, show
from shengji_env.players.policy import PolicyPlayer
from shengji_env.players.veil import is_person, sees_tables

CHUNK_SIZE = 64
"""Deals of a chunk, unless it is said how many: results do not depend on it."""
SLOW_CHUNK_SIZE = 4
"""The same where a player thinks in whole positions: a killed run loses a chunk's work, and batches gain nothing."""
FIRST_LOOK = 100
"""Deals before `until` is first looked at."""
_LOOK_RATIO = 2**0.5


class Meeting(NamedTuple):
    """A pair of players, with the same partners on all deals."""

    pair: int
    """Which pair."""
    first_table: int
    """Number of its first table among its pair's: its two tables come one after another."""
    players: tuple[int, ...]
    """Places of A and B among the tournament's players, and of the stranger if partners are crossed."""


@dataclass(frozen=True)
class Tournament:
    """What is played.

    Raises:
        ShengjiError: it cannot be played.
        PlayerError: a player's text names none.
    """

    players: tuple[str, ...]
    """Their texts (`player.make_player`)."""
    rules: RuleSet
    """The rules of all rounds."""
    seed: int = 0
    """The seed of deals and random words."""
    num_deals: int = 1000
    """Deals of every pair; the most of them, with `until`."""
    is_match: bool = False
    """Whether a deal is a pair of matches."""
    is_cross: bool = False
    """Whether partners are strangers."""
    until: float | None = None
    """Half the width of the interval of levels per round at which a pair stops."""
    time_limit: float | None = None
    """Seconds for each decision (`faults.py`)."""
    keeps_records: bool = False
    """Whether the rounds' records are kept."""
    batch_size: int | None = None
    """Deals of a chunk; None: as suits its players. With a person it is one, so that all that was played is kept."""

    def __post_init__(self) -> None:
        if not isinstance(self.rules, RuleSet):
            raise ShengjiError(f"rules={show(self.rules)} must be a RuleSet: parse_rules('two_deck')")
        for name in ("is_match", "is_cross", "keeps_records"):
            check_flag(name, getattr(self, name))
        self._check_numbers()
        self._check_players()

    def _check_numbers(self) -> None:
        check_range("num_deals", self.num_deals, 2, MOST_DEALS, why="one deal gives no interval")
        check_range("seed", self.seed, 0, NUM_SEEDS - 1)
        if self.batch_size is not None:
            check_range("batch_size", self.batch_size, 1, MOST_AT_ONCE)
        for name, value in (("until", self.until), ("time_limit", self.time_limit)):
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if value is not None and not (is_number and 0 < value < math.inf):
                raise ShengjiError(f"{name}={show(value)} must be above 0, and finite")

    def _check_players(self) -> None:
        if not isinstance(self.players, tuple) or not all(isinstance(text, str) for text in self.players):
            raise ShengjiError(f"players={show(self.players)} must be a tuple of texts")
        needed = 3 if self.is_cross else 2
        if not needed <= len(self.players) <= MOST_PLAYERS:
            why = "crossed partners need a stranger" if self.is_cross else "one alone meets nobody"
            named = f"{len(self.players)} player{' is' if len(self.players) == 1 else 's are'} named"
            reason = f": {why}" if len(self.players) < needed else ""
            raise ShengjiError(f"{named}; name {needed} to {MOST_PLAYERS}{reason}")
        for text in self.players:
            known_player(text)

    @property
    def has_person(self) -> bool:
        """Whether a person plays (`Player`)."""
        return any(is_person(known_player(text)) for text in self.players)

    @property
    def names(self) -> tuple[str, ...]:
        """How reports call the players: their own names, their texts where two names are the same, all different."""
        own = [known_player(text).name for text in self.players]
        names = [text if own.count(name) > 1 else name for name, text in zip(own, self.players, strict=True)]
        before = [names[:place].count(name) for place, name in enumerate(names)]
        return tuple(f"{name} #{number + 1}" if number else name for name, number in zip(names, before, strict=True))

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of players, by their places."""
        return list(itertools.combinations(range(len(self.players)), 2))

    @property
    def meetings(self) -> list[Meeting]:
        """All meetings, by pair."""
        if not self.is_cross:
            return [Meeting(number, 0, pair) for number, pair in enumerate(self.pairs)]
        places = range(len(self.players))
        return [
            Meeting(number, 2 * order, (*pair, stranger))
            for number, pair in enumerate(self.pairs)
            for order, stranger in enumerate(place for place in places if place not in pair)
        ]

    @property
    def looks(self) -> list[int]:
        """After how many deals it is looked at whether a pair stops; the last is `num_deals`.

        From 100 deals on, each is a root of two times as many, in full tens.
        """
        looks, look = [], float(FIRST_LOOK)
        while self.until is not None and look < self.num_deals:
            looks.append(round(look / 10) * 10)
            look *= _LOOK_RATIO
        return [*(each for each in looks if each < self.num_deals), self.num_deals]

    def chunks(self, meeting: int, stop: int, played: Collection[int]) -> list[Chunk]:
        """The deals of a meeting up to `stop` that are not among those played, in chunks."""
        places = self.meetings[meeting].players
        texts, names = (tuple(each[place] for place in places) for each in (self.players, self.names))
        is_slow = any(sees_tables(known_player(text)) for text in texts)
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
                meeting, texts, names, self.rules, self.seed, first, end, is_match=self.is_match,
                keeps_records=self.keeps_records, time_limit=self.time_limit,
            )
            for first, end in runs
        ]  # fmt: skip

    def _policies(self) -> dict[str, str]:
        """Digests of the networks that play: a file may change while its name does not."""
        digests = {}
        for text in self.players:
            player = known_player(text)
            if isinstance(player, PolicyPlayer):
                digest = hashlib.sha256()
                for array in itertools.chain(*player.layers):
                    digest.update(array.tobytes())
                digests[text] = digest.hexdigest()[:12]
        return digests

    def header(self) -> dict[str, Any]:
        """Everything that a deal's outcome depends on: what is to be equal where a tournament goes on."""
        return {
            "players": list(self.players),
            "policies": self._policies(),
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "episode": "match" if self.is_match else "round",
            "cross": self.is_cross,
            "records": self.keeps_records,
            "time_limit": self.time_limit,
            "versions": {"shengji_env": __version__, "layout": LAYOUT_VERSION, "actions": ACTIONS_VERSION},
        }
