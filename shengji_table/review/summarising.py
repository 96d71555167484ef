"""What a round's decisions come to for each seat, and what the deal itself was worth."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from shengji_env.engine.deal import Deals
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.candidates.scratch import make_scratch, value_of
from shengji_env.players.playing import play_out, policies_of
from shengji_env.players.registry import make_player
from shengji_env.records.reading import ReplayedRound
from shengji_env.render.decision_values import DecisionValues
from shengji_table.valuing.charging import Losses
from shengji_table.valuing.reviewed_decisions import table_of

PAR_BY = "champion"
"""Who plays a deal in all four seats, to say what it is worth."""
_KINDS = {"bid": "bid", "name": "bid", "rebel": "bid", "bury": "bury", "lead": "lead"}
"""By the key of a record's decision; all others are follows."""


def summaries(
    valued: Sequence[DecisionValues], losses: Losses, decisions: Sequence[Mapping[str, Any]], seats: Collection[int]
) -> list[dict[str, Any]]:
    """Return what decisions have lost each seat, as JSON values.

    Args:
        valued: the round's decisions with all candidates.
        losses: what they have lost.
        decisions: the record's.
        seats: whose decisions were valued.

    Returns:
        For each seat ``seat``, ``decisions``, how many had an alternative, ``lost``, what bids, burials, leads and
        follows have lost, in levels, and ``accuracy``: the share of what all could have lost, from the best to the
        worst candidates, that was not lost; None if nothing could be.
    """
    own = {seat: [each for each in valued if each.seat == seat] for seat in sorted(seats)}
    return [_summary(seat, some, losses, decisions) for seat, some in own.items()]


def _summary(
    seat: int, own: Sequence[DecisionValues], losses: Losses, decisions: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    lost = dict.fromkeys(("bid", "bury", "lead", "follow"), 0.0)
    for values in own:
        kind = next((kind for key, kind in _KINDS.items() if key in decisions[values.ply]), "follow")
        lost[kind] = round(lost[kind] + losses[values.ply].levels, 3)
    worths = [[value for _, value in values.options] for values in own]
    most = sum(max(some) - min(some) for some in worths)
    accuracy = round(1 - sum(lost.values()) / most, 3) if most else None
    return {"seat": seat, "decisions": len(own), "accuracy": accuracy, "lost": lost}


def par_of(rules: RuleSet, replayed: ReplayedRound) -> int:
    """Return the levels that seats 0 and 2 win with a round's deal if PAR_BY plays all four seats; negative: lose."""
    policies = policies_of(make_player(PAR_BY), rules)
    own = make_scratch(rules.record(), 1)[0]
    own["state"] = table_of(rules, replayed).tables.states[0]
    play_out(own.state, own.rules, own.work, Deals(np.uint64(0), 0), policies.packed, 0, np.uint64(0))
    return int(value_of(own.state.result, 0, 0.0))
