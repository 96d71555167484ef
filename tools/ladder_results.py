"""What a season has played: ``docs/ladder/season_N.json``, from which the ladder's page is written.

| key | what |
|---|---|
| `season`, `rules`, `seed`, `versions` | on which deals, and with which versions of the package |
| `players` | by name: text, version, digest, seconds it thought, decisions, those not its own, when it last played |
| `pairs` | by pair of names: what its deals 0, 1, 2, … brought the first of the two |
| `lost` | deals lost to players' faults: who, against whom, which deal, why |
| `table` | the ladder, the best first (`standings`) |

A deal is written as the two tables' rounds for the first player, ``+2-1``: won with 2 levels, lost with 1; ``=0`` is a
draw, ``x`` a deal lost to a fault, ``.`` one that has not been played. So everybody can check a deal by playing it.
"""

import dataclasses
import datetime
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env import __version__
from shengji_env.arena.chunks import Chunk, PlayedChunk
from shengji_env.arena.ratings import Rating, rate
from shengji_env.arena.result import for_a
from shengji_env.arena.statistics import mean_interval
from shengji_env.engine.actions import ACTIONS_VERSION
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.support.text_files import parse_json, read_text
from shengji_env.support.whole_files import write_json
from shengji_env.tables.observation import LAYOUT_VERSION
from tools.ladder_season import Identity, LadderError, LadderSeason
from tools.pairing import Pair

FORMAT = "shengji-ladder/1"
LOST, MISSING = "x", "."
_DEAL = re.compile(r"([+=-])(\d+)([+=-])(\d+)")
_SCORES = {"+": 1.0, "=": 0.5, "-": 0.0}
_OTHER = {"+": "-", "=": "=", "-": "+"}
"""Signs for the other player."""


@dataclasses.dataclass
class Played:
    """What a player has done in a season."""

    identity: Identity
    """Who has played."""
    seconds: float = 0.0
    """Seconds that it thought."""
    decisions: int = 0
    """Its decisions."""
    not_own: int = 0
    """Those that were not its own."""
    last: str = ""
    """The day on which it last played."""


class SeasonResults:
    """A season's results, which `save` writes.

    Args:
        path: the file.
        season: the season; it has begun.
        identities: its players, as they are now. Deals of players that are no longer the same are left out.
        again: names of players whose deals are left out too.

    Attributes:
        changed: names of the players whose deals were left out.
        deals: by pair, what each deal brought the first player; `MISSING` where it has not been played.

    Raises:
        LadderError: the file is not a season's results.
    """

    def __init__(
        self, path: Path, season: LadderSeason, identities: Sequence[Identity], again: Iterable[str] = ()
    ) -> None:
        self.path, self.season, self.tournament = path, season, season.tournament
        self.names = [entry.name for entry in season.players]
        self.pairs = self.tournament.pairs
        self.deals: dict[Pair, list[str]] = {pair: [] for pair in self.pairs}
        self.lost: list[dict[str, Any]] = []
        self.players = {name: Played(each) for name, each in zip(self.names, identities, strict=True)}
        self.changed: list[str] = []
        if path.exists():
            self._read(set(again))

    def played(self, pair: Pair) -> set[int]:
        """Return the deals of a pair that have been played."""
        return {number for number, text in enumerate(self.deals[pair]) if text != MISSING}

    def chunks(self, stop: Sequence[int]) -> list[Chunk]:
        """Return what the pairs still have to play before `stop`, the lowest deals first."""
        chunks = [
            chunk
            for number, pair in enumerate(self.pairs)
            for chunk in self.tournament.chunks(number, stop[number], self.played(pair))
        ]
        return sorted(chunks, key=lambda chunk: (chunk.first, chunk.pair))

    def add(self, played: PlayedChunk) -> None:
        """Note what a chunk has brought."""
        pair = self.pairs[played.pair]
        texts = self.deals[pair]
        texts.extend([MISSING] * (played.end - len(texts)))
        texts[played.first : played.end] = deal_texts(played, self.season.rules)
        ours = dict(zip(self.tournament.names, self.names, strict=True))
        for fault in played.faults:
            against = [self.names[index] for index in pair]
            self.lost.append(
                {"player": ours[fault["player"]], "pair": against, "deal": fault["deal"], "error": fault["error"]}
            )
        for index, done in zip(pair, played.thinking, strict=True):
            player = self.players[self.names[index]]
            player.seconds += done.seconds
            player.decisions += done.decisions
            player.not_own += done.not_own
            player.last = datetime.date.today().isoformat()

    def tallies(self, stop: Sequence[int]) -> list[NDArray[np.float64]]:
        """Return what each pair has won on the deals before its `stop` (`ratings.tally`)."""
        return [_tally(self.deals[pair][:end]) for pair, end in zip(self.pairs, stop, strict=True)]

    def keep(self, stop: Sequence[int]) -> None:
        """Drop the deals from `stop` on, which were played when other results had chosen them."""
        for pair, end in zip(self.pairs, stop, strict=True):
            del self.deals[pair][end:]
        kept = [each for each in self.lost if each["deal"] < len(self.deals[self._pair(each["pair"])])]
        self.lost = sorted(kept, key=lambda each: (each["pair"], each["deal"]))

    def save(self, *, table: bool = False) -> None:
        """Write the file, with the ladder's table if all deals have been played."""
        pairs = [
            {"players": [self.names[index] for index in pair], "deals": " ".join(texts)}
            for pair, texts in self.deals.items()
            if texts
        ]
        data = {
            "format": FORMAT,
            "season": self.season.number,
            "rules": self.season.rules.to_json(),
            "seed": self.season.seed,
            "versions": {"shengji_env": __version__, "layout": LAYOUT_VERSION, "actions": ACTIONS_VERSION},
            "players": {name: _flat(player) for name, player in self.players.items()},
            "pairs": pairs,
            "lost": self.lost,
            "table": standings(self) if table else [],
        }
        write_json(self.path, data, indent=1)

    def _pair(self, names: Sequence[str]) -> Pair:
        a, b = sorted(map(self.names.index, names))
        return a, b

    def _read(self, again: set[str]) -> None:
        data = read_results(self.path)
        try:
            self._take(data, again)
        except LadderError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise LadderError(f"{self.path} is damaged ({error}): delete it, or undo the change") from error

    def _take(self, data: dict[str, Any], again: set[str]) -> None:
        """Take over what has been played, unless its players have changed."""
        if (data["seed"], data["rules"]) != (self.season.seed, self.season.rules.to_json()):
            raise LadderError(f"{self.path} has deals of another seed or other rules: delete it, or undo the change")
        for name, found in data["players"].items():
            kept = Played(Identity(*(found.pop(key) for key in ("player", "version", "digest"))), **found)
            if name in self.players and kept.identity == self.players[name].identity and name not in again:
                self.players[name] = kept
            else:
                self.changed.append(name)
        for each in data["pairs"]:
            if self._are_the_same(each["players"]):
                self._take_deals(each["players"], each["deals"].split())
        self.lost = [each for each in data["lost"] if self._are_the_same(each["pair"])]

    def _are_the_same(self, names: Sequence[str]) -> bool:
        return all(name in self.players and name not in self.changed for name in names)

    def _take_deals(self, names: Sequence[str], texts: list[str]) -> None:
        first, second = map(self.names.index, names)
        self.deals[self._pair(names)] = texts if first < second else [_turned(text) for text in texts]


def read_results(path: Path) -> dict[str, Any]:
    """Read the file of a season's results.

    Raises:
        LadderError: it is none.
    """
    data = parse_json(read_text(path, LadderError), LadderError)
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise LadderError(f"{path} is not a file of results: its format is not {FORMAT}")
    return data


def deal_texts(played: PlayedChunk, rules: RuleSet) -> list[str]:
    """Return what each deal of a chunk has brought the first player."""
    texts = [LOST] * (played.end - played.first)
    mine = for_a(played.rounds, rules)
    by_deal: dict[int, dict[int, str]] = {}
    for deal, table, score, levels in zip(
        played.rounds["deal"].tolist(), played.rounds["table"].tolist(), mine.score, mine.levels, strict=True
    ):
        sign = next(each for each, value in _SCORES.items() if value == score)
        by_deal.setdefault(deal, {})[table] = f"{sign}{abs(levels):.0f}"
    for deal, tables in by_deal.items():
        texts[deal - played.first] = tables[0] + tables[1]
    return texts


def standings(results: SeasonResults) -> list[dict[str, Any]]:
    """Return the ladder's table: each player's rating and levels a round, the best first.

    Raises:
        LadderError: a player has lost all its deals by its faults.
    """
    season = results.season
    reference = season.reference_index
    tallies = [_tally(texts) for texts in results.deals.values()]
    has_results = {index for pair, each in zip(results.pairs, tallies, strict=True) if each.any() for index in pair}
    lost = [name for index, name in enumerate(results.names) if index not in has_results]
    if lost:
        raise LadderError(f"{', '.join(lost)} cannot be rated, since all deals were lost: {results.lost[0]['error']}")
    ratings = rate(results.names, results.pairs, tallies, anchor=reference)
    return [_row(results, each, reference) for each in ratings]


def _row(results: SeasonResults, rating: Rating, reference: int) -> dict[str, Any]:
    index = results.names.index(rating.player)
    levels, against = [], 0
    if index != reference:
        pair = (min(index, reference), max(index, reference))
        sign = 1 if pair[0] == index else -1
        levels = [sign * each for each in _levels(results.deals[pair][: results.season.pairing.first[pair]])]
        against = len(levels)
    mean, interval = mean_interval(np.array(levels)) if against > 1 else (0.0, (0.0, 0.0))
    pairs = [pair for pair in results.pairs if index in pair]
    deals = sum(text not in (LOST, MISSING) for pair in pairs for text in results.deals[pair])
    return {
        **rating.to_json(),
        "deals": deals,
        "opponents": sum(bool(results.deals[pair]) for pair in pairs),
        "levels_per_round": mean,
        "levels_interval": list(interval),
        "reference_deals": against,
        "lost": sum(each["player"] == rating.player for each in results.lost),
    }


def _tally(texts: Sequence[str]) -> NDArray[np.float64]:
    """Count the rounds that a pair's players won, by deal, shape (deals, 2); deals without a result are 0."""
    tally = np.zeros((len(texts), 2))
    for number, text in enumerate(texts):
        if text not in (LOST, MISSING):
            signs = _tables(text)[0::2]
            won = sum(_SCORES[sign] for sign in signs)
            tally[number] = won, len(signs) - won
    return tally


def _levels(texts: Sequence[str]) -> list[float]:
    """Return the levels a round of each deal that has a result, for the first player."""
    parts = [_tables(text) for text in texts if text not in (LOST, MISSING)]
    return [(_signed(*part[:2]) + _signed(*part[2:])) / 2 for part in parts]


def _signed(sign: str, levels: str) -> float:
    return float(levels) * {"+": 1, "=": 0, "-": -1}[sign]


def _tables(text: str) -> tuple[str, ...]:
    found = _DEAL.fullmatch(text)
    if found is None:
        raise LadderError(f"{text!r} is not the result of a deal; write +2-1, {LOST} or {MISSING}")
    return found.groups()


def _turned(text: str) -> str:
    """Return what a deal brought the second player, who sits first at the other table."""
    if text in (LOST, MISSING):
        return text
    first, first_levels, second, second_levels = _tables(text)
    return "".join((_OTHER[second], second_levels, _OTHER[first], first_levels))


def _flat(player: Played) -> dict[str, Any]:
    return {
        **dataclasses.asdict(player.identity),
        **{field.name: getattr(player, field.name) for field in dataclasses.fields(player)[1:]},
    }
