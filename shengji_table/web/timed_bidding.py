"""The opening of a round at a table: cards are drawn by the clock, bids made while they lie there.

A seat is not waited for because it can bid. A person says at any time what to bid, and the engine takes that when it
asks the seat; if nothing was said, the seat passes. Then everybody has the same time for last bids.
"""

import numpy as np

from shengji_env.engine.actions import PASS
from shengji_table.web.table import Table


async def open_round(table: Table) -> None:
    """Draw the cards and bid."""
    table.begin_step()
    due = table.clock.now()
    while table.is_opening:
        opening = table.board.opening
        table.publish()
        if table.rules.bidding != "fixed":
            # Players answer while the card lies there, so the next one comes no later if somebody was asked.
            due = max(due + table.timing.draw, table.clock.now())
            await (_bid(table, due) if table.board.asked_at == opening.shown else table.clock.until(due))
        if opening.is_drawn:
            await _bid_last(table)
            due = table.clock.now()
        else:
            opening.shown += 1


async def _bid_last(table: Table) -> None:
    """Give everybody time for a last bid, then ask those who can make one, until nobody does."""
    if table.rules.bidding not in ("fixed", "drawing"):
        await _wait_for_last_bids(table)
    opening, num_bids = table.board.opening, len(table.board.opening.bids)
    until = table.clock.now() + table.timing.draw
    while table.board.is_circle and table.board.opening is opening and len(opening.bids) == num_bids:
        await _bid(table)
    await table.clock.until(until)
    table.ready_at = table.clock.now()
    if table.board.opening is not opening:
        table.begin_step()  # nobody has bid: the cards are dealt again
    elif len(opening.bids) == num_bids:
        table.is_opening = False


async def _wait_for_last_bids(table: Table) -> None:
    if not table.people.persons:
        return
    until = table.clock.now() + table.timing.last_bids
    table.window = round(table.timing.last_bids)
    for person in table.people.persons.values():
        person.is_done = False
    table.publish()
    while not table.people.are_done() and table.clock.now() < until:
        await table.until_changed(until)
    table.window = None


async def _bid(table: Table, due: float | None = None) -> None:
    """Let the seat that the engine asks bid or pass; what it does is shown at `due` or later."""
    seat, bids = table.board.seat, len(table.board.opening.bids)
    person = table.person_at(seat)
    if person is None:
        await table.ask_player(seat, until=due)
    else:
        if due is not None:
            await table.clock.until(due)
        intent, person.bid_intent = person.bid_intent, ""
        legal = np.flatnonzero(table.board.env.action_mask[0])
        action = table.board.opening.action_of(seat, intent) if intent else PASS
        table.make(table.board.actions_of(action if action in legal else PASS))
    if len(table.board.opening.bids) != bids:
        table.begin_step(keep_intents=True)
