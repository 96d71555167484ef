"""What is done with a browser's messages. Nothing that a person says in private reaches anybody else."""

from concurrent.futures import Executor

from shengji_env.engine.referee.values import to_cards
from shengji_env.engine.state import Phase
from shengji_env.errors import IllegalActionError, NotationError, PlayerError
from shengji_env.players.answers import Decision
from shengji_env.players.asking import decide_whole
from shengji_env.players.player import Player
from shengji_table.reasons.card_words import words_on
from shengji_table.web import messages
from shengji_table.web.messages import FromPage, ToPage
from shengji_table.web.people import Person
from shengji_table.web.questions import components_of, extend, objection, read_answer, read_cards, text_of
from shengji_table.web.refusals import Refusal
from shengji_table.web.shown_offers import REBEL_TEXT, offered_answers
from shengji_table.web.table import Table
from shengji_table.web.thinking import think

_PHRASE_PAUSE = 3.0
"""Seconds between two phrases of a person."""


async def handle(table: Table, viewer: int, message: FromPage, adviser: Player, executor: Executor | None) -> ToPage:
    """Do what a browser's message says, if it may; return the reply."""
    move = table.move
    try:
        person = table.people.persons.get(viewer)
        if person is None:
            raise Refusal("watching")
        if person.is_substituted and not isinstance(message, messages.Back | messages.Auto):
            raise Refusal("substituted")
        if isinstance(message, messages.AskHint):
            return await _hint(table, viewer, message, adviser, executor)
        return _dispatch(table, viewer, person, message)
    except Refusal as error:
        return messages.Refused(move, str(error), error.code, error.cards)
    except IllegalActionError as error:
        return messages.Refused(move, error.reason, *_objection(table, message))
    except NotationError as error:
        return messages.Refused(move, str(error), "unread")
    except PlayerError as error:
        return messages.Refused(move, str(error), "player")


def _objection(table: Table, message: FromPage) -> tuple[str, str]:
    """Return the code of why a play is illegal, and the card that it is about."""
    decision = table.decision
    if decision is None or not isinstance(message, messages.PlayCards):
        return "illegal", ""
    return objection(decision, message.cards)


def _dispatch(table: Table, seat: int, person: Person, message: FromPage) -> ToPage:
    if isinstance(message, messages.Choose):
        return extend(_question(table, seat, message.move), message.cards, message.move)
    if isinstance(message, messages.PlayCards):
        table.answer(read_answer(_question(table, seat, message.move), message.cards))
    elif isinstance(message, messages.BidIntent):
        person.bid_intent = _bid_intent(table, seat, message)
        _show_own(table, seat, person)
    elif isinstance(message, messages.Done):
        _check_done(table, message)
        person.is_done = True
        if table.window is None:
            table.publish()  # at the end of a round all see who wants to go on; before, that could tell of cards
        else:
            _show_own(table, seat, person)
        table.wake()
    elif isinstance(message, messages.SayPhrase):
        _say(table, person, message.phrase)
    elif isinstance(message, messages.Auto):
        person.auto = message.on
        _show_own(table, seat, person)
        table.wake()
    else:
        _arrange(table, seat, person, message)
    return messages.Accepted(table.move)


def _say(table: Table, person: Person, phrase: int) -> None:
    """Let all see a phrase."""
    now = table.clock.now()
    if not 0 <= phrase < messages.NUM_PHRASES:
        raise Refusal("unknown")
    if now < person.may_say_at:
        raise Refusal("too_often")
    person.said, person.may_say_at = (phrase, person.said[1] + 1 if person.said else 1), now + _PHRASE_PAUSE
    table.publish()


def _arrange(table: Table, seat: int, person: Person, message: FromPage) -> None:
    """Do what a message says about who decides for whom."""
    if isinstance(message, messages.StartMatch):
        _start(table)
    elif isinstance(message, messages.Replace):
        _replace(table, message.seat)
    elif isinstance(message, messages.Release):
        _release(table, message.seat)
    elif isinstance(message, messages.Back) and person.is_substituted:
        table.come_back(seat)
    elif isinstance(message, messages.Back):
        raise Refusal("not_substituted")
    else:
        raise Refusal("unknown")


def _start(table: Table) -> None:
    """Begin without those who have not come."""
    if table.has_begun:
        raise Refusal("begun")
    table.replace(*table.people.missing())


def _replace(table: Table, seat: int) -> None:
    """Let a player decide for a person who is not connected."""
    if seat not in table.people.away():
        raise Refusal("not_away")
    if seat in table.people.substituted():
        raise Refusal("has_substitute")
    if not table.has_begun:
        raise Refusal("not_begun")
    table.replace(seat)


def _release(table: Table, seat: int) -> None:
    """Free the seat of a person who is not connected."""
    if seat not in table.people.away():
        raise Refusal("not_away")
    if not table.seating.shown_name(seat):
        raise Refusal("is_free")
    table.release(seat)


def _question(table: Table, seat: int, move: int) -> Decision:
    """Return the decision that a seat is asked for."""
    decision = table.decision
    if decision is None or decision.seat != seat or move != table.move:
        raise Refusal("not_now")
    return decision


def _bid_intent(table: Table, seat: int, message: messages.BidIntent) -> str:
    opening = table.board.opening
    if table.offered is not None:
        return _offer_intent(table, table.offered, seat, message)
    if not table.is_opening:
        raise Refusal("no_bids")
    if message.move != table.move or message.standing != len(opening.bids):
        raise Refusal("other_bid")
    cards = read_cards(message.cards)
    if cards and cards not in opening.options(seat):
        raise Refusal("no_bid", cards)
    return cards


def _offer_intent(table: Table, phase: Phase, seat: int, message: messages.BidIntent) -> str:
    """Return what a person says to an offer: an overbid, to rebel, or nothing after all."""
    if message.move != table.move:
        raise Refusal("not_now")
    text = message.cards if message.cards == REBEL_TEXT else read_cards(message.cards)
    if text and text not in offered_answers(phase, table.board.transcript.states[0], table.rules, seat):
        raise Refusal("no_answer", text)
    return text


def _check_done(table: Table, message: messages.Done) -> None:
    is_resting = not table.is_opening and table.board.phase == Phase.OVER
    if message.move != table.move or not (is_resting or table.window is not None):
        raise Refusal("not_now")


def _show_own(table: Table, seat: int, person: Person) -> None:
    if person.outbox is not None:
        person.outbox.put_state(messages.write_message(table.state_for(seat)))


async def _hint(
    table: Table, seat: int, message: messages.AskHint, adviser: Player, executor: Executor | None
) -> ToPage:
    """Ask the adviser, in a thread, on a copy of the table."""
    board = table.board
    if table.offered is not None:
        raise Refusal("no_hint")
    if table.is_opening:
        if not board.opening.options(seat):
            return messages.Hint(message.move, "")
        tables = board.copied_for_bid(seat)
        answer = await think(executor, decide_whole, adviser, board.copied_for_bid(seat))
        assert isinstance(answer, int)
        why = await think(executor, words_on, tables.states, board.rules, answer)
        return messages.Hint(message.move, board.opening.text_of(seat, answer), why)
    decision = _question(table, seat, message.move)
    answer = await think(executor, decide_whole, adviser, board.copied())
    why = await think(executor, words_on, decision.states, board.rules, answer)
    components: tuple[tuple[int, int], ...] = ()
    if decision.phase == Phase.LEAD and not isinstance(answer, int):
        components = components_of(decision, to_cards(answer, decision.trump))
    return messages.Hint(message.move, text_of(decision, answer), why, components)
