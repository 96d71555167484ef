"""The result of a match-up: the metrics of player A, each with its 95 % interval over deals.

| metric | for A |
|---|---|
| levels per round | the result table's levels, + if A's side rises, − if the other side rises |
| level rate | levels that A's side won / levels that either side won |
| points per round | attackers' points − the points at which they take over; the sign is reversed for declarers |
| win rate of rounds | share of rounds won; a draw counts half |
| win rate of deals | share of deals in which A won more levels than B, a tie counting half; or of matches won |
| gain of pairing | standard error of levels per round if the same number of rounds were unpaired / the actual one |

In matches a deal is a pair of matches (`deal_batch.py`). Matches differ in length, so metrics per round are ratios.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env import __version__
from shengji_env.arena.statistics import Interval, gain_of_pairing, plain, rate_interval, ratio_interval, score_of
from shengji_env.engine.actions import ACTIONS_VERSION
from shengji_env.engine.results import all_worth_to_attackers
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import NUM_TEAMS, Winner
from shengji_env.tables.observation import LAYOUT_VERSION

RESULT_FIELDS = (
    "declarer", "winner", "levels_nominal", "attackers_points", "kitty_points", "match_over", "match_winner",
    "levels_lost",
)  # fmt: skip
"""The fields of a round's result that are kept."""
ROUND_DTYPE = np.dtype(
    [
        ("deal", np.int64),
        ("table", np.int16),
        ("round", np.int16),
        ("trump", np.int8),
        ("level_rank", np.int8),
        *((name, np.int32) for name in RESULT_FIELDS),
    ]
)
"""A round of a match-up: its deal, which of the deal's tables, which round of its match, and how it ended."""


VERSIONS = {"shengji_env": __version__, "layout": LAYOUT_VERSION, "actions": ACTIONS_VERSION}
"""The versions on which results depend."""
_ESTIMATES = (
    "levels_per_round", "interval", "level_rate", "level_rate_interval", "points_per_round", "points_interval",
    "round_win_rate", "round_win_rate_interval", "win_rate", "win_rate_interval",
)  # fmt: skip
"""A result's means and rates, each followed by its interval."""


class Signed(NamedTuple):
    """The results of rounds for A, each of shape (m,)."""

    levels: NDArray[np.float64]
    points: NDArray[np.float64]
    score: NDArray[np.float64]
    is_declarers: NDArray[np.bool_]


@dataclass(frozen=True)
class RoleSplit:
    """A's rounds in one role."""

    rounds: int
    """Number of rounds."""
    levels_per_round: float
    """Mean levels, the other side's counted as negative; 0 if there is no round."""
    interval: Interval
    """Interval of `levels_per_round`, over deals."""
    win_rate: float
    """Share won; a draw counts half; 0 if there is no round."""

    def to_json(self) -> dict[str, Any]:
        """Return the metrics as plain values."""
        return {name: plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class MatchupResult:
    """A duplicate match-up's metrics for player A; intervals are 95 %, over deals."""

    players: tuple[str, str]
    """Names of A and B."""
    rules: RuleSet
    """The rules of all rounds."""
    seed: int
    """Seed of deals and random words."""
    num_deals: int
    """Deals; each is two rounds, or two matches."""
    levels_per_round: float
    """Mean levels per round."""
    interval: Interval
    """Interval of `levels_per_round`."""
    level_rate: float
    """Levels won / levels that either side won; one half if there were none."""
    level_rate_interval: Interval
    """Interval of `level_rate`."""
    points_per_round: float
    """Mean of attackers' points minus those at which they take over, signed for A."""
    points_interval: Interval
    """Interval of `points_per_round`."""
    round_win_rate: float
    """Share of rounds won; a draw counts half."""
    round_win_rate_interval: Interval
    """Interval of `round_win_rate`."""
    win_rate: float
    """Share of paired deals won; a tie counts half. In matches, the share of matches won."""
    win_rate_interval: Interval
    """Interval of `win_rate`."""
    as_declarers: RoleSplit
    """A's rounds as declarers."""
    as_attackers: RoleSplit
    """A's rounds as attackers."""
    num_rounds: int
    """Rounds played: two for each deal, or all rounds of its matches."""
    is_match: bool
    """Whether the deals are whole matches."""
    gain_of_pairing: float | None
    """How many times smaller pairing makes the standard error of `levels_per_round`; None if the error is 0."""
    not_own: tuple[float, float]
    """Shares of A's and B's decisions that were not their own (`Player.num_not_own`)."""
    levels: NDArray[np.int16] = field(repr=False, compare=False)
    """A's levels at each table, summed over its rounds, shape (num_deals, tables)."""

    def to_json(self) -> dict[str, Any]:
        """Return the metrics, and everything needed to play the match-up again."""
        return {
            "players": list(self.players),
            "deals": self.num_deals,
            "rounds": self.num_rounds,
            "episode": "match" if self.is_match else "round",
            **{name: plain(getattr(self, name)) for name in _ESTIMATES},
            "as_declarers": self.as_declarers.to_json(),
            "as_attackers": self.as_attackers.to_json(),
            "gain_of_pairing": self.gain_of_pairing,
            "not_own": list(self.not_own),
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "versions": VERSIONS,
        }


def summarize(
    rounds: NDArray[Any],
    players: tuple[str, str],
    *,
    rules: RuleSet,
    seed: int,
    is_match: bool = False,
    not_own: tuple[float, float] = (0.0, 0.0),
) -> MatchupResult:
    """Work out the metrics of a match-up.

    Args:
        rounds: all its rounds, shape (m,), ROUND_DTYPE: at least two deals, all with the same tables.
        players: names of A and B.
        rules: the rules played.
        seed: the seed of the deals.
        is_match: whether the deals are whole matches.
        not_own: shares of A's and B's decisions that were not their own.
    """
    mine = for_a(rounds, rules)
    levels, count = sum_by_table(rounds, mine.levels), sum_by_table(rounds, np.ones(len(rounds)))
    won, awarded, points, score = (
        sum_by_table(rounds, each).sum(axis=1)
        for each in (np.maximum(mine.levels, 0), np.abs(mine.levels), mine.points, mine.score)
    )
    per_deal = count.sum(axis=1)
    deals_won = _matches_won(rounds) if is_match else score_of(levels.sum(axis=1))
    estimates: tuple[Any, ...] = (
        *ratio_interval(levels.sum(axis=1), per_deal),
        *rate_interval(won, awarded),
        *ratio_interval(points, per_deal),
        *rate_interval(score, per_deal),
        *rate_interval(deals_won, np.ones(len(deals_won))),
    )
    return MatchupResult(
        players=players,
        rules=rules,
        seed=seed,
        num_deals=len(levels),
        **dict(zip(_ESTIMATES, estimates, strict=True)),
        as_declarers=_split(rounds, mine, mine.is_declarers),
        as_attackers=_split(rounds, mine, ~mine.is_declarers),
        num_rounds=len(rounds),
        is_match=is_match,
        gain_of_pairing=gain_of_pairing(levels, count),
        not_own=not_own,
        levels=levels.astype(np.int16),
    )


def for_a(rounds: NDArray[Any], rules: RuleSet) -> Signed:
    """Return the result of each round for A, which has seats 0 and 2 at the first table, 1 and 3 at the second."""
    is_declarers = rounds["declarer"] % NUM_TEAMS == rounds["table"]
    is_draw = rounds["winner"] == Winner.DRAW
    has_won = (rounds["winner"] == Winner.DECLARERS) == is_declarers
    outcome = np.where(is_draw, 0, np.where(has_won, 1, -1)).astype(np.float64)
    points = np.where(is_declarers, -1, 1) * (rounds["attackers_points"] - float(rules.table.threshold))
    levels = np.where(is_declarers, -1.0, 1.0) * all_worth_to_attackers(rounds)
    return Signed(levels.astype(np.float64), points, score_of(outcome), is_declarers)


def sum_by_table(rounds: NDArray[Any], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum a metric of the rounds by deal (in ascending order) and table, shape (n, tables)."""
    _, index = np.unique(rounds["deal"], return_inverse=True)
    tables = int(rounds["table"].max()) + 1
    num_deals = int(index.max()) + 1
    sums = np.bincount(index * tables + rounds["table"], weights=values, minlength=num_deals * tables)
    return np.asarray(sums.reshape(num_deals, tables), np.float64)


def levels_by_deal(rounds: NDArray[Any], rules: RuleSet) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the numbers of the deals of some rounds, in ascending order, and A's mean levels per round in each."""
    levels, number = (
        sum_by_table(rounds, each).sum(axis=1) for each in (for_a(rounds, rules).levels, np.ones(len(rounds)))
    )
    return np.unique(rounds["deal"]).astype(np.int64), levels / number


def _matches_won(rounds: NDArray[Any]) -> NDArray[np.float64]:
    """Return the share of each deal's matches that A won, shape (n,); a tie counts half."""
    is_mine = rounds["match_winner"] == rounds["table"]
    score = np.where(rounds["match_winner"] < 0, 0.5, is_mine) * (rounds["match_over"] != 0)
    return np.asarray(sum_by_table(rounds, score).mean(axis=1), np.float64)


def _split(rounds: NDArray[Any], mine: Signed, chosen: NDArray[np.bool_]) -> RoleSplit:
    count = int(chosen.sum())
    if not count:
        return RoleSplit(0, 0.0, (0.0, 0.0), 0.0)
    levels, per_deal = (
        sum_by_table(rounds, each).sum(axis=1) for each in (mine.levels * chosen, chosen.astype(np.float64))
    )
    mean, interval = ratio_interval(levels, per_deal)
    return RoleSplit(count, mean, interval, float(mine.score[chosen].mean()))
