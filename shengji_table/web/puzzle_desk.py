"""Puzzles as a browser sees them: what the seat knows, and what an answer is worth once it is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TypedDict

from shengji_env.engine.actions import PASS
from shengji_env.engine.state import Phase
from shengji_env.errors import RecordError, ShengjiError, show
from shengji_env.players.answers import Answer, Decision
from shengji_env.players.decisions import Decisions
from shengji_env.records.replays import view_transcript
from shengji_env.records.writing import round_begun
from shengji_env.render.decision_values import ValuedAnswer
from shengji_env.render.view import View
from shengji_env.tables.tables import Tables
from shengji_table.puzzles.known import Known, in_order, key_of, known_answers
from shengji_table.puzzles.puzzle import Puzzle
from shengji_table.puzzles.solving import judge, table_of_puzzle
from shengji_table.reasons import Explainer, in_both_languages, joined, words_on
from shengji_table.valuing.reviewed_decisions import choice_at, table_from
from shengji_table.web.messages import Ask, Extend
from shengji_table.web.questions import ask_of, extend, read_answer, read_cards


class ListedPuzzle(TypedDict):
    """A puzzle as the page lists it."""

    key: str
    """Tells it from all others; a browser keeps its progress by it."""
    rules: str
    level: int
    theme: str


class Solution(TypedDict):
    """What an answer is worth."""

    options: list[ValuedAnswer]
    """Plays as records write them and their values in levels, the best first."""
    played: int
    """Which of them is the answer."""
    loss: float
    """What it loses, as `shengji puzzles --solve` counts (`Puzzle.loss`)."""
    other: str | None
    """The play that the best one is compared with: the answer, or what looks best if the answer is the best."""
    why: Mapping[str, str]
    """Why the best is better, by language, with ``{A}`` for it and ``{B}`` for the other play."""


@dataclass(frozen=True)
class ShownPuzzle:
    """A puzzle that has been set up."""

    view: View
    """What its seat sees."""
    ask: Ask
    """What it is asked."""
    decision: Decision
    tables: Tables


class PuzzleDesk:
    """Puzzles that people solve.

    Args:
        puzzles: the puzzles, numbered from 0.
        known: answers that were valued beforehand; None: those of the puzzles that come with the package.
        is_checked: whether all are possible; otherwise all are set up at once, which shows it.

    Attributes:
        listed: what may be said of them before they are solved.
        shown: sets one up, by its number.

    Raises:
        RecordError: there is none, or one is not possible.
    """

    def __init__(
        self,
        puzzles: Sequence[Puzzle],
        known: Mapping[str, Mapping[str, Known]] | None = None,
        *,
        is_checked: bool = False,
    ) -> None:
        self._puzzles = puzzles
        self._known = known_answers() if known is None else known
        if not puzzles:
            raise RecordError("the file holds no puzzle")
        self.shown = cache(lambda number: _set_up(number, puzzles[number]))
        if not is_checked:
            for number in range(len(puzzles)):
                self.shown(number)
        self.listed: list[ListedPuzzle] = [
            {"key": key_of(each), "rules": each.rules, "level": each.level, "theme": each.theme} for each in puzzles
        ]
        self.solve = lru_cache(len(puzzles) << 4)(self._judged)

    def extend(self, number: int, cards: str) -> Extend:
        """Return which cards may join those that somebody has chosen.

        Raises:
            NotationError: these are no cards of the hand, or no cards are to be chosen.
        """
        return extend(self.shown(number).decision, cards, number)

    def read(self, number: int, text: str) -> str:
        """Return an answer in a fixed form, no text for a pass.

        Raises:
            NotationError: it cannot be read.
            IllegalPlayError: the rules do not allow it.
        """
        decision = self.shown(number).decision
        _read(decision, text)
        return read_cards(text) if decision.phase not in (Phase.NAME, Phase.REBEL) else text

    def is_known(self, number: int, text: str) -> bool:
        """Return whether an answer was valued beforehand: no other one is valued at once."""
        puzzle = self._puzzles[number]
        known = {in_order(answer) for answer in (puzzle.options[0][0], puzzle.obvious)}
        return in_order(text) in known | self._known.get(key_of(puzzle), {}).keys()

    def answer(self, number: int, text: str) -> Answer:
        """Return the answer that a text in `read`'s form says."""
        return _read(self.shown(number).decision, text)

    def value(self, number: int, text: str) -> Known:
        """Return what an answer is worth, and why the best of the puzzle's options is better."""
        puzzle, shown = self._puzzles[number], self.shown(number)
        answer = self.answer(number, text)
        given = judge(puzzle, shown.tables, answer)
        best = puzzle.options[0]
        if given[1] > best[1] or given == best:
            return Known(given, None)  # nobody has compared what is better still
        return Known(given, _why(puzzle, shown, answer))

    def _judged(self, number: int, text: str) -> Solution:
        puzzle = self._puzzles[number]
        known = self._known.get(key_of(puzzle), {})
        given, why = known.get(in_order(text)) or self.value(number, text)
        options = list(puzzle.options)
        if given not in options:
            options = sorted([*options, given], key=lambda option: -option[1])
        other = puzzle.obvious if given == options[0] else given[0]
        if given == puzzle.options[0] == options[0]:
            obvious = known.get(in_order(puzzle.obvious))
            why = obvious.why if obvious else puzzle.why
        best, worse = (self.answer(number, text or "") for text in (options[0][0], other))
        cards = words_on(self.shown(number).decision.states, puzzle.rule_set, best, worse)
        return {
            "options": options,
            "played": options.index(given),
            "loss": puzzle.loss(given[1]),
            "other": other,
            "why": joined(cards, why) if why else cards,
        }


def _set_up(number: int, puzzle: Puzzle) -> ShownPuzzle:
    try:
        tables = table_of_puzzle(puzzle).tables
        transcript = round_begun(table_from(puzzle.rule_set, puzzle.start).tables, 0)
        for action in puzzle.actions:
            transcript.make(action)
    except (ShengjiError, LookupError, TypeError, ValueError, StopIteration) as error:
        raise RecordError(f"puzzle {number + 1} is not possible: {show(str(error))}") from error
    decision = Decision(Decisions.at(tables), 0)
    ask = ask_of(decision, tables.states[0], is_forced=False)
    return ShownPuzzle(view_transcript(transcript, viewer=puzzle.seat), ask, decision, tables)


def _read(decision: Decision, text: str) -> Answer:
    if not text and decision.mask[PASS]:
        return PASS
    return decision.read(text) if decision.phase == Phase.REBEL else read_answer(decision, text)


def _why(puzzle: Puzzle, shown: ShownPuzzle, answer: Answer) -> dict[str, str] | None:
    """Return why a puzzle's best play is better than an answer; None if the deals of reasons are too few to tell."""
    best = _read(shown.decision, puzzle.options[0][0] or "")
    choice = choice_at(puzzle.rule_set, shown.tables, best, other=answer)
    assert choice.second is not None
    reason = Explainer(puzzle.rule_set).explain(choice, choice.played, choice.second)
    return None if reason.is_denied else in_both_languages(reason)
