"""Adaptive pairing: deals go to the pairs by which the least certain positions of the ranking are decided.

Deals are played in batches. After each, all players are ranked by the model of `ratings.py`, and neighbours in the
ranking are compared: the difference of their ratings, and its standard error. Two neighbours are **open** while they
are less than three standard errors apart (three instead of two, since the comparison is made many times); if that error
is at most FINE, they count as equal and are not open. Of the open pairs of neighbours, the half with the largest
standard errors play a step of deals. When none is open, all count as open. It begins with deals by which everybody can
be compared with everybody, if only by way of others: a step for each two players that are named one after the other,
unless the caller says otherwise. A player whose deals have all been lost gets no more.

What is played next depends on the results so far and on nothing else, so any executor and any interruption end with the
same deals. A pair plays deals 0, 1, 2, …, however many it will be.

Choosing by results does not bias the ratings: the likelihood of the model is the same whether pairs were fixed or
chosen, so its maximum needs no correction. Intervals do not know of the choice; how often they hold the truth was
measured with players of known strengths (`research/measure_pairing.py`, docs/ladder.md). If the model does not hold,
players are rated by how they do against their like rather than against everybody.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.ratings import ELO, fit, is_connected, num_wins

STEP = 50
"""Deals that a pair plays on at a time."""
OPEN = 3.0
"""Standard errors by which neighbours must be apart for their order to count as settled."""
FINE = 3.0
"""Standard error, in Elo points, below which neighbours count as equal: two that are would take deals without end."""
_PRIOR_DEALS = 10
"""Deals of the model's own variance that are added to those of each pair, since few deals may all end alike."""
_TRIED = 2 * STEP
"""A player that has lost so many deals, and has no other, gets no more."""
_LINK = 0.001
"""Draws that are added between all players if some cannot be compared, as when deals were lost: then these are the
least certain."""
_DIGITS = 3
"""Digits of Elo points to which ratings are compared, so that rounding errors choose nothing."""

Pair = tuple[int, int]
"""Indices of two players, the lower one first."""


@dataclass(frozen=True)
class Pairing:
    """What adaptive pairing is to keep to."""

    num_players: int
    """How many players there are."""
    total: int
    """Deals of all pairs together."""
    most_of_pair: int
    """Most deals of a pair."""
    first: dict[Pair, int] = field(default_factory=dict)
    """The deals that pairs play first, whatever comes of them; by default a step for each two players in a row."""
    max_of_player: dict[int, int] = field(default_factory=dict)
    """Most deals of some players in all; then they are left out of the ranking by which the others are paired."""

    @property
    def pairs(self) -> list[Pair]:
        """All pairs of players."""
        return list(itertools.combinations(range(self.num_players), 2))


class Neighbours(NamedTuple):
    """Two neighbours in the ranking."""

    pair: Pair
    """Their indices."""
    lead: float
    """By how many Elo points the one is ahead of the other."""
    error: float
    """Standard error of `lead`."""

    @property
    def is_open(self) -> bool:
        """Whether more deals may show which of the two is ahead."""
        return self.lead < OPEN * self.error and self.error > FINE


def adaptive_stops(
    pairing: Pairing, tallies: Callable[[Sequence[int]], list[NDArray[np.float64]]]
) -> Iterator[list[int]]:
    """Yield after how many deals each pair is to stop for the time being, batch by batch.

    Args:
        pairing: what to keep to.
        tallies: returns what each pair has won (`ratings.tally`) before the deals that it is given, by pair. It is
            called when the next batch is asked for, and must then know the last one's results.
    """
    pairs = pairing.pairs
    first = pairing.first or {(index, index + 1): STEP for index in range(pairing.num_players - 1)}
    stop = [min(first.get(pair, 0), pairing.most_of_pair) for pair in pairs]
    yield stop.copy()
    while True:
        quota, won = _Quota(pairing, stop), tallies(stop)
        has_results = {player for pair, tally in zip(pairs, won, strict=True) if tally.any() for player in pair}
        among = [player for player in quota.players if player in has_results or quota.played_by(player) < _TRIED]
        chosen = _chosen(quota, pairing.total - sum(stop), rank_neighbours(among, pairs, won))
        if not chosen:
            return
        for pair, deals in chosen:
            stop[pairs.index(pair)] += deals
        yield stop.copy()


def rank_neighbours(
    among: Sequence[int], pairs: Sequence[Pair], tallies: Sequence[NDArray[np.float64]]
) -> list[Neighbours]:
    """Compare all neighbours in the ranking, the first of it first.

    Args:
        among: the players that are ranked.
        pairs: all pairs of players.
        tallies: what each pair has won, `ratings.tally`.
    """
    num_players = 1 + max(b for _, b in pairs)
    wins = num_wins(num_players, pairs, tallies)
    link = 0.0 if is_connected(wins) else _LINK
    one = np.eye(num_players)
    strengths = fit(wins + link * (1 - one), 0) / ELO
    information: NDArray[np.float64] = link * (num_players * one - 1)
    variance = information.copy()
    for (a, b), tally in zip(pairs, tallies, strict=True):
        if not tally.any():
            continue
        chance = 1 / (1 + np.exp(strengths[b] - strengths[a]))
        residuals = tally[:, 0] - chance * tally.sum(axis=1)
        expected = chance * (1 - chance) * tally.sum()
        num_deals = np.count_nonzero(tally.any(axis=1))
        prior = _PRIOR_DEALS / num_deals
        _add(information, a, b, chance * (1 - chance) * (tally.sum() + 1))
        _add(variance, a, b, (float(residuals @ residuals) + prior * expected) / (1 + prior))
    inverse = np.linalg.pinv(information, hermitian=True)
    covariance = ELO**2 * inverse @ variance @ inverse
    ratings = np.round(ELO * strengths, _DIGITS)
    ranking = sorted(among, key=lambda player: (-ratings[player], player))
    return [
        Neighbours(
            (min(a, b), max(a, b)),
            float(ratings[a] - ratings[b]),
            round(max(0.0, covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]) ** 0.5, _DIGITS),
        )
        for a, b in itertools.pairwise(ranking)
    ]


def _add(matrix: NDArray[np.float64], a: int, b: int, weight: float) -> None:
    """Add what a comparison of two players contributes to a matrix of all."""
    matrix[a, a] += weight
    matrix[b, b] += weight
    matrix[a, b] -= weight
    matrix[b, a] -= weight


def _chosen(quota: "_Quota", left: int, ranked: Sequence[Neighbours]) -> list[tuple[Pair, int]]:
    """Return the pairs that play on, and for how many deals; none if no more may be played."""
    playable = [neighbours for neighbours in ranked if quota.of(neighbours.pair)]
    candidates = [neighbours for neighbours in playable if neighbours.is_open] or playable
    candidates.sort(key=lambda neighbours: (-neighbours.error, neighbours.pair))
    chosen = []
    for neighbours in candidates[: (len(candidates) + 1) // 2]:
        deals = min(STEP, left, quota.of(neighbours.pair))
        if deals > 0:
            quota.take(neighbours.pair, deals)
            left -= deals
            chosen.append((neighbours.pair, deals))
    return chosen


class _Quota:
    """How many more deals may be played.

    Attributes:
        players: those that may play on.
    """

    def __init__(self, pairing: Pairing, stop: Sequence[int]) -> None:
        self._pairing = pairing
        self._played = dict(zip(pairing.pairs, stop, strict=True))
        self.players = [player for player in range(pairing.num_players) if self._left_of(player) > 0]

    def of(self, pair: Pair) -> int:
        """Return how many more deals a pair may play."""
        return max(0, min(self._pairing.most_of_pair - self._played[pair], *map(self._left_of, pair)))

    def played_by(self, player: int) -> int:
        """Return how many deals a player has played."""
        return sum(deals for pair, deals in self._played.items() if player in pair)

    def take(self, pair: Pair, deals: int) -> None:
        """Note that a pair plays deals."""
        self._played[pair] += deals

    def _left_of(self, player: int) -> int:
        return self._pairing.max_of_player.get(player, self._pairing.total) - self.played_by(player)
