"""The results of a tournament: each pair's metrics, the ratings, the lost deals."""

from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.arena.faults import Fault, Thinking
from shengji_env.arena.identities import WhoPlayed, known_by_files
from shengji_env.arena.ratings import Rating, anchor_of, is_connected, num_wins, rate, tally
from shengji_env.arena.result import ROUND_DTYPE, MatchupResult, summarize
from shengji_env.arena.sequential import SequentialTest, Verdict, values_of
from shengji_env.arena.store import STORE_FORMAT, Store
from shengji_env.arena.tournament import Tournament


@dataclass(frozen=True)
class Standings:
    """A tournament's results."""

    tournament: Tournament
    """The tournament that was played."""
    results: list[MatchupResult | None]
    """By pair; None if fewer than two deals were played to their end, or a player has decided nothing itself."""
    stopped: list[int]
    """By pair: the number of deals that count, lost deals included."""
    ratings: list[Rating]
    """The best first, without `unrated`; empty for two players, or if some cannot be compared."""
    rounds: list[NDArray[Any]]
    """The rounds of each pair, ROUND_DTYPE, by deal, table and round."""
    faults: list[Fault]
    """The lost deals, by pair and deal; ``pair`` holds the names of their pair."""
    thinking: dict[str, Thinking]
    """By player, what it has done."""
    test: SequentialTest | None
    """The sequential test, undecided if one of the two is `unrated`; None if there was none."""
    who: WhoPlayed = field(default_factory=lambda: WhoPlayed({}, {}))
    """Who has played, where it is not sure."""

    @property
    def shown_names(self) -> dict[str, str]:
        """By name, what tables show: the name, marked if it is not sure who has played."""
        tournament = self.tournament
        return {
            name: name + self.who.mark(text) for name, text in zip(tournament.names, tournament.players, strict=True)
        }

    @property
    def unrated(self) -> list[str]:
        """Players that have no rank, since too few of their decisions were their own (`Thinking.is_own`)."""
        return [name for name, done in self.thinking.items() if not done.is_own]

    def to_json(self) -> dict[str, Any]:
        """Return everything but the rounds; only ``seconds_per_decision`` varies from run to run."""
        tournament = self.tournament
        return {
            "format": STORE_FORMAT,
            **tournament.header(),
            "policies_before": self.who.before,
            "names": list(tournament.names),
            "deals": tournament.num_deals,
            "sprt": None if self.test is None else self.test.to_json(),
            "pairs": [None if result is None else result.to_json() for result in self.results],
            "stopped": self.stopped,
            "ratings": [rating.to_json() for rating in self.ratings],
            "faults": self.faults,
            "not_own": {name: done.share_not_own for name, done in self.thinking.items()},
            "seconds_per_decision": {
                name: done.seconds / max(done.decisions, 1) for name, done in self.thinking.items()
            },
        }


def standings_of(store: Store, stopped: list[int]) -> Standings:
    """Work out the results from a store; for each pair, the deals before the one at which it stopped count."""
    tournament = store.tournament
    rounds = [pair_rounds(store, pair, stop) for pair, stop in enumerate(stopped)]
    thinking = _thinking(store)
    test = None if tournament.sprt is None else test_of(store)
    if test is not None and not all(done.is_own for done in thinking.values()):
        test.verdict = Verdict.UNDECIDED
    return Standings(
        tournament=tournament,
        results=[_result(store, pair, each) for pair, each in enumerate(rounds)],
        stopped=stopped,
        ratings=_ratings(tournament, rounds, thinking) if len(tournament.players) > 2 else [],
        rounds=rounds,
        faults=_faults(store, stopped),
        thinking=thinking,
        test=test,
        who=_who(store),
    )


def _ratings(tournament: Tournament, rounds: list[NDArray[Any]], thinking: dict[str, Thinking]) -> list[Rating]:
    """Rate the players whose decisions are their own, by the rounds among them; none if they cannot be compared."""
    rated = [index for index, name in enumerate(tournament.names) if thinking[name].is_own]
    met = [pair for pair, players in enumerate(tournament.pairs) if set(players) <= set(rated)]
    pairs = [(rated.index(a), rated.index(b)) for a, b in (tournament.pairs[pair] for pair in met)]
    tallies = [tally(rounds[pair], tournament.rules) for pair in met]
    if not met or not is_connected(num_wins(len(rated), pairs, tallies)):
        return []
    names, texts = ([each[index] for index in rated] for each in (tournament.names, tournament.players))
    return rate(names, pairs, tallies, anchor=anchor_of(texts))


def _who(store: Store) -> WhoPlayed:
    tournament = store.tournament
    by_files = known_by_files(tournament.players, tournament.rules) if store.num_before else ()
    return WhoPlayed(tournament.header()["policies"], store.before, by_files)


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


def pair_rounds(store: Store, pair: int, stop: int) -> NDArray[Any]:
    """Return a pair's rounds on the deals before `stop` that were not lost, ROUND_DTYPE."""
    rounds = np.concatenate([np.zeros(0, ROUND_DTYPE), *(played.rounds for played in store.played[pair])])
    return np.sort(rounds[rounds["deal"] < stop], order=("deal", "table", "round"))


def _result(store: Store, pair: int, rounds: NDArray[Any]) -> MatchupResult | None:
    tournament = store.tournament
    share_a, share_b = (done.share_not_own for done in _done(store, pair))
    if len(np.unique(rounds["deal"])) < 2 or 1.0 in (share_a, share_b):
        return None
    a, b = (tournament.names[index] for index in tournament.pairs[pair])
    return summarize(
        rounds, (a, b), rules=tournament.rules, seed=tournament.seed, is_match=tournament.is_match,
        not_own=(share_a, share_b),
    )  # fmt: skip


def _faults(store: Store, stopped: list[int]) -> list[Fault]:
    tournament = store.tournament
    faults: list[Fault] = []
    for pair, chunks, stop in zip(tournament.pairs, store.played, stopped, strict=True):
        names = [tournament.names[index] for index in pair]
        found = (fault for played in chunks for fault in played.faults if fault["deal"] < stop)
        faults += [Fault({"pair": names, **fault}) for fault in sorted(found, key=lambda fault: fault["deal"])]
    return faults


def _thinking(store: Store) -> dict[str, Thinking]:
    """Return what each player has done, by name."""
    names = store.tournament.names
    sums = dict.fromkeys(names, Thinking())
    for pair, players in enumerate(store.tournament.pairs):
        for index, done in zip(players, _done(store, pair), strict=True):
            sums[names[index]] = sums[names[index]].plus(done)
    return sums


def _done(store: Store, pair: int) -> list[Thinking]:
    """Return what the two players of a pair have done against each other."""
    sides = zip(*(played.thinking for played in store.played[pair]), strict=True)
    return [reduce(Thinking.plus, side) for side in sides] or [Thinking(), Thinking()]
