"""Cases about records: how fast their decisions become arrays, and how fast they are checked ply by ply."""

import gzip
from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from shengji_env.cli.bench.timing import Case, Group, Trial, trial_of_work
from shengji_env.datasets.recorded import Collection, RecordedRounds, Samples, collect
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.players.playing import HEURISTIC
from shengji_env.records import RecordReader

ARRAYS = f"records as arrays, {DEFAULT_RULES}"
CHECKED = f"records checked, {DEFAULT_RULES}"
ARRAY_UNITS = ("decisions/s",)
_ROUNDS = 256
_BATCH, _BUFFER = 1024, 1 << 13
_NOTE = "decisions with a choice, by heuristic, from a compressed file; with observation and mask"


def cases() -> list[Case]:
    """Return all cases about records."""
    return [
        Case(ARRAYS, Group.PLAYERS, partial(_counting, RecordedRounds.samples), ARRAY_UNITS, note=_NOTE),
        Case(
            f"{ARRAYS}, shuffled",
            Group.PLAYERS,
            partial(_counting, lambda rounds: rounds.batches(_BATCH, seed=0, buffer=_BUFFER)),
            ARRAY_UNITS,
            note=f"in batches of {_BATCH:,}",
        ),
        Case(CHECKED, Group.PLAYERS, _checking, ARRAY_UNITS, note="the same decisions by RecordReader, without arrays"),
    ]


@cache
def _folder() -> TemporaryDirectory[str]:
    """Return a folder with rounds; it is removed when the process ends."""
    folder = TemporaryDirectory()
    collect(Path(folder.name), Collection((HEURISTIC,)), _ROUNDS)
    return folder


def _counting(batches_of: Callable[[RecordedRounds], Iterable[Samples]]) -> Trial:
    rounds = RecordedRounds(_folder().name)
    return trial_of_work(lambda: sum(map(len, batches_of(rounds))))


def _checking() -> Trial:
    rounds = RecordedRounds(_folder().name)
    decisions = sum(map(len, rounds.samples()))

    def check() -> int:
        with gzip.open(rounds.files[0], "rt", encoding="utf-8") as file:
            assert sum(1 for _ in RecordReader(file)) == _ROUNDS
        return decisions

    return trial_of_work(check)
