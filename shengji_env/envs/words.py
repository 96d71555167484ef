"""`WordsEnv`: a round told in words to one seat or several, and answered in words.

| what | how |
|---|---|
| `reset`, `observe`, `step` | a round begins; what the seat to move is told and asked; its answer |
| `rules_text` | the rules, and how to answer: told once, before anything else |
| `rewards`, `result` | as of other environments, once the round is over |
| an answer that is not legal | is refused with a sentence that says why; after `retries` of them `illegal` decides |

A seat is asked only where it has a choice. Players sit in the other seats.

Source: docs/environments/words.md.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import numpy as np

from shengji_env.engine.play import as_play
from shengji_env.engine.rule_sets import DEFAULT_RULES, NUM_SEATS, RulesLike, as_rules
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.envs.aec import raw_env
from shengji_env.errors import ShengjiError, show
from shengji_env.players.answers import Answer
from shengji_env.players.decisions import Decisions, num_plays
from shengji_env.players.exec.bot_messages import BotPlay, Decide
from shengji_env.players.exec.deal_feed import Cursor, DealFeed
from shengji_env.players.exec.exec_answers import question_of, read_answer
from shengji_env.players.player import Player
from shengji_env.players.registry import as_player
from shengji_env.players.whole_plays import next_action
from shengji_env.players.words.answering import RefusedAnswer
from shengji_env.players.words.asking import Offer
from shengji_env.players.words.telling import ToldHistory
from shengji_env.players.words.words_seat import Manner, WordsSeat, rules_text
from shengji_env.render.text import Language
from shengji_env.support.arguments import check_choice, check_index, check_seat
from shengji_env.tables.settings import Start

Illegal = Literal["forfeit", "first_legal", "random"]
"""What becomes of a decision whose answers have all been refused."""
_MOST_RETRIES = 100


@dataclasses.dataclass
class Counts:
    """What a seat has done in a round."""

    decisions: int = 0
    """Decisions that it was asked for."""
    refused: int = 0
    """Answers that were refused."""
    illegal: int = 0
    """Decisions for which no answer could be used."""


class WordsEnv:
    """A round in words; `reset` must be called before other methods.

    Args:
        rules: a rule set or its text.
        seats: the seats that are told and asked.
        language: ``"en"`` or ``"zh"``.
        offer: which plays are named: ``"candidates"``, ten at most that are worth comparing; ``"legal"``, all, where
            they are at most 60; ``"free"``, none. In any case every legal play may be answered.
        history: ``"new"`` tells a seat what has happened since it was last asked, for whoever remembers; ``"whole"``
            the whole round each time.
        others: the player in the other seats.
        retries: answers that may be refused at a decision, and be given again.
        illegal: what then happens: ``"forfeit"`` ends the round, lost by the most levels that the rules' table begins
            with; ``"first_legal"`` makes a legal play; ``"random"`` a random one of those offered.
        start: how rounds begin, as in other environments.

    Attributes:
        rules: the rules.
        counts: by seat, what it has done in this round.

    Raises:
        ShengjiError: an argument is not one of these.
    """

    def __init__(
        self,
        rules: RulesLike = DEFAULT_RULES,
        seats: Iterable[int] = tuple(range(NUM_SEATS)),
        *,
        language: Language = "en",
        offer: Offer = "candidates",
        history: ToldHistory = "new",
        others: str | Player = "heuristic",
        retries: int = 1,
        illegal: Illegal = "forfeit",
        start: Start = "first",
    ) -> None:
        self.rules = as_rules(rules)
        given = tuple(seats) if isinstance(seats, Iterable) else ()
        if not given:
            raise ShengjiError(f"seats={show(seats)} must be one or more of the seats 0 to 3, such as (0, 2)")
        self.seats = tuple(sorted({check_seat("seats", seat) for seat in given}))
        self._manner = Manner(
            check_choice("language", language, get_args(Language)), check_choice("offer", offer, get_args(Offer)),
            check_choice("history", history, get_args(ToldHistory)),
        )  # fmt: skip
        self._retries = check_index("retries", retries, 0, _MOST_RETRIES)
        self._illegal = check_choice("illegal", illegal, get_args(Illegal))
        self._others = as_player(others)
        self._env = raw_env(self.rules, start=start, skip_forced=True, record=True, history=num_plays(self.rules))
        self._random = np.random.default_rng()
        self._words: dict[int, tuple[WordsSeat, Cursor]] = {}
        self._text, self._refused = "", 0
        self._forfeited: int | None = None
        self.counts: dict[int, Counts] = {}

    @property
    def rules_text(self) -> str:
        """The rules, and how to answer."""
        return rules_text(self.rules, self._manner.language)

    @property
    def is_over(self) -> bool:
        """Whether the round is over."""
        self._check_begun()
        return self._forfeited is not None or self._env.terminations[self._env.agent_selection]

    @property
    def seat(self) -> int | None:
        """The seat that is asked; None once the round is over."""
        return None if self.is_over else int(self._env.tables.seats[0])

    @property
    def rewards(self) -> list[float]:
        """What the round is worth to each seat, in levels of its team; zero before its end."""
        if self._forfeited is not None:
            most = float(max(levels for _, levels in self.rules.table.declarers))
            return [-most if seat % NUM_TEAMS == self._forfeited % NUM_TEAMS else most for seat in range(NUM_SEATS)]
        return list(self._env.rewards.values()) if self.is_over else [0.0] * NUM_SEATS

    @property
    def result(self) -> dict[str, Any] | None:
        """The round's result as in other environments' infos; None before its end, or if it was forfeited."""
        info: dict[str, Any] = self._env.infos[self._env.agent_selection] if self.is_over else {}
        return info.get("result")

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a round, and go to the first decision of the seats.

        Args:
            seed: what deals and lots follow from; None draws one.
            options: as for other environments, such as ``{"deal": …}``.

        Raises:
            ShengjiError: no round could start so.
        """
        self._env.reset(seed=seed, options=options)
        self._random = np.random.default_rng(self._env.seed_in_use)
        self._forfeited = None
        self.counts = {seat: Counts() for seat in self.seats}
        self._begin_deal()
        self._go_on()

    def observe(self) -> str:
        """Return what the seat to move is told and asked, or why its last answer is refused; nothing after the end.

        It may be called again: the text stays the same until the next step.
        """
        self._check_begun()
        return self._text

    def ending(self, seat: int) -> str:
        """Return what is new to a seat once the round is over: the tricks since it was last asked, and the result."""
        if not self.is_over:
            raise ShengjiError("the round is not over")
        if check_seat("seat", seat) not in self._words:
            raise ShengjiError(f"seat {seat} is not told in words; seats {self.seats} are")
        words, cursor = self._words[seat]
        words.hear(self._feed.messages_for(seat, cursor))
        return words.ending()

    def step(self, text: str) -> dict[str, Any]:
        """Answer for the seat to move.

        Args:
            text: whatever was said; its last ``[...]`` or JSON object counts. Nothing is no answer.

        Returns:
            ``seat``, who has answered; ``refused``, why the answer is refused, empty if it is not; ``play``, what has
            been played, None if the seat is asked again or has forfeited; ``illegal``, whether `illegal` has decided.

        Raises:
            ShengjiError: the round is over, or it is no text.
        """
        seat, question = self.seat, self._question
        if seat is None:
            raise ShengjiError("the round is over: call reset() to begin another")
        if not isinstance(text, str):
            raise ShengjiError(f"the answer {show(text)} is no text; if a model has failed, its round has no result")
        info: dict[str, Any] = {"seat": seat, "refused": "", "play": None, "illegal": False}
        try:
            info["play"] = self._words[seat][0].read(text)
        except RefusedAnswer as error:
            info["refused"] = str(error)
            self.counts[seat].refused += 1
            self._refused += 1
            if self._refused <= self._retries:
                self._text = str(error)
                return info
            info["illegal"] = True
            self.counts[seat].illegal += 1
            if self._illegal == "forfeit":
                self._forfeited, self._text = seat, str(error)
                return info
            info["play"] = self._instead(seat, question)
        self._play(info["play"], question)
        self._go_on()
        return info

    def _check_begun(self) -> None:
        if not self._words:
            raise ShengjiError("no round has begun: call reset() first")

    def _instead(self, seat: int, question: Decide) -> str:
        """Return a play in place of answers that could not be used."""
        offered = self._words[seat][0].offered
        if self._illegal == "random" and offered:
            return str(self._random.choice(offered))
        return question.legal

    def _begin_deal(self) -> None:
        self._feed = DealFeed(self._env.tables, 0)
        self._words = {seat: (WordsSeat(self.rules, self._manner), Cursor()) for seat in self.seats}
        for seat, (words, _) in self._words.items():
            words.hear(self._feed.begin(seat))

    def _go_on(self) -> None:
        """Let the other seats play until one of the seats is asked, or the round is over."""
        tables, self._text = self._env.tables, ""
        while not self.is_over:
            if not self._feed.is_at(tables, 0):
                self._begin_deal()
            self._feed.follow(tables, 0)
            decisions = Decisions.at(tables)
            if int(tables.seats[0]) in self.seats:
                self._ask(decisions)
                return
            self._env.step(int(self._others.decide(decisions)[0]))
        self._feed.follow(tables, 0)

    def _ask(self, decisions: Decisions) -> None:
        seat = int(self._env.tables.seats[0])
        words, cursor = self._words[seat]
        words.hear(self._feed.messages_for(seat, cursor))
        self.counts[seat].decisions += 1
        self._refused, self._question = 0, question_of(1, decisions, 0, decisions.rules_record)
        self._text = words.ask(self._question)

    def _play(self, play: str, question: Decide) -> None:
        """Make a whole play, card by card."""
        tables = self._env.tables
        decisions = Decisions.at(tables)
        answer: Answer = read_answer(BotPlay(question.move, play), question.move, decisions, 0, decisions.rules_record)
        seat, is_taking = int(tables.seats[0]), True
        while is_taking:
            self._env.step(int(next_action(tables.states[:1], tables.masks[0], as_play(answer))))
            is_taking = int(tables.states["taken_size"][0]) > 0 and int(tables.seats[0]) == seat
