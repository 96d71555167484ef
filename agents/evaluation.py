"""How strong the network is: duplicate match-ups, and the ablation that shows that each phase was learned.

The ablation plays the network against itself with one phase's decisions replaced by `random`'s: what the
replacement costs in levels a round, on paired deals, is what the network knows about that phase.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.config import Config
from shengji_env.arena import MatchupResult, Player, make_player, play_matchup
from shengji_env.engine.state import Phase
from shengji_env.envs.observation import view

OPPONENTS = ("random", "greedy", "heuristic")
ABLATED_PHASES = (Phase.BID, Phase.BURY)
FIGURES = (
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
"""What is kept of a match-up."""

Watch = Callable[[float, int], object]
"""Called with the deals played so far and their number."""


@dataclass(frozen=True)
class Matchup:
    """The network's result against one opponent, on duplicate deals."""

    opponent: str
    result: MatchupResult

    @property
    def levels_per_round(self) -> float:
        """Mean levels a round, the network's less the opponent's."""
        return self.result.levels_per_round

    @property
    def level_rate(self) -> float:
        """Levels won by the network out of all levels awarded."""
        return self.result.level_rate

    def to_json(self) -> dict[str, Any]:
        """The figures as plain values."""
        result = self.result.to_json()
        return {name: result[name] for name in FIGURES}

    def __str__(self) -> str:
        """One line for the terminal."""
        low, high = self.result.interval
        lowest, highest = self.result.level_rate_interval
        return (
            f"vs {self.opponent}: {self.levels_per_round:+.3f} levels a round [{low:+.3f}, {high:+.3f}], "
            f"level rate {self.level_rate:.1%} [{lowest:.1%}, {highest:.1%}], {self.result.num_deals:,} deals"
        )


class PhaseReplaced:
    """A player that leaves the decisions of one phase to another player."""

    def __init__(self, player: Player, phase: Phase, substitute: Player) -> None:
        """``player`` acts, except in ``phase``."""
        self.player, self.phase, self.substitute = player, phase, substitute
        self.name = f"{player.name} with {substitute.name} {phase.name}"

    def act(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], key: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Actions (B,) int64."""
        actions = np.array(self.player.act(observation, action_mask, key), np.int64)
        rows = np.flatnonzero(view(np.ascontiguousarray(observation))["phase"][:, self.phase])
        if rows.size:
            actions[rows] = self.substitute.act(observation[rows], action_mask[rows], key[rows])
        return actions


def play_duplicate(
    player: Player, opponent: str, num_deals: int, config: Config, watch: Watch | None = None
) -> Matchup:
    """``player`` against an opponent named as in the arena; ``watch`` is called after every step and may raise."""
    return Matchup(opponent, _matchup(player, make_player(opponent), num_deals, config, watch))


def ablate(player: Player, config: Config, watch: Watch | None = None) -> dict[str, Any]:
    """What the network loses when `random` decides a phase: by phase, levels a round and their interval."""
    losses = {}
    for phase in ABLATED_PHASES:
        handicapped = PhaseReplaced(player, phase, make_player("random"))
        result = _matchup(player, handicapped, config.evaluation.ablation_deals, config, watch)
        losses[phase.name] = {
            "deals": result.num_deals,
            "levels_per_round_lost": result.levels_per_round,
            "interval": list(result.interval),
        }
    return losses


def _matchup(player: Player, opponent: Player, num_deals: int, config: Config, watch: Watch | None) -> MatchupResult:
    rules, seed = config.environment.rules, config.evaluation.seed
    return play_matchup(player, opponent, num_deals=num_deals, rules=rules, seed=seed, progress=watch)
