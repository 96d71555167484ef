"""Cases about records: how fast their decisions become arrays, and how fast they are checked ply by ply."""

import gzip
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from shengji_env.datasets.recorded import Collection, RecordedRounds, collect
from shengji_env.engine.rule_sets import DEFAULT_RULES
from shengji_env.players.playing import HEURISTIC
from shengji_env.records import RecordReader
from tools.bench.timing import Case, Group, Trial, trial_of_work

ARRAYS = f"records as arrays, {DEFAULT_RULES}"
CHECKED = f"records checked, {DEFAULT_RULES}"
ARRAY_UNITS = ("decisions/s",)
_ROUNDS = 256
_NOTE = "decisions with a choice, by heuristic, from a compressed file; with observation and mask"


def cases() -> list[Case]:
    """Return all cases about records."""
    return [
        Case(ARRAYS, Group.PLAYERS, _reading, ARRAY_UNITS, note=_NOTE),
        Case(CHECKED, Group.PLAYERS, _checking, ARRAY_UNITS, note="the same decisions by RecordReader, without arrays"),
    ]


@cache
def _folder() -> TemporaryDirectory[str]:
    """Return a folder with rounds; it is removed when the process ends."""
    folder = TemporaryDirectory()
    collect(Path(folder.name), Collection((HEURISTIC,)), _ROUNDS)
    return folder


def _reading() -> Trial:
    rounds = RecordedRounds(_folder().name)
    return trial_of_work(lambda: sum(map(len, rounds.samples())))


def _checking() -> Trial:
    rounds = RecordedRounds(_folder().name)
    decisions = sum(map(len, rounds.samples()))

    def check() -> int:
        with gzip.open(rounds.files[0], "rt", encoding="utf-8") as file:
            assert sum(1 for _ in RecordReader(file)) == _ROUNDS
        return decisions

    return trial_of_work(check)
