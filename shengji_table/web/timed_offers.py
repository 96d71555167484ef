"""Overbids and rebellions at a table: everybody has the same time for them, whoever could make one.

They are paced as the last bids are (`timed_bidding.py`): a person says what to answer while the offer stands, and the
engine takes that when it asks the seat.
"""

import numpy as np

from shengji_env.engine.actions import PASS
from shengji_env.engine.state import Phase
from shengji_table.web.shown_offers import action_of_answer, overbid_due, rebellion_due, seats_offered
from shengji_table.web.table import Table


async def make_offers(table: Table) -> None:
    """Offer what the rules allow now, after trumps were named or cards buried; nothing, mostly."""
    board = table.board
    if not board.has_offered_rebellion and rebellion_due(board.transcript, table.rules):
        board.has_offered_rebellion = True
        await _offer(table, Phase.REBEL)
    elif overbid_due(board.transcript, table.rules):
        await _offer(table, Phase.BID)


async def _offer(table: Table, phase: Phase) -> None:
    board, opening = table.board, table.board.opening
    table.offered = phase
    table.begin_step()
    await _wait_for_answers(table, phase)
    until = table.clock.now() + table.timing.draw
    while board.opening is opening and board.phase == phase:
        await _ask(table)
    if board.opening is not opening:  # a seat has rebelled: the cards are dealt again
        table.offered, table.is_opening = None, True
    await table.clock.until(until)
    table.offered = None
    table.ready_at = table.clock.now()


async def _wait_for_answers(table: Table, phase: Phase) -> None:
    """Give all the same time; it ends early when every person is done whom the offer is for."""
    if not table.people.persons:
        table.publish()
        return
    offered = seats_offered(phase, table.board.transcript.states[0])
    for seat, person in table.people.persons.items():
        person.is_done = seat not in offered
    until = table.clock.now() + table.timing.last_bids
    table.window = round(table.timing.last_bids)
    table.publish()
    while not table.people.are_done() and table.clock.now() < until:
        await table.until_changed(until)
    table.window = None


async def _ask(table: Table) -> None:
    """Let the seat that the engine asks answer."""
    board = table.board
    person = table.person_at(board.seat)
    if person is None:
        await table.ask_player(board.seat)
        return
    intent, person.bid_intent = person.bid_intent, ""
    action = action_of_answer(intent, board.transcript.states[0])
    legal = np.flatnonzero(board.env.action_mask[0])
    table.make(board.actions_of(action if action in legal else PASS))
