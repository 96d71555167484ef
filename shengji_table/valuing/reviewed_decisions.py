"""The decisions of a recorded round, each with its candidates and the one that was played.

The candidates are those that `search` and networks compare (`players.candidates`); a play that is none of them is added
as one more. So is what another player would have played, if one is asked.
"""

import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NAME, PASS, action_text
from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import format_cards
from shengji_env.engine.play import CARDS, Plays
from shengji_env.engine.referee import Trump
from shengji_env.engine.referee.values import to_cards
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import UNNAMED, Phase
from shengji_env.players.answers import Answer
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE
from shengji_env.players.candidates.finding import find_candidates
from shengji_env.players.candidates.scratch import make_scratch
from shengji_env.players.decisions import Decisions, num_plays
from shengji_env.players.whole_plays import choose_whole, make_decision
from shengji_env.records.reading import ReplayedRound, start_of
from shengji_env.records.transcript import start_after
from shengji_env.tables.one_table import OneTable
from shengji_env.tables.settings import TableSettings
from shengji_env.tables.tables import Tables

AskOther = Callable[[Tables, int, int], Answer | None]
"""Returns what another player answers at a copy of the table, None if nobody is asked; given the ply, and how many
actions the round has had so far."""


@dataclass(frozen=True)
class Choice:
    """A decision with at least two candidates. The arrays are overwritten by the next one."""

    ply: int
    """How many of the round's decisions come before it."""
    seat: int
    """The seat that decides."""
    by: str | None
    """Who decided in the place of the seat's own player; None: that player did."""
    number: int
    """Number of candidates."""
    played: int
    """Which of them was played."""
    second: int | None
    """Which of them another player would have played; None if nobody was asked."""
    num_found: int
    """How many were found; those after them were added, since they were played."""
    truth: NDArray[Any]
    """(1,) the whole table, STATE_DTYPE."""
    seen: NDArray[Any]
    """(1,) the table as the seat knows it."""
    plays: NDArray[np.int8]
    """(K, 55) the plays of the round (`tables.history`)."""
    found: NDArray[Any]
    """(1,) CANDIDATE_LIST_DTYPE, the candidates."""
    scratch: NDArray[Any]
    """(1,) SCRATCH_DTYPE, with the seat's observation."""

    @property
    def phase(self) -> Phase:
        """What is decided."""
        return Phase(int(self.truth["phase"][0]))

    @property
    def is_bid(self) -> bool:
        """Whether trumps are bid for, and not yet named."""
        return self.phase == Phase.BID and int(self.truth["trump"][0]) == UNNAMED

    @property
    def candidates(self) -> Plays:
        """The C candidates."""
        return Plays(self.found["actions"][0, : self.number], self.found["cards"][0, : self.number])

    def given(self, index: int) -> Answer:
        """Return a candidate as a player answers: an action, or cards by slot."""
        action = int(self.candidates.actions[index])
        return self.candidates.cards[index] if action == CARDS else action

    def answer(self, index: int) -> str | None:
        """Return a candidate as a record writes it: cards, a trump, or None for a pass; a rebellion is ``rebel``."""
        state = self.truth[0]
        trump, level = reading_of(state, self.seat)
        action = int(self.candidates.actions[index])
        if action == CARDS:
            return format_cards(to_cards(self.candidates.cards[index], Trump.of(trump, level)))
        if action == PASS:
            return None
        text = action_text(action, trump=trump, level=level, is_bid=True)
        return text.removeprefix("name " if action >= NAME else "bid ")


def choices_of(
    rules: RuleSet, replayed: ReplayedRound, ask: AskOther | None = None, *, substitutes: bool = False
) -> Iterator[Choice]:
    """Yield the decisions of a round that had an alternative.

    Args:
        rules: the rules.
        replayed: the round.
        ask: says what another player would have done.
        substitutes: whether decisions are yielded too that substitutes have made.
    """
    table = table_of(rules, replayed)
    scratch: NDArray[Any] = make_scratch(rules.record(), 1)
    found: NDArray[Any] = np.zeros(1, CANDIDATE_LIST_DTYPE)
    actions, ply = list(replayed.actions), 0
    while actions:
        truth = table.tables.states.copy()
        asked = Decisions.at(table.tables)
        seen, plays = asked.states, asked.plays[0]
        other = ask(copy.deepcopy(table.tables), ply, len(replayed.actions) - len(actions)) if ask else None
        answer = choose_whole(copy.deepcopy(table.tables), iter(actions).__next__)
        size = len(make_decision(table.tables, iter(actions).__next__))
        choice = _choice(ply, (truth, seen, plays), (answer, other), found, scratch)
        by = replayed.record["decisions"][ply].get("by")
        if choice.number > 1 and (substitutes or by is None):
            yield dataclasses.replace(choice, by=by)
        del actions[:size]
        ply += 1


def choice_at(rules: RuleSet, tables: Tables, answer: Answer, *, other: Answer | None = None) -> Choice:
    """Return the decision that table 0 is at, with an answer, or two, that its seat may give."""
    asked = Decisions.at(tables)
    found: NDArray[Any] = np.zeros(1, CANDIDATE_LIST_DTYPE)
    known = tables.states.copy(), asked.states, asked.plays[0]
    return _choice(0, known, (answer, other), found, make_scratch(rules.record(), 1))


def _choice(
    ply: int,
    known: tuple[NDArray[Any], NDArray[Any], NDArray[np.int8]],
    answers: tuple[Answer, Answer | None],
    found: NDArray[Any],
    scratch: NDArray[Any],
) -> Choice:
    (truth, seen, plays), (answer, other) = known, answers
    num_found = find_candidates(seen[0], scratch[0], DEFAULT_CANDIDATES, found[0])
    number, played = _with_answer(found, num_found, answer)
    number, second = (number, None) if other is None else _with_answer(found, number, other)
    seat = int(truth["seat"][0])
    return Choice(ply, seat, None, number, played, second, num_found, truth, seen, plays, found, scratch)


def table_of(rules: RuleSet, replayed: ReplayedRound) -> OneTable:
    """Return a table at the first decision of a recorded round."""
    return table_from(rules, replayed.record)


def table_from(rules: RuleSet, record: Mapping[str, Any]) -> OneTable:
    """Return a table at the first decision of a round, given the fields of its record that say how it began."""
    table = OneTable(TableSettings(rules=rules, history=num_plays(rules), record=True))
    abandoned = record.get("abandoned", [])
    table.begin(0, {**start_of(record, rules), **start_after(rules, abandoned)})
    table.tables.states["redeals"], table.tables.states["rebellions"] = record["redeals"], len(abandoned)
    return table


def _with_answer(found: NDArray[Any], number: int, answer: Answer) -> tuple[int, int]:
    """Return how many candidates there are with an answer, and which one it is."""
    if isinstance(answer, int):
        return number, found["actions"][0, :number].tolist().index(answer)
    same = np.flatnonzero((found["cards"][0, :number] == answer).all(axis=1))
    if len(same):
        return number, int(same[0])
    found["actions"][0, number] = CARDS
    found["cards"][0, number] = answer
    return number + 1, number
