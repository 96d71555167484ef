"""Round after round at a table: from the first drawn card to the last trick, and on to the next one.

What all see goes from step to step by the clock alone while cards are drawn and bids made (`timed_bidding.py`,
`table_timing.py`): a seat that can bid is not waited for, and nobody learns who was asked. Afterwards it is the turn of
a seat that everybody knows.
"""

import logging

from shengji_env.engine.state import Phase
from shengji_env.errors import PlayerError, ShengjiError, printable
from shengji_table.web.table import Table
from shengji_table.web.timed_bidding import open_round
from shengji_table.web.timed_offers import make_offers

_LOG = logging.getLogger(__name__)


async def play_rounds(table: Table) -> None:
    """Play round after round, until the task is cancelled or a player fails."""
    try:
        await table.wait_for_persons()
        while True:
            if table.board.phase == Phase.OVER:
                table.board.next_round()
                table.is_opening = True
            if table.is_opening:  # not where a server that has ended was in the middle of a round
                await open_round(table)
            await make_offers(table)
            while table.board.phase != Phase.OVER:
                await _go_on(table)
                await make_offers(table)
            table.note_round()
            await _rest(table)
    except (ShengjiError, OSError) as error:
        _LOG.error("the table has stopped: %s", printable(str(error)))
        table.fault = "player" if isinstance(error, PlayerError) else "server"
        table.publish()


async def _go_on(table: Table) -> None:
    """Open the round again if a rebellion has had it dealt again; otherwise let the seat to move decide."""
    await (open_round(table) if table.is_opening else _decide(table))


async def _decide(table: Table) -> None:
    """Let the seat to move make its decision."""
    board, seat = table.board, table.board.seat
    table.begin_step()
    person = table.person_at(seat)
    is_lead = board.phase == Phase.LEAD and bool(int(board.transcript.states["tricks"][0]))
    pause = table.timing.trick if is_lead else table.timing.play
    ready = table.ready_at + pause
    if person is not None:
        answer = await table.ask_person(person, ready)
        if answer is not None:
            table.make(board.actions_of(answer))
            table.ready_at = table.clock.now()
            return
        ready = max(ready, table.clock.now() + table.timing.play)
    table.publish()
    await table.ask_player(seat, until=ready)
    table.ready_at = table.clock.now()


async def _rest(table: Table) -> None:
    """Wait for the next round: until all persons want it, or for a while if it starts by itself."""
    table.begin_step()
    table.publish()
    people = table.people
    if table.goes_on or not people.persons:
        until = table.clock.now() + table.timing.round
        while table.clock.now() < until and not (people.persons and people.are_done()):
            await table.until_changed(until)
    else:
        while not people.are_done():
            await table.until_changed(None)
    table.ready_at = table.clock.now()
