"""The duel: the network of the second generation against that of the first, on duplicate deals.

The rule: the later network is the run's player unless it is worse beyond chance, that is, unless the 95 % interval of
the levels that it wins lies below 0. The deals are of another seed than those of match-ups, and are played once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from agents.values.value_config import ValuesConfig
from shengji_env.arena import play_matchup
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.errors import CheckpointError
from shengji_env.players.networks.champion import ValuePlayer
from shengji_env.players.networks.champion.conditioning import Weights
from shengji_env.players.networks.champion.value_file import ValueFile

SEED = 1
"""Added to the seed of match-ups."""


@dataclass(frozen=True)
class Duel:
    """What the second generation has brought, in levels a round."""

    levels: float
    low: float
    """Lower end of the 95 % interval."""
    high: float
    deals: int

    @property
    def is_taken(self) -> bool:
        """Whether the later network is the run's player."""
        return self.high >= 0

    def __str__(self) -> str:
        taken = "the second network" if self.is_taken else "it is worse; the first network"
        return (
            f"second generation: {self.levels:+.3f} ({self.low:+.3f} to {self.high:+.3f}) levels a round against the "
            f"first, {self.deals:,} deals; {taken} is exported"
        )

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Duel":
        """Read what `dataclasses.asdict` wrote.

        Raises:
            CheckpointError: it is something else.
        """
        kinds = {"levels": float, "low": float, "high": float, "deals": int}
        if {name: type(value) for name, value in values.items()} != kinds:
            raise CheckpointError(f"duel in its meta.json is {values!r}"[:200])
        return cls(**values)


def play_duel(later: Weights, earlier: Weights, config: ValuesConfig, check: Callable[[], None]) -> Duel:
    """Play the duel; ``check`` is called after every step, and may raise."""
    rules = parse_rules(config.environment.rules)
    players = (
        ValuePlayer(ValueFile(weights, None, {}), name=name)
        for name, weights in (("second generation", later), ("first generation", earlier))
    )
    result = play_matchup(
        *players,
        num_deals=config.second_generation.deals,
        rules=rules,
        seed=config.evaluation.seed + SEED,
        progress=lambda *_: check(),
    )
    low, high = result.interval
    return Duel(result.levels_per_round, low, high, result.num_deals)
