"""A season: deals that everybody plays in seat 0, and what players made of them there.

Its file, ``shengji-season/1``, is one JSON object with the fields of `Season`. Deal n is round n of a table that plays
single rounds under the season's seed, begun with any levels and declarer: a function of (seed, n), whatever was played
before. `Board` deals the same with ``is_match=False``.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources

import numpy as np

from shengji_env.engine.rule_sets import RuleSet, parse_rules
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.envs.batch import BatchEnv
from shengji_env.players.asking import ask
from shengji_env.players.decisions import num_plays
from shengji_env.players.player import Player
from shengji_env.players.registry import make_player
from shengji_env.records.writing import finished_round
from shengji_env.render.round_record import Round
from shengji_table.review.worst_deals import worth_to_attackers

FORMAT = "shengji-season/1"
SHIPPED = "season_3.json"
SEAT = 0
"""Who is measured."""


@dataclass(frozen=True)
class Season:
    """A season."""

    rules: str
    """The rule set, as text."""
    seed: int
    """Seed of the deals; it names the season in records."""
    others: str
    """The player in the other three seats."""
    block: int
    """How many deals are a test; who goes on plays as many again."""
    made: Mapping[str, Sequence[int]]
    """By player what its team made in seat 0 on each deal, in levels; below 0: what the other team made."""

    @property
    def rule_set(self) -> RuleSet:
        """The rules."""
        return parse_rules(self.rules)

    @property
    def num_deals(self) -> int:
        """How many deals there are."""
        return len(next(iter(self.made.values())))

    def to_json(self) -> dict[str, object]:
        """Return the content of its file."""
        return {"format": FORMAT, **asdict(self)}


@cache
def shipped_season() -> Season:
    """Return the season that comes with the package."""
    fields = json.loads((resources.files("shengji_table.season") / SHIPPED).read_text(encoding="utf-8"))
    assert fields.pop("format") == FORMAT
    return Season(**fields)


def dealt(season: Season, number: int) -> BatchEnv:
    """Return a table with a deal of the season."""
    rules = season.rule_set
    env = BatchEnv(1, rules, seed=season.seed, episode="round", start="any", record=True, history=num_plays(rules))
    env.tables.begin(round_index=number)
    return env


def played(season: Season, number: int, player: Player, others: Player) -> Round:
    """Return the record of a deal, played by a player in seat 0 with the others."""
    env = dealt(season, number)
    while int(env.states["round_index"][0]) == number:
        env.step([answer_of(player if env.seat[0] == SEAT else others, env)])
    return finished_round(env)


def answer_of(player: Player, env: BatchEnv) -> int:
    """Return what a player does next; it is asked where it has a choice, as at a table."""
    legal = np.flatnonzero(env.action_mask[0])
    return int(legal[0] if len(legal) == 1 else ask(player, env.tables, np.zeros(1, np.int64))[0])


def levels_of(record: Round) -> int:
    """Return what the team of seat 0 made in a round, in levels; below 0: what the other team made."""
    is_attacker = record["tricks"][0]["leader"] % NUM_TEAMS != SEAT % NUM_TEAMS
    return (1 if is_attacker else -1) * worth_to_attackers(record["result"])


def made_by(season: Season, player: str, deals: Iterable[int]) -> list[int]:
    """Return what a player makes of some deals in seat 0."""
    measured, others = make_player(player), make_player(season.others)
    return [levels_of(played(season, number, measured, others)) for number in deals]
