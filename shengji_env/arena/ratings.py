"""Ratings: one number for each player from all results of a tournament, with its interval.

Bradley and Terry's model: A wins a round against B with probability 1 / (1 + 10 ** ((b − a) / 400)), where a and b are
their ratings, in Elo points. It is fitted by choix (Maystre, "choix: inference algorithms for models based on Luce's
choice axiom") to the rounds that each pair won; a draw counts half for each. One draw is added to every pair that met,
so that a player that never lost has a rating too. In matches, the rounds of the matches count.

Intervals are 95 %, from the bootstrap over deals. Whole deals are drawn with replacement, the same for all pairs, since
all pairs play the same deals; each rating's interval runs from the 2.5 % to the 97.5 % quantile. All ratings are
relative to the anchor's, which is 0 and has no interval. In 120 samples from 4,000 deals of heuristic, greedy and
random, intervals of 100 or 400 deals contained the true value in 92 to 95 % of cases; those of 20 deals, in which a
player may win every round, in 82 %.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.result import for_a
from shengji_env.arena.statistics import Interval
from shengji_env.engine.rule_sets import RuleSet

ANCHOR = "random"
"""The player whose rating is 0; if it does not play, the first player's rating is 0."""
BOOTSTRAPS = 400
"""Number of bootstrap samples."""
ELO = 400 / np.log(10)
"""Elo points for odds of e to 1."""
_BOOTSTRAP_SEED = 20250101


@dataclass(frozen=True)
class Rating:
    """A player's rating."""

    player: str
    """Its name."""
    rating: float
    """In Elo points above the anchor."""
    interval: Interval
    """Its 95 % interval."""
    win_rate: float
    """Share of rounds won against all others; a draw counts half."""
    rounds: int
    """Rounds played, as A or B of a pair."""


def rate(
    names: tuple[str, ...],
    texts: tuple[str, ...],
    pairs: list[tuple[int, int]],
    rounds: list[NDArray[Any]],
    rules: RuleSet,
    bootstraps: int = BOOTSTRAPS,
) -> list[Rating]:
    """Rate all players; return the ratings, the best first.

    Args:
        names: names of the players.
        texts: their texts; the anchor is looked up among them.
        pairs: indices of A and B of each pair.
        rounds: each pair's rounds, ROUND_DTYPE.
        rules: the rules.
        bootstraps: number of bootstrap samples.
    """
    anchor = texts.index(ANCHOR) if ANCHOR in texts else 0
    tallies = [_tally(each, rules) for each in rounds]
    whole = _wins(len(names), pairs, tallies, None)
    rating = _fit(whole, anchor)
    generator = np.random.default_rng(_BOOTSTRAP_SEED)
    num_deals = max((len(tally) for tally in tallies), default=0)
    drawn = np.zeros((bootstraps, len(names)))
    for place in range(bootstraps):
        weights = np.bincount(generator.integers(num_deals, size=num_deals), minlength=num_deals)
        drawn[place] = _fit(_wins(len(names), pairs, tallies, weights), anchor)
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    won, played = np.zeros(len(names)), np.zeros(len(names), np.int64)
    for pair, tally in zip(pairs, tallies, strict=True):
        won[list(pair)] += tally.sum(axis=0)
        played[list(pair)] += round(tally.sum())
    ratings = [
        Rating(
            names[player],
            float(rating[player]),
            (float(low[player]), float(high[player])),
            float(won[player] / played[player]),
            int(played[player]),
        )
        for player in range(len(names))
    ]
    return sorted(ratings, key=lambda each: -each.rating)


def _tally(rounds: NDArray[Any], rules: RuleSet) -> NDArray[np.float64]:
    """Count the rounds that A and B won, by number of the deal, shape (deals, 2); deals not played are 0."""
    score = for_a(rounds, rules).score
    columns = [np.bincount(rounds["deal"], weights=each) for each in (score, 1 - score)]
    return np.stack(columns, axis=1) if len(rounds) else np.zeros((0, 2))


def _wins(
    players: int, pairs: list[tuple[int, int]], tallies: list[NDArray[np.float64]], weights: NDArray[Any] | None
) -> NDArray[np.float64]:
    """Count how often each player beat each other, plus one draw per pair, shape (players, players)."""
    wins = np.zeros((players, players))
    for (a, b), tally in zip(pairs, tallies, strict=True):
        drawn = tally if weights is None else tally * weights[: len(tally), None]
        wins[a, b], wins[b, a] = drawn.sum(axis=0) + 0.5
    return wins


def _fit(wins: NDArray[np.float64], anchor: int) -> NDArray[np.float64]:
    """Fit the ratings, in Elo points, shape (players,)."""
    import choix

    strengths = choix.ilsr_pairwise_dense(wins)
    return np.asarray(ELO * (strengths - strengths[anchor]), np.float64)
