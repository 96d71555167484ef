"""A tournament's rounds as CSV, one line each, for spreadsheets, pandas and R.

| column | meaning |
|---|---|
| `a`, `b` | the pair's players |
| `deal`, `table`, `round` | the deal's number; which of its tables; which round of its match (0 if there is no match) |
| `seat_0` … `seat_3` | who sits there |
| `declarer` | the declarer's seat |
| `role` | `declarers` or `attackers`: A's side |
| `winner` | `declarers`, `attackers` or `draw` |
| `trump`, `level_rank` | `C D H S` or `NT`; the level played |
| `attackers_points`, `kitty_points` | the attackers' final points; the part of them that came from the kitty |
| `levels`, `points`, `score` | A's metrics, as in `result.py`: signed levels, signed points, 1 ½ 0 |
| `match_winner` | in the last round of a match: `a`, `b` or `tie` |
| `rules`, `seed`, `version` | fingerprint of the rules, seed, version of this package: the same on every line |
"""

import csv
from collections.abc import Iterator
from typing import Any, TextIO

from shengji_env import __version__
from shengji_env.arena.deal_batch import LINEUPS
from shengji_env.arena.result import for_a
from shengji_env.arena.standings import Standings
from shengji_env.engine.actions import TRUMP_TEXTS
from shengji_env.engine.cards import RANKS
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import Winner

COLUMNS = (
    "a", "b", "deal", "table", "round", *(f"seat_{seat}" for seat in range(NUM_SEATS)), "declarer", "role", "winner",
    "trump", "level_rank", "attackers_points", "kitty_points", "levels", "points", "score", "match_winner", "rules",
    "seed", "version",
)  # fmt: skip


def write_rounds(file: TextIO, standings: Standings) -> None:
    """Write all rounds that count, by pair, deal, table and round."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for pair in range(len(standings.rounds)):
        writer.writerows(_rows(standings, pair))


def _rows(standings: Standings, pair: int) -> Iterator[list[Any]]:
    tournament, rounds = standings.tournament, standings.rounds[pair]
    a, b = names = [tournament.names[index] for index in tournament.pairs[pair]]
    mine = for_a(rounds, tournament.rules)
    where = [tournament.rules.fingerprint, tournament.seed, __version__]
    for row, levels, points, score, declares in zip(rounds, *mine, strict=True):
        seated = [names[index] for index in LINEUPS[row["table"]]]
        yield [
            a, b, row["deal"], row["table"], row["round"], *seated, row["declarer"],
            "declarers" if declares else "attackers", Winner(int(row["winner"])).name.lower(),
            TRUMP_TEXTS[row["trump"]], RANKS[row["level_rank"]], row["attackers_points"], row["kitty_points"],
            f"{levels:g}", f"{points:g}", f"{score:g}", _match_winner(row) if tournament.is_match else "", *where,
        ]  # fmt: skip


def _match_winner(row: Any) -> str:
    if not row["match_over"]:
        return ""
    if row["match_winner"] < 0:
        return "tie"
    return "a" if row["match_winner"] == row["table"] else "b"
