"""The strength of the network: duplicate match-ups, and an ablation that shows whether each phase was learned.

The ablation plays the network against a copy whose decisions in one phase are replaced by those of `random`. The levels
per round that the replacement costs, on paired deals, show how much the network knows about that phase.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.run_config import Config
from shengji_env.arena import MatchupResult, Player, make_player, play_matchup
from shengji_env.arena.matchup import MatchupWatch
from shengji_env.engine.state import Phase
from shengji_env.players import Decisions
from shengji_env.tables.observation import view

OPPONENTS = ("random", "greedy", "heuristic")
ABLATED_PHASES = (Phase.BID, Phase.BURY)
METRICS = (
    "deals",
    "levels_per_round",
    "interval",
    "level_rate",
    "level_rate_interval",
    "points_per_round",
    "points_interval",
    "win_rate",
    "win_rate_interval",
)
"""The fields of a match-up that are kept."""


@dataclass(frozen=True)
class Matchup:
    """The network's result against one opponent, on duplicate deals."""

    opponent: str
    result: MatchupResult

    def to_json(self) -> dict[str, Any]:
        """Return the metrics as plain values."""
        result = self.result.to_json()
        return {name: result[name] for name in METRICS}

    def __str__(self) -> str:
        """Return one line for the terminal."""
        result = self.result
        (low, high), (lowest, highest) = result.interval, result.level_rate_interval
        return (
            f"vs {self.opponent}: {result.levels_per_round:+.3f} levels a round [{low:+.3f}, {high:+.3f}], "
            f"level rate {result.level_rate:.1%} [{lowest:.1%}, {highest:.1%}], {result.num_deals:,} deals"
        )


class PhaseReplaced(Player):
    """A player whose decisions in one phase are made by another player."""

    def __init__(self, player: Player, phase: Phase, substitute: Player) -> None:
        """Let ``player`` decide, except in ``phase``."""
        self.player, self.phase, self.substitute = player, phase, substitute
        self.name = f"{player.name} with {substitute.name} {phase.name}"
        self.needs = player.needs | substitute.needs

    def decide(self, decisions: Decisions) -> NDArray[np.int64]:
        """Choose actions, (B,) int64."""
        actions = np.array(self.player.decide(decisions), np.int64)
        rows = np.flatnonzero(view(np.ascontiguousarray(decisions.observation))["phase"][:, self.phase])
        if rows.size:
            actions[rows] = self.substitute.decide(decisions[rows])
        return actions


def play_duplicate(
    player: Player, opponent: str, num_deals: int, config: Config, watch: MatchupWatch | None = None
) -> Matchup:
    """Play ``player`` against an opponent named as in the arena; ``watch`` is called after every step and may raise."""
    return Matchup(opponent, _matchup(player, make_player(opponent), num_deals, config, watch))


def ablate(player: Player, config: Config, watch: Callable[[str], MatchupWatch] | None = None) -> dict[str, Any]:
    """Measure what the network loses if `random` decides a phase: levels per round and their interval, by phase.

    `watch` is given what is measured, and returns who watches that match-up.
    """
    losses = {}
    for phase in ABLATED_PHASES:
        handicapped = PhaseReplaced(player, phase, make_player("random"))
        watching = None if watch is None else watch(f"with random {phase.name}")
        result = _matchup(player, handicapped, config.evaluation.ablation_deals, config, watching)
        losses[phase.name] = {
            "deals": result.num_deals,
            "levels_per_round_lost": result.levels_per_round,
            "interval": list(result.interval),
        }
    return losses


def _matchup(
    player: Player, opponent: Player, num_deals: int, config: Config, watch: MatchupWatch | None
) -> MatchupResult:
    rules, seed = config.environment.rules, config.evaluation.seed
    return play_matchup(player, opponent, num_deals=num_deals, rules=rules, seed=seed, progress=watch)
