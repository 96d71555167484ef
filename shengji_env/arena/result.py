"""What a match-up came to: the figures of player A, each with its 95 % interval over deals.

| figure | of A, a round |
|---|---|
| levels per round | the result table's levels, + if A's side rises, − if the other does |
| level rate | levels that A's side won / levels awarded to either side |
| points per round | attackers' points − the points at which they take over, + for the attackers |
| win rate of rounds | share of rounds won, a draw counting half |
| win rate of deals | share of deals on which A made more levels than B did with the same cards, a tie counting half |
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env import __version__
from shengji_env.arena.statistics import Interval, mean_interval, rate_interval, score_of
from shengji_env.engine.actions import ACTIONS_VERSION
from shengji_env.engine.rules import RuleSet
from shengji_env.engine.state import Winner
from shengji_env.envs.observation import LAYOUT_VERSION


@dataclass(frozen=True)
class RoleSplit:
    """A's rounds in one role."""

    rounds: int
    """Number of rounds."""
    levels_per_round: float
    """Mean levels, the other side's counting against; 0 without a round."""
    win_rate: float
    """Share won, a draw counting half; 0 without a round."""


@dataclass(frozen=True)
class MatchupResult:
    """A duplicate match-up's figures for player A; intervals are 95 %, over deals."""

    players: tuple[str, str]
    """Names of A and B."""
    rules: RuleSet
    """The rules of all rounds."""
    seed: int
    """The seed of deals and random words."""
    num_deals: int
    """Deals; each is two rounds."""
    levels_per_round: float
    """Mean levels a round."""
    interval: Interval
    """Interval of `levels_per_round`."""
    level_rate: float
    """Levels won / levels awarded; one half if none were."""
    level_rate_interval: Interval
    """Interval of `level_rate`."""
    points_per_round: float
    """Mean points a round beyond what it takes to take over, signed for A."""
    points_interval: Interval
    """Interval of `points_per_round`."""
    round_win_rate: float
    """Share of rounds won, a draw counting half."""
    round_win_rate_interval: Interval
    """Interval of `round_win_rate`."""
    win_rate: float
    """Share of paired deals won, a tie counting half."""
    win_rate_interval: Interval
    """Interval of `win_rate`."""
    as_declarers: RoleSplit
    """A's rounds as declarers."""
    as_attackers: RoleSplit
    """A's rounds as attackers."""
    levels: NDArray[np.int16] = field(repr=False, compare=False)
    """A's levels of each round, shape (num_deals, 2): what everything above is made of."""

    def to_json(self) -> dict[str, Any]:
        """The figures, and what is needed to play the match-up again."""
        return {
            "players": list(self.players),
            "deals": self.num_deals,
            "levels_per_round": self.levels_per_round,
            "interval": list(self.interval),
            "level_rate": self.level_rate,
            "level_rate_interval": list(self.level_rate_interval),
            "points_per_round": self.points_per_round,
            "points_interval": list(self.points_interval),
            "round_win_rate": self.round_win_rate,
            "round_win_rate_interval": list(self.round_win_rate_interval),
            "win_rate": self.win_rate,
            "win_rate_interval": list(self.win_rate_interval),
            "as_declarers": vars(self.as_declarers).copy(),
            "as_attackers": vars(self.as_attackers).copy(),
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "versions": {"shengji_env": __version__, "layout": LAYOUT_VERSION, "actions": ACTIONS_VERSION},
        }


def summarize(rounds: NDArray[Any], players: tuple[str, str], *, rules: RuleSet, seed: int) -> MatchupResult:
    """The figures of a match-up.

    Args:
        rounds: results, shape (n, 2), RESULT_DTYPE: of each deal, first with A in seats 0 and 2, then in 1 and 3.
        players: names of A and B.
        rules: the rules played.
        seed: the seed of the deals.
    """
    is_declarers = rounds["declarer"] % 2 == np.array([0, 1])
    is_draw = rounds["winner"] == Winner.DRAW
    has_won = (rounds["winner"] == Winner.DECLARERS) == is_declarers
    outcome = np.where(is_draw, 0, np.where(has_won, 1, -1)).astype(np.float64)
    levels = outcome * rounds["levels_nominal"]
    points = np.where(is_declarers, -1, 1) * (rounds["attackers_points"] - float(rules.table.threshold))
    mean, interval = mean_interval(levels.mean(axis=1))
    rate, rate_range = rate_interval(np.maximum(levels, 0).sum(axis=1), np.abs(levels).sum(axis=1))
    points_mean, points_range = mean_interval(points.mean(axis=1))
    round_rate, round_range = mean_interval(score_of(outcome).mean(axis=1))
    deal_rate, deal_range = mean_interval(score_of(levels.sum(axis=1)))
    return MatchupResult(
        players=players,
        rules=rules,
        seed=seed,
        num_deals=len(rounds),
        levels_per_round=mean,
        interval=interval,
        level_rate=rate,
        level_rate_interval=rate_range,
        points_per_round=points_mean,
        points_interval=points_range,
        round_win_rate=round_rate,
        round_win_rate_interval=round_range,
        win_rate=deal_rate,
        win_rate_interval=(max(0.0, deal_range[0]), min(1.0, deal_range[1])),
        as_declarers=_split(levels, outcome, is_declarers),
        as_attackers=_split(levels, outcome, ~is_declarers),
        levels=levels.astype(np.int16),
    )


def _split(levels: NDArray[np.float64], outcome: NDArray[np.float64], chosen: NDArray[np.bool_]) -> RoleSplit:
    rounds = int(chosen.sum())
    if not rounds:
        return RoleSplit(0, 0.0, 0.0)
    return RoleSplit(rounds, float(levels[chosen].mean()), float(score_of(outcome[chosen]).mean()))
