"""Writing records: rounds as JSON lines, one header and one line for each round.

An environment made with ``record=True`` keeps each round's actions; `finished_round` replays them through the engine
(`transcript.py`) into a round's line. The line holds the deal that was played; of the deals before it in which nobody
bid, it gives only the number (``redeals``); those that rebellions have ended are kept too (``abandoned``). `reading.py`
reads records back.

Source: docs/records.md.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TextIO

import numpy as np

from shengji_env.engine.deal import Deals
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import NOBODY, NUM_TEAMS, Phase, State, Winner
from shengji_env.errors import RecordError
from shengji_env.records.abandoned_deals import KeptDeals
from shengji_env.records.transcript import Transcript
from shengji_env.render.round_record import Round
from shengji_env.support.arguments import check_index
from shengji_env.tables.tables import Tables

RECORD_FORMAT = "shengji-record/1"


class Recorded(Protocol):
    """What `finished_round` takes: the AEC environment, wrapped or not, or the batch environment."""

    @property
    def rules(self) -> RuleSet:
        """The rules."""

    @property
    def tables(self) -> Tables:
        """The tables."""


class RecordWriter:
    """Writes a record: the header at once, then rounds as they come.

    Args:
        file: opened for writing text.
        rules: the rules of all rounds.
        players: who sits in the four seats.
        seed: the seed of the deals, as provenance.
    """

    def __init__(self, file: TextIO, rules: RuleSet, players: Sequence[str], *, seed: int | None = None) -> None:
        self._file = file
        file.write(record_line(record_header(rules, players, seed)))

    def write(self, record: Mapping[str, Any], **also: Any) -> None:
        """Write a round; `also` may give its ``table``, and its ``players`` if they are not the header's."""
        self._file.write(record_line({**also, **record}))


def record_header(rules: RuleSet, players: Sequence[str], seed: int | None) -> dict[str, Any]:
    """Return the first line of a record: rules, players by seat, and the seed as provenance."""
    return {"format": RECORD_FORMAT, "rules": rules.to_json(), "players": list(players), "seed": seed}


def record_line(record: Mapping[str, Any]) -> str:
    """Return a header or a round as one line of text."""
    return json.dumps(record, ensure_ascii=False) + "\n"


def finished_round(env: Recorded, table: int = 0) -> Round:
    """Return the record of a table's last finished round; the environment must be made with ``record=True``.

    Raises:
        RecordError: the environment keeps no logs, has no such table, or the table has finished no round.
    """
    tables = env.tables
    if not tables.shared["record"][0]:
        raise RecordError("this environment keeps no logs; make it with record=True")
    log = tables.logs[check_index("table", table, 0, len(tables.logs) - 1, error=RecordError)]
    size = int(log["finished_size"])
    if size == 0:
        raise RecordError(f"table {table} has finished no round yet")
    actions, finished = log["finished_actions"][:size].tolist(), log["finished_state"]
    kept = _kept_deals(tables, table, "finished_abandoned") if finished["rebellions"] else None
    return replay_round(env.rules, finished, actions, is_match=bool(tables.shared["is_match"][0]), kept=kept)


def round_so_far(tables: Tables, row: int) -> Transcript:
    """Return the round under way at a table that keeps logs, from its last deal on.

    Cards of an unfinished decision are in the transcript's state, not among its decisions.

    Raises:
        RecordError: the tables keep no logs.
    """
    transcript, state = round_begun(tables, row), tables.states[row]
    if state["rebellions"]:
        kept = _kept_deals(tables, row, "abandoned")
        transcript.abandoned = kept.played(tables.rules, state, state["levels"])
        transcript.opening = kept.opening()
    for action in tables.logs[row]["actions"][: tables.progress["logged"][row]].tolist():
        transcript.make(action)
    return transcript


def _kept_deals(tables: Tables, row: int, which: str) -> KeptDeals:
    """Return what a table's log keeps of the abandoned deals of the round under way, or of the finished one."""
    deals = Deals(np.uint64(tables.shared["seed"][0]), int(tables.progress["number"][row]))
    return KeptDeals(tables.logs[row][which], deals)


def round_begun(tables: Tables, row: int) -> Transcript:
    """Return the round under way at a table that keeps logs, as it was after its last deal.

    Raises:
        RecordError: the tables keep no logs.
    """
    if not tables.shared["record"][0]:
        raise RecordError("these tables keep no logs; make the environment with record=True")
    state = tables.states[row]
    match_round = int(state["match_round"]) if tables.shared["is_match"][0] else None
    return _begun(tables.rules, state, state["levels"], state["declarer"], match_round)


def _begun(rules: RuleSet, state: State, levels: Any, declarer: int, match_round: int | None) -> Transcript:
    """Return the transcript of a round that began with the deal of a state, given what may have changed since."""
    start = {name: state[name] for name in ("deal", "first_drawer", "round_index")}
    start |= {"levels": levels, "declarer": declarer if state["had_declarer"] else NOBODY}
    if rules.bidding == "fixed":
        start["trump"] = state["trump"]
    redeals, rebellions = int(state["redeals"]), int(state["rebellions"])
    return Transcript(rules, start, redeals=redeals, rebellions=rebellions, match_round=match_round)


def replay_round(
    rules: RuleSet,
    finished: State,
    actions: Sequence[int],
    *,
    is_match: bool = False,
    kept: KeptDeals | None = None,
) -> Round:
    """Return the record of a round.

    Args:
        rules: its rules.
        finished: the state in which it ended, a STATE_DTYPE record.
        actions: all its actions from its last deal on, forced ones included.
        is_match: whether it belongs to a match.
        kept: what is kept of the deals that rebellions have ended, if there are any.

    Raises:
        RecordError: the actions do not lead to `finished`.
    """
    match_round = int(finished["match_round"]) - 1 if is_match else None
    levels = start_levels(rules, finished)
    transcript = _begun(rules, finished, levels, finished["result"]["declarer"], match_round)
    if kept is not None:
        transcript.abandoned = kept.played(rules, finished, levels)
        transcript.opening = kept.opening()
    for action in actions:
        transcript.make(action)
    same = (transcript.states[name][0] == finished[name] for name in ("result", "played", "buried"))
    if transcript.phase != Phase.OVER or not all(np.all(part) for part in same):
        raise RecordError(f"the {len(actions)} actions do not lead to the state in which the round ended")
    return transcript.record()


def start_levels(rules: RuleSet, finished: State) -> list[int]:
    """Return both teams' levels when a finished round began."""
    result = finished["result"]
    levels = [int(level) for level in result["new_levels"]]
    declarers = int(result["declarer"]) % NUM_TEAMS
    levels[declarers] = int(finished["level_rank"])
    if result["winner"] == Winner.ATTACKERS:
        is_beyond = rules.match_end == "beyond_ace" and bool(result["match_over"])
        levels[1 - declarers] -= int(result["levels"]) - is_beyond
    return levels


def round_line(env: Recorded, table: int, players: Sequence[str]) -> str:
    """Return the last finished round of a table as a line of a record; `players` by seat."""
    number = int(env.tables.progress["number"][table])
    return record_line({"table": number, "players": list(players), **finished_round(env, table)})
