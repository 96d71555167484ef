"""A seat that is told in words: what it has heard, its question, its answer."""

import json
from dataclasses import dataclass

from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.answers import Decision
from shengji_env.players.decisions import Decisions
from shengji_env.players.exec import bot_messages as messages
from shengji_env.players.exec.seat_table import SeatTable
from shengji_env.players.words.answering import read_answer
from shengji_env.players.words.asking import PASS_WORD, Offer, WordsQuestion, answer_text
from shengji_env.players.words.telling import Telling, ToldHistory
from shengji_env.render import explain_rules
from shengji_env.render.chinese_rules import chinese_rules
from shengji_env.render.text import Language

_NOTATION = {
    "en": "Cards are written suit then rank: C D H S and 2-9 T J Q K A; LJ and BJ are the little and the big joker. "
    "Your last answer in [brackets] counts.",
    "zh": "牌的写法：先花色后点数，C 梅花 D 方块 H 红桃 S 黑桃，T 是 10；LJ 小王，BJ 大王。"
    "最后一个方括号里的回答算数。",
}


@dataclass(frozen=True)
class Manner:
    """How a seat is told."""

    language: Language = "en"
    """English or Chinese."""
    offer: Offer = "candidates"
    """Which plays are named."""
    history: ToldHistory = "new"
    """Whether only what is new is told, or the whole round each time."""


def rules_text(rules: RuleSet, language: Language) -> str:
    """Return the rules of a table, and how cards are written."""
    text = explain_rules(rules) if language == "en" else chinese_rules(rules)
    return f"{text}\n\n{_NOTATION[language]}"


class WordsSeat:
    """What one seat is told of a round, and asked.

    Args:
        rules: the rules.
        manner: how it is told.
    """

    def __init__(self, rules: RuleSet, manner: Manner) -> None:
        self.manner = manner
        self._table, self._telling = SeatTable(rules), Telling(manner.language)
        self._told = 0
        self._question: WordsQuestion | None = None

    def hear(self, lines: bytes) -> None:
        """Hear messages of the protocol, a line each (`exec.deal_feed`)."""
        for line in lines.splitlines():
            message = messages.as_message(json.loads(line))
            if message is not None:
                if isinstance(message, messages.BotRound):
                    self._told = 0
                self._table.handle(message)
                self._telling.tell(message)

    def ask(self, asked: messages.Decide) -> str:
        """Return what is told and asked at a decision."""
        self._table.handle(asked)
        with self._table.asked(asked):
            decision = Decision(Decisions.at(self._table.tables), 0)
        self._question = WordsQuestion(decision, self.manner.offer, asked.legal)
        first = self._told if self.manner.history == "new" else 0
        self._told = len(self._telling.pieces)
        return "\n".join(filter(None, (self._telling.text(first), self._question.text(self.manner.language))))

    def ending(self) -> str:
        """Return what is new once a round has ended."""
        return self._telling.text(self._told)

    @property
    def offered(self) -> list[str]:
        """The answers that the last question offers, as `read` returns them."""
        assert self._question is not None
        answers = self._question.offers.values()
        return [_as_play(answer_text(self._question.decision, answer)) for answer in answers]

    def read(self, text: str) -> str:
        """Return what a text answers to the last question, as `exec.bot_messages.BotPlay` has it: nothing for a pass.

        Raises:
            RefusedAnswer: it has no answer, or one that is not legal; the message says why and what is legal.
        """
        assert self._question is not None
        answer = read_answer(text, self._question, self.manner.language)
        return _as_play(answer_text(self._question.decision, answer))


def _as_play(text: str) -> str:
    return "" if text == PASS_WORD else text
