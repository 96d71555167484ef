"""Plays a tournament to its end: an executor plays the chunks, a store keeps them, the metrics follow from it."""

import contextlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from shengji_env.arena.chunks import CHUNKS, Chunk
from shengji_env.arena.identities import Before
from shengji_env.arena.sequential import values_of
from shengji_env.arena.standings import Standings, standings_of, test_of
from shengji_env.arena.store import Store
from shengji_env.arena.tournament import Tournament
from shengji_env.support.workers.jobs import Executor, Watch
from shengji_env.support.workers.pools import InProcess

STORE_FILE = "deals.jsonl"

TournamentWatch = Callable[[Store, list[int], float], object]
"""Called now and then with the store, how many deals each pair will play as far as is known, and how many deals of
unfinished chunks have been played."""

Resumed = Callable[[int, int, Before], object]
"""Called with how many deals a folder had before, how many it has now, and which of its players were others then."""


def play_tournament(
    tournament: Tournament,
    folder: Path | None = None,
    *,
    executor: Executor | None = None,
    retries_lost: bool = False,
    keeps_changed: bool = False,
    watch: TournamentWatch | None = None,
    record: Callable[[str], object] | None = None,
    resumed: Resumed | None = None,
) -> Standings:
    """Play a tournament, or the rest of it.

    Args:
        tournament: the tournament.
        folder: where finished chunks are kept, so that a later run can go on from them; None keeps nothing.
        executor: what plays the chunks; default: this process.
        retries_lost: whether deals that an earlier run lost to players' faults are played again.
        keeps_changed: whether it goes on from the folder if a player has changed since; the results then say so.
        watch: called now and then; what it raises ends the run.
        record: called at the end with the record of every round, one line of text each, if the tournament keeps them.
        resumed: called at the end.

    Raises:
        RecordError: the folder belongs to another tournament, or a player has changed.
        ShengjiError: workers keep dying, or another run uses the folder.
    """
    with TemporaryDirectory() as temporary:
        path = (Path(temporary) if folder is None else folder) / STORE_FILE
        with Store(path, tournament, retries_lost=retries_lost, keeps_changed=keeps_changed) as store:
            stop = _play_all(store, executor or InProcess(), watch or (lambda *_: None))
            if record is not None:
                for line in store.record_lines(stop):
                    record(line)
            if resumed is not None:
                resumed(store.num_before, store.num_played, store.before)
            return standings_of(store, stop)


def _play_all(store: Store, executor: Executor, watch: TournamentWatch) -> list[int]:
    """Play until every pair has finished; return the number of deals of each pair."""
    tournament = store.tournament
    if tournament.sprt is not None:
        return _play_until_decided(store, executor, watch)
    stop = [tournament.num_deals] * len(tournament.pairs)
    _play(store, _chunks(store, stop), executor, partial(watch, store, stop))
    return stop


def _play_until_decided(store: Store, executor: Executor, watch: TournamentWatch) -> list[int]:
    """Play two players until the sequential test has ended; deals beyond that do not count."""
    tournament, test = store.tournament, test_of(store)
    stop = [tournament.num_deals]
    said = partial(watch, store, stop)
    said(0.0)
    with contextlib.closing(executor.do(CHUNKS, _chunks(store, stop), said)) as outcomes:
        while test.verdict is None:
            played = next(outcomes)
            store.add(played)
            test.add(values_of(played, tournament.rules))
            said(0.0)
    return [test.num_deals]


def _play(store: Store, chunks: list[Chunk], executor: Executor, watch: Watch) -> None:
    """Play chunks, and keep them."""
    watch(0.0)
    for played in executor.do(CHUNKS, chunks, watch):
        store.add(played)
        watch(0.0)


def _chunks(store: Store, stop: Sequence[int]) -> list[Chunk]:
    """Return the chunks that the pairs still have to play before `stop`, the lowest deals of all pairs first."""
    tournament = store.tournament
    chunks = [chunk for pair, end in enumerate(stop) for chunk in tournament.chunks(pair, end, store.deals(pair))]
    return sorted(chunks, key=lambda chunk: (chunk.first, chunk.pair))
