"""What is done with a browser's messages. Nothing that a person says in private reaches anybody else."""

import asyncio
from concurrent.futures import Executor

from shengji_env.engine.state import Phase
from shengji_env.errors import IllegalActionError, NotationError, PlayerError
from shengji_env.players.answers import Decision
from shengji_env.players.asking import decide_whole
from shengji_env.players.player import Player
from shengji_env.web import messages
from shengji_env.web.messages import Message, Reply
from shengji_env.web.people import Person
from shengji_env.web.questions import extend, read_answer, read_cards, text_of
from shengji_env.web.shown_offers import REBEL_TEXT, offered_answers
from shengji_env.web.table import Table

_NOT_NOW = "it is not this seat's turn, or the table has gone on"


class Refusal(Exception):
    """Why a message is refused."""


async def handle(table: Table, viewer: int, message: Message, adviser: Player, executor: Executor) -> Reply:
    """Do what a browser's message says, if it may; return the reply."""
    move = table.move
    try:
        person = table.people.persons.get(viewer)
        if person is None:
            raise Refusal("who watches does not play")
        if isinstance(message, messages.AskHint):
            return await _hint(table, viewer, message, adviser, executor)
        return _dispatch(table, viewer, person, message)
    except IllegalActionError as error:
        return messages.Refused(move, error.reason)
    except (Refusal, NotationError, PlayerError) as error:
        return messages.Refused(move, str(error))


def _dispatch(table: Table, seat: int, person: Person, message: Message) -> Reply:
    if isinstance(message, messages.Choose):
        return extend(_question(table, seat, message.move), message.cards, message.move)
    if isinstance(message, messages.Play):
        table.answer(read_answer(_question(table, seat, message.move), message.cards))
    elif isinstance(message, messages.BidIntent):
        person.bid_intent = _bid_intent(table, seat, message)
        _show_own(table, seat, person)
    elif isinstance(message, messages.Done):
        _check_done(table, message)
        person.is_done = True
        _show_own(table, seat, person)
        table.wake()
    elif isinstance(message, messages.Auto):
        person.auto = message.on
        _show_own(table, seat, person)
        table.wake()
    else:
        raise Refusal("this message has no meaning here")
    return messages.Accepted(table.move)


def _question(table: Table, seat: int, move: int) -> Decision:
    """Return the decision that a seat is asked for."""
    decision = table.decision
    if decision is None or decision.seat != seat or move != table.move:
        raise Refusal(_NOT_NOW)
    return decision


def _bid_intent(table: Table, seat: int, message: messages.BidIntent) -> str:
    opening = table.board.opening
    if table.offered is not None:
        return _offer_intent(table, table.offered, seat, message)
    if not table.is_opening:
        raise Refusal("no bids are made now")
    if message.move != table.move or message.standing != len(opening.bids):
        raise Refusal("another bid has been made meanwhile")
    cards = read_cards(message.cards)
    if cards and cards not in opening.options(seat):
        raise Refusal(f"{cards} is not a bid that this seat can make now")
    return cards


def _offer_intent(table: Table, phase: Phase, seat: int, message: messages.BidIntent) -> str:
    """Return what a person says to an offer: an overbid, to rebel, or nothing after all."""
    if message.move != table.move:
        raise Refusal(_NOT_NOW)
    text = message.cards if message.cards == REBEL_TEXT else read_cards(message.cards)
    if text and text not in offered_answers(phase, table.board.transcript.states[0], table.rules, seat):
        raise Refusal(f"{text} is no answer that this seat can give now")
    return text


def _check_done(table: Table, message: messages.Done) -> None:
    is_resting = not table.is_opening and table.board.phase == Phase.OVER
    if message.move != table.move or not (is_resting or table.window is not None):
        raise Refusal(_NOT_NOW)


def _show_own(table: Table, seat: int, person: Person) -> None:
    if person.outbox is not None:
        person.outbox.put_state(messages.write_message(table.state_for(seat)))


async def _hint(table: Table, seat: int, message: messages.AskHint, adviser: Player, executor: Executor) -> Reply:
    """Ask the adviser, in a thread, on a copy of the table."""
    loop, board = asyncio.get_running_loop(), table.board
    if table.offered is not None:
        raise Refusal("the adviser says nothing to this")
    if table.is_opening:
        if not board.opening.options(seat):
            return messages.Hint(message.move, "")
        answer = await loop.run_in_executor(executor, decide_whole, adviser, board.copied_for_bid(seat))
        assert isinstance(answer, int)
        return messages.Hint(message.move, board.opening.text_of(seat, answer))
    decision = _question(table, seat, message.move)
    answer = await loop.run_in_executor(executor, decide_whole, adviser, board.copied())
    return messages.Hint(message.move, text_of(decision, answer))
