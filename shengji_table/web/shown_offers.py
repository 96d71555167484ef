"""Offers to all at once: an overbid after a burial, a rebellion once trumps are named, as they are shown.

The engine asks only seats that can overbid or have a weak hand, and goes on at once where there are none. What is shown
must not: wherever the rules allow such an answer, everybody sees the same offer for the same time, and nobody learns
who was asked. Whether there is an offer depends only on what everybody knows.

Source: docs/rules.md §4, §5.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from shengji_env.engine.actions import PASS, REBEL, parse_action
from shengji_env.engine.cards import RANKS
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rebellion import is_weak, may_rebel
from shengji_env.engine.referee import legal_bids
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.slots import NO_TRUMP, slot_of_card
from shengji_env.engine.state import NOBODY, NUM_TEAMS, UNNAMED, Phase
from shengji_env.records.transcript import Transcript
from shengji_env.render.public_history import history_of_record
from shengji_env.render.view import Trick, View, view_table

REBEL_TEXT = "rebel"
"""What a person says who wants to rebel."""
_NO_TRICK = Trick(None, None, 0, {str(seat): "" for seat in range(NUM_SEATS)}, "")


def rebellion_due(transcript: Transcript, rules: RuleSet) -> bool:
    """Return whether weak hands may rebel now, for all that everybody knows: trumps have just been named."""
    state = transcript.states[0]
    is_named = int(state["trump"]) != UNNAMED and transcript.phase in (Phase.REBEL, Phase.BURY)
    return is_named and int(state["num_takers"]) <= 1 and bool(may_rebel(state, rules.record()[0]))


def overbid_due(transcript: Transcript, rules: RuleSet) -> bool:
    """Return whether overbids may be made now, for all that everybody knows: a seat has just buried.

    A seat that is to be asked means the same: a server was stopped while the offer stood.
    """
    state = transcript.states[0]
    has_bid = rules.bidding != "fixed" and int(state["bid_count"]) > 0
    if rules.kitty_retake == "none" or not has_bid or int(state["trump"]) == UNNAMED or not transcript.decisions:
        return False
    return "bury" in transcript.decisions[-1] or transcript.phase == Phase.BID


def seats_offered(phase: Phase, state: Any) -> set[int]:
    """Return the seats that may answer an offer, as everybody knows."""
    if phase == Phase.REBEL:
        return {seat for seat in range(NUM_SEATS) if seat % NUM_TEAMS != int(state["declarer"]) % NUM_TEAMS}
    return set(range(NUM_SEATS)) - {int(last_taker(state)), int(state["bid_seat"])}


def offered_answers(phase: Phase, state: Any, rules: RuleSet, seat: int) -> tuple[str, ...]:
    """Return what a seat could answer to an offer; nothing besides passing, mostly."""
    if seat not in seats_offered(phase, state):
        return ()
    if phase == Phase.REBEL:
        return (REBEL_TEXT,) if is_weak(state, rules.record()[0], seat) else ()
    view = view_table(state, rules, viewer=seat)
    standing = view.bids[-1]
    levels = [RANKS[level] for level in state["levels"].tolist()]
    hand = " ".join(cards for cards in (view.hands[str(seat)].cards or {}).values() if cards)
    declarer = int(state["declarer"])
    bids = legal_bids(hand, levels, seat, (standing.seat, standing.cards), rules, declarer=declarer)
    return tuple(bid.cards for bid in bids)


def action_of_answer(text: str, state: Any) -> int:
    """Return the action of a person's answer to an offer; no text is a pass."""
    if not text:
        return PASS
    return REBEL if text == REBEL_TEXT else parse_action(f"bid {text}", trump=NO_TRUMP, level=int(state["level_rank"]))


def offer_view(phase: Phase, transcript: Transcript, rules: RuleSet, viewer: int, names: tuple[str, ...]) -> View:
    """Return what a viewer sees during an offer, wherever the engine has gone on to."""
    state = transcript.states[0].copy()
    if phase == Phase.REBEL and transcript.phase == Phase.BURY:
        _put_kitty_back(state, rules)
    public = history_of_record(transcript.public_record(), is_over=False)
    view = view_table(state, rules, viewer=viewer, names=names, public=public)
    return replace(view, phase=phase.name.lower(), seat=None, taken="", trick=_NO_TRICK)


def _put_kitty_back(state: Any, rules: RuleSet) -> None:
    """Let a state be as it was before the declarer took up the kitty."""
    state["phase"], state["num_takers"] = Phase.REBEL, 0
    state["takers"] = np.int8(NOBODY)
    first = NUM_SEATS * rules.hand
    for card in state["deal"][first : first + rules.kitty].tolist():
        slot = slot_of_card(card, int(state["trump"]), int(state["level_rank"]))
        state["hands"][int(state["declarer"]), slot] -= 1
