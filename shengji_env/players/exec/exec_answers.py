"""What a process is asked at a decision, and what its answer means; `exec_player.py` asks it."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import BID_SUIT, NAME, PASS, REBEL, TRUMP_TEXTS, action_text
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import count_cards, format_cards, parse_card_list
from shengji_env.engine.referee import Trump
from shengji_env.engine.referee.values import to_cards, to_slots
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE, Phase
from shengji_env.errors import NotationError
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.decisions import Decisions, tables_behind
from shengji_env.players.exec.bot_messages import BotPlay, Decide, FromBot, ProtocolError
from shengji_env.players.whole_plays import begin_decision, find_legal_play, is_legal_play
from shengji_env.records.transcript import KINDS
from shengji_env.tables.tables import Tables

_BIDS = slice(BID_SUIT, NAME)
"""The actions that bid."""
_REBEL = "rebel"
_LISTED = (Phase.BID, Phase.NAME, Phase.FORCED)
"""Phases in which the possible answers can be listed."""


def question_of(move: int, decisions: Decisions, index: int, rules: NDArray[Any]) -> Decide:
    """Return the question of a decision; `rules` is as compiled code reads them, shape (1,)."""
    tables, row = _table_of(decisions, index)
    states = tables.states
    phase = Phase(int(states["phase"][row]))
    kind = KINDS[phase]
    if phase == Phase.BID:
        bids = decisions.action_mask[index, _BIDS].nonzero()[0].tolist()
        level = reading_of(states[row], int(states["seat"][row]))[1]
        options = [_bid_text(_BIDS.start + bid, level) for bid in bids]
        return Decide(move, kind, None, options, "", last_call=bool(states["circle_left"][row] >= 0))
    if phase == Phase.REBEL:
        return Decide(move, kind, None, [_REBEL], "", last_call=False)
    if phase in _LISTED:
        options = Decision(decisions, index).options
        return Decide(move, kind, None, options, options[0], last_call=False)
    size = {Phase.BURY: decisions.rules.kitty, Phase.FOLLOW: int(states["lead_size"][row])}.get(phase)
    cards = np.zeros(NUM_SLOTS, np.int8)
    find_legal_play(_begun(tables, row), rules, tables.works[:1], cards)
    return Decide(move, kind, size, [], format_cards(to_cards(cards, _trump_of(tables, row))), last_call=False)


def _table_of(decisions: Decisions, index: int) -> tuple[Tables, int]:
    tables, rows = tables_behind(decisions)
    return tables, int(rows[index])


@cache
def _bid_text(action: int, level: int) -> str:
    return action_text(action, trump=NO_TRUMP, level=level).removeprefix("bid ")


def _begun(tables: Tables, row: int) -> NDArray[Any]:
    """Return a copy of a table's state, shape (1,), as it was when the decision began."""
    begun: NDArray[Any] = np.empty(1, STATE_DTYPE)
    begin_decision(tables.states, row, begun)
    return begun


def _trump_of(tables: Tables, row: int) -> Trump:
    return Trump.of(int(tables.states["trump"][row]), int(tables.states["level_rank"][row]))


def read_answer(message: FromBot, move: int, decisions: Decisions, index: int, rules: NDArray[Any]) -> Answer:
    """Return what a message answers to a decision.

    Raises:
        ProtocolError: it does not answer it.
        NotationError: its cards cannot be read.
        IllegalActionError: the rules do not allow it.
    """
    if not isinstance(message, BotPlay):
        raise ProtocolError("a play is asked for")
    if message.move != move:
        raise ProtocolError(f"move {move} is asked for")
    tables, row = _table_of(decisions, index)
    phase = Phase(int(tables.states["phase"][row]))
    if phase == Phase.NAME and message.cards not in TRUMP_TEXTS:
        raise NotationError(f"trumps are one of {', '.join(TRUMP_TEXTS)}")
    if phase == Phase.REBEL and message.cards not in ("", _REBEL):
        raise NotationError(f"the answer is {_REBEL}, or nothing")
    if phase in (Phase.BID, Phase.REBEL) and not message.cards:
        return PASS
    if phase == Phase.REBEL:
        return REBEL
    if phase in _LISTED:
        if phase != Phase.NAME:
            parse_card_list(message.cards)
        return Decision(decisions, index).read(message.cards)
    cards = to_slots(count_cards(parse_card_list(message.cards)), _trump_of(tables, row))
    if not is_legal_play(_begun(tables, row), rules, tables.works[:1], cards):
        Decision(decisions, index).read(message.cards)  # says why
        raise ProtocolError("it is not a legal play")
    return cards
