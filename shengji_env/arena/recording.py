"""Match-ups as records: JSON lines, one header and one line a round, each deal's two rounds after one another.

The header's players are those of the first seating; every round's line names its own ``players`` by seat, and its
deal's number as ``table``: the deal is that of round 0 at that table, under the header's seed.

Source: docs/environment.md.
"""

from collections.abc import Sequence
from typing import TextIO

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.envs.batch import ShengjiVectorEnv
from shengji_env.records.writing import finished_round, record_header, record_line


class MatchupRecorder:
    """Writes every finished round of a match-up: what `play_matchup` takes as ``record``.

    Args:
        file: opened for writing; the header is written at once.
        rules: the match-up's rules.
        players: names of A and B.
        seed: the match-up's seed.
    """

    def __init__(self, file: TextIO, rules: RuleSet, players: tuple[str, str], seed: int) -> None:
        self._file = file
        file.write(record_line(record_header(rules, players * 2, seed)))

    def __call__(self, env: ShengjiVectorEnv, table: int, players: Sequence[str]) -> None:
        """Write the last finished round of a table."""
        self._file.write(round_line(env, table, players))


def round_line(env: ShengjiVectorEnv, table: int, players: Sequence[str]) -> str:
    """The last finished round of a table as a line of a record; `players` by seat."""
    number = int(env.tables.progress["number"][table])
    return record_line({"table": number, "players": list(players), **finished_round(env, table)})
