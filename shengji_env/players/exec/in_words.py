"""A process that is told in words: what it is answered (docs/protocol.md, docs/environments/words.md)."""

from typing import Any, get_args

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError
from shengji_env.players.exec.bot_messages import BotPlay, BotRefused, Decide, Prompt, ProtocolError, Say, Words
from shengji_env.players.exec.deal_feed import Cursor, DealFeed
from shengji_env.players.words.answering import RefusedAnswer
from shengji_env.players.words.asking import Offer
from shengji_env.players.words.telling import ToldHistory
from shengji_env.players.words.words_seat import Manner, WordsSeat, rules_text
from shengji_env.render.text import Language
from shengji_env.support.arguments import check_choice

MOST_REFUSED = 20
"""Answers that are refused at a decision before the process is ended."""


class SeatInWords:
    """A seat in one deal, told in words.

    Args:
        rules: the rules.
        asked: how it asks to be told.

    Raises:
        ProtocolError: it cannot be told so.
    """

    def __init__(self, rules: RuleSet, asked: Words) -> None:
        self._rules = rules
        self._seat = WordsSeat(rules, _manner_of(asked))
        self._cursor: Cursor | None = None
        self._num_refused = 0

    def suits(self, asked: Words) -> bool:
        """Whether the seat is told as it asks to be."""
        return self._seat.manner == _manner_of(asked)

    def prompt(self, feed: DealFeed, seat: int, question: Decide) -> Prompt:
        """Return what is told and asked at a decision."""
        rules = ""
        if self._cursor is None:
            self._cursor = Cursor()
            self._seat.hear(feed.begin(seat))
            rules = rules_text(self._rules, self._seat.manner.language)
        self._seat.hear(feed.messages_for(seat, self._cursor))
        self._num_refused = 0
        return Prompt(question.move, rules, self._seat.ask(question))

    def reply(self, said: Say) -> BotPlay | BotRefused:
        """Return the play that is said, or why there is none.

        Raises:
            ProtocolError: too many answers have been refused.
        """
        try:
            return BotPlay(said.move, self._seat.read(said.text))
        except RefusedAnswer as error:
            self._num_refused += 1
            if self._num_refused == MOST_REFUSED:
                raise ProtocolError(f"{MOST_REFUSED} answers were refused; the last because {error}") from error
            return BotRefused(said.move, str(error))


def _manner_of(asked: Words) -> Manner:
    values: dict[str, Any] = {}
    for name, kind in (("language", Language), ("offer", Offer), ("history", ToldHistory)):
        try:
            values[name] = check_choice(name, getattr(asked, name), get_args(kind))
        except ShengjiError as error:
            raise ProtocolError(str(error)) from error
    return Manner(**values)
