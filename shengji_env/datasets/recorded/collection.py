"""Collections: who plays which rounds. This module is pure data; `collecting.py` plays it.

| players named | seats 0 to 3 in round 0 | in round 1 |
|---|---|---|
| one, A | A A A A | A A A A |
| two, A B | A B A B | B A B A |
| four, A B C D | A B C D | B C D A |

From round to round everybody moves on by a seat, so that each sits in all seats equally often; partners stay partners.
Round r is round 0 of table number r of an environment with this seed and ``start="any"``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env import __version__
from shengji_env.arena.chunks import known_player
from shengji_env.arena.identities import player_digests
from shengji_env.engine.actions import ACTIONS_VERSION
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, RULE_SETS, RuleSet
from shengji_env.errors import PlayerError, ShengjiError, show
from shengji_env.players.player import Needs, Player, needs_of
from shengji_env.support.settings import any_seed, check_fields
from shengji_env.tables.observation import LAYOUT_VERSION

COLLECTION_FORMAT = "shengji-collection/1"
NUMBERS = (1, 2, NUM_SEATS)
"""How many players may be named."""
_SLOW = Needs.POSITIONS | Needs.PROCESSES


@dataclass(frozen=True)
class Collection:
    """What rounds are made of.

    Raises:
        ShengjiError: a field is invalid.
        PlayerError: a text names no player, or a person.
    """

    players: tuple[str, ...]
    """Their texts (`registry.make_player`): one, two or four."""
    rules: RuleSet = RULE_SETS[DEFAULT_RULES]
    """The rules of all rounds."""
    seed: int = any_seed()
    """Seed of deals and random words."""

    def __post_init__(self) -> None:
        if not isinstance(self.rules, RuleSet):
            raise ShengjiError(f"rules={show(self.rules)} must be a RuleSet: parse_rules('two_deck')")
        check_fields(self)
        if not isinstance(self.players, tuple) or not all(isinstance(text, str) for text in self.players):
            raise ShengjiError(f"players={show(self.players)} must be a tuple of texts")
        if len(self.players) not in NUMBERS:
            raise ShengjiError(
                f"{len(self.players)} players are named; name one for all seats, two for the two sides, or four"
            )
        if Needs.PERSON in needs_of(self.seated):
            raise PlayerError("a person plays in `shengji play` and in the arena, whose --record keeps the rounds")

    @property
    def seated(self) -> tuple[Player, ...]:
        """The players that the texts name."""
        return tuple(map(known_player, self.players))

    @property
    def is_slow(self) -> bool:
        """Whether a player takes long for a round, and gains nothing from many tables at once."""
        return bool(_SLOW & needs_of(self.seated))

    def lineup(self, rounds: range) -> NDArray[np.int64]:
        """Return who sits where, (rounds, 4): indices among the players by seat."""
        return (np.asarray(rounds)[:, None] + np.arange(NUM_SEATS)) % len(self.players)

    def header(self) -> dict[str, Any]:
        """Return everything that the rounds depend on, which must be equal if a collection is resumed."""
        return {
            "format": COLLECTION_FORMAT,
            "players": list(self.players),
            "networks": player_digests(self.players, self.rules),
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "versions": {"shengji_env": __version__, "layout": LAYOUT_VERSION, "actions": ACTIONS_VERSION},
        }
