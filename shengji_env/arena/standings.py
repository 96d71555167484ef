"""The results of a tournament: each pair's metrics, the ratings, the lost deals."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.faults import Fault
from shengji_env.arena.identities import Before
from shengji_env.arena.ratings import Rating, anchor_of, is_connected, num_wins, rate, tally
from shengji_env.arena.result import ROUND_DTYPE, MatchupResult, summarize
from shengji_env.arena.sequential import SequentialTest, values_of
from shengji_env.arena.store import STORE_FORMAT, Store
from shengji_env.arena.tournament import Tournament


@dataclass(frozen=True)
class Standings:
    """A tournament's results."""

    tournament: Tournament
    """The tournament that was played."""
    results: list[MatchupResult | None]
    """By pair; None if fewer than two deals were played to their end."""
    stopped: list[int]
    """By pair: the number of deals that count, lost deals included."""
    ratings: list[Rating]
    """The best first; empty for two players, whose result says everything, or if some cannot be compared."""
    rounds: list[NDArray[Any]]
    """The rounds of each pair, ROUND_DTYPE, by deal, table and round."""
    faults: list[Fault]
    """The lost deals, by pair and deal; ``pair`` holds the names of their pair."""
    thinking: dict[str, tuple[float, int]]
    """By player: the seconds that it thought, and its decisions. They vary from run to run."""
    test: SequentialTest | None
    """The sequential test; None if there was none."""
    before: Before = field(default_factory=dict)
    """Players that were others when some of the deals were played (``keeps_changed``)."""

    def to_json(self) -> dict[str, Any]:
        """Return everything but the rounds; only ``seconds_per_decision`` varies from run to run."""
        tournament = self.tournament
        return {
            "format": STORE_FORMAT,
            **tournament.header(),
            "policies_before": self.before,
            "names": list(tournament.names),
            "deals": tournament.num_deals,
            "until": tournament.until,
            "adaptive": tournament.adaptive,
            "sprt": None if self.test is None else self.test.to_json(),
            "pairs": [None if result is None else result.to_json() for result in self.results],
            "stopped": self.stopped,
            "ratings": [rating.to_json() for rating in self.ratings],
            "faults": self.faults,
            "seconds_per_decision": {
                name: seconds / decisions if decisions else 0.0 for name, (seconds, decisions) in self.thinking.items()
            },
        }


def standings_of(store: Store, stopped: list[int]) -> Standings:
    """Work out the results from a store; for each pair, the deals before the one at which it stopped count."""
    tournament = store.tournament
    rounds = [pair_rounds(store, pair, stop) for pair, stop in enumerate(stopped)]
    tallies = [tally(each, tournament.rules) for each in rounds]
    ratings = []
    if len(tournament.players) > 2 and is_connected(num_wins(len(tournament.players), tournament.pairs, tallies)):
        ratings = rate(tournament.names, tournament.pairs, tallies, anchor=anchor_of(tournament.players))
    return Standings(
        tournament=tournament,
        results=[_result(store, pair, each) for pair, each in enumerate(rounds)],
        stopped=stopped,
        ratings=ratings,
        rounds=rounds,
        faults=_faults(store, stopped),
        thinking=_thinking(store),
        test=None if tournament.sprt is None else test_of(store),
        before=store.before,
    )


def test_of(store: Store) -> SequentialTest:
    """Return the sequential test of two players, as far as deals have been played."""
    tournament, deals = store.tournament, store.deals(0)
    assert tournament.sprt is not None
    test = SequentialTest(*tournament.sprt, tournament.num_deals)
    for played in store.played[0]:
        test.add((deal, value) for deal, value in values_of(played, tournament.rules) if deal in deals)
    return test


def pair_result(store: Store, pair: int, stop: int) -> MatchupResult | None:
    """Work out a pair's metrics on the deals before `stop`; None if fewer than two were played to their end."""
    return _result(store, pair, pair_rounds(store, pair, stop))


def pair_tallies(store: Store, stop: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return what each pair has won on the deals before its `stop` (`ratings.tally`)."""
    return [tally(pair_rounds(store, pair, deals), store.tournament.rules) for pair, deals in enumerate(stop)]


def pair_rounds(store: Store, pair: int, stop: int) -> NDArray[Any]:
    """Return a pair's rounds on the deals before `stop` that were not lost, ROUND_DTYPE."""
    rounds = np.concatenate([np.zeros(0, ROUND_DTYPE), *(played.rounds for played in store.played[pair])])
    return np.sort(rounds[rounds["deal"] < stop], order=("deal", "table", "round"))


def _result(store: Store, pair: int, rounds: NDArray[Any]) -> MatchupResult | None:
    tournament = store.tournament
    if len(np.unique(rounds["deal"])) < 2:
        return None
    a, b = (tournament.names[index] for index in tournament.pairs[pair])
    return summarize(rounds, (a, b), rules=tournament.rules, seed=tournament.seed, is_match=tournament.is_match)


def _faults(store: Store, stopped: list[int]) -> list[Fault]:
    tournament = store.tournament
    faults: list[Fault] = []
    for pair, chunks, stop in zip(tournament.pairs, store.played, stopped, strict=True):
        names = [tournament.names[index] for index in pair]
        found = (fault for played in chunks for fault in played.faults if fault["deal"] < stop)
        faults += [Fault({"pair": names, **fault}) for fault in sorted(found, key=lambda fault: fault["deal"])]
    return faults


def _thinking(store: Store) -> dict[str, tuple[float, int]]:
    """Sum the seconds and decisions of all chunks, by name."""
    names = store.tournament.names
    sums: dict[str, tuple[float, int]] = dict.fromkeys(names, (0.0, 0))
    for pair, chunks in zip(store.tournament.pairs, store.played, strict=True):
        for played in chunks:
            for index, (seconds, decisions) in zip(pair, played.thinking, strict=True):
                before = sums[names[index]]
                sums[names[index]] = (before[0] + seconds, before[1] + decisions)
    return sums
