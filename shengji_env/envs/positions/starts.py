"""Where positions come from: environments, records, starts of one's own."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.deal import SAME_CARDS, Deals
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import NOBODY, UNNAMED, Phase
from shengji_env.envs.positions.histories import History, copy_states, game_of, new_states
from shengji_env.envs.positions.position_kernels import begin_at_deal
from shengji_env.errors import RecordError, ShengjiError
from shengji_env.records.reading import begin_transcript, check_round, compare
from shengji_env.records.replaying import make_decision
from shengji_env.records.transcript import Transcript
from shengji_env.records.writing import start_levels
from shengji_env.render.round_record import Round
from shengji_env.support.arguments import check_index
from shengji_env.tables.one_table import OneTable
from shengji_env.tables.reset_options import read_options
from shengji_env.tables.settings import Start, TableSettings
from shengji_env.tables.tables import Tables


def history_of_start(rules: RuleSet, seed: int | None, start: Start, options: Mapping[str, Any] | None) -> History:
    """Begin the round that an AEC environment begins with these arguments."""
    given = read_options(options, rules, is_match=False)
    table = OneTable(TableSettings(rules=rules, start=start))
    table.begin(seed, given)
    return history_of_table(table.tables, 0)


def history_of_table(tables: Tables, row: int) -> History:
    """Return the history of the round under way at a table, or of the last one if no other has begun.

    Raises:
        ShengjiError: there is no such table, no round has begun, or its actions are not kept.
    """
    row = check_index("table", row, 0, len(tables.states) - 1)
    state = tables.states[row]
    if state["drawn"] == 0:
        raise ShengjiError(f"table {row} has no round under way: call reset() first")
    if tables.progress["ply"][row] and not tables.shared["record"][0]:
        raise ShengjiError("the round's actions are not kept; make the environment with record=True")
    game = game_of(tables.rules)
    deals = Deals(np.uint64(tables.shared["seed"][0]), int(tables.progress["number"][row]))
    deal_state = begin_at(tables.rules, start_of(state, tables.rules), state)
    assert deal_state is not None
    actions = tables.logs[row]["actions"][: tables.progress["logged"][row]] if tables.shared["record"][0] else b""
    return History(game, SAME_CARDS if state["deal_given"] else deals, deal_state, bytes(actions))


def start_of(state: Any, rules: RuleSet) -> dict[str, Any]:
    """Return the fields of the state with which a state's round began."""
    is_over = state["phase"] == Phase.OVER
    start = {name: state[name] for name in ("deal", "deal_given", "first_drawer", "round_index")}
    start["match_round"] = state["match_round"] - is_over
    start["levels"] = start_levels(rules, state) if is_over else state["levels"]
    declarer = state["result"]["declarer"] if is_over else state["declarer"]
    start["declarer"] = declarer if state["had_declarer"] else NOBODY
    start["trump"] = state["trump"] if rules.bidding == "fixed" else UNNAMED
    return start


def begin_at(rules: RuleSet, start: Mapping[str, Any], counts: Mapping[str, Any]) -> NDArray[Any] | None:
    """Return the state (1,) at the first decision of a deal, given the fields of the state with which it begins.

    `counts` says how many deals came before it: ``redeals``, and how many of these were abandoned: ``rebellions``.

    None: these cannot be the cards after so many redeals, since nobody can bid with them.
    """
    game = game_of(rules)
    deal_state = new_states()
    for name, value in start.items():
        deal_state[name] = value
    redeals, rebellions = int(counts["redeals"]), int(counts["rebellions"])
    return deal_state if begin_at_deal(deal_state, game.scratch.memory, redeals, rebellions) else None


def history_of_record(record: Round, rules: RuleSet, ply: int | None) -> History:
    """Return the history of a record's round before its decision number `ply`; None: after the last one.

    Raises:
        RecordError: the record's round is wrong, or it has fewer decisions.
    """
    check_round(record, rules)
    decisions = record["decisions"]
    end = len(decisions) if ply is None else check_index("ply", ply, 0, len(decisions), error=RecordError)
    return play_decisions(begin_transcript(record, rules), decisions[:end])


def play_decisions(transcript: Transcript, decisions: Sequence[Any]) -> History:
    """Make decisions from the start of a deal on, of which nothing has been played.

    Raises:
        RecordError: a decision is not legal; it names the ply.
    """
    deal_state = copy_states(transcript.states)
    for ply, decision in enumerate(decisions):
        try:
            make_decision(transcript, decision)
        except RecordError as error:
            raise RecordError(f"ply {ply}: {error}") from error
    compare("decisions", list(decisions), transcript.decisions)
    return History(game_of(transcript.rules), SAME_CARDS, deal_state, bytes(transcript.actions))
