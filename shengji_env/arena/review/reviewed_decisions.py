"""The decisions of a recorded round, each with its candidates and the one that was played.

The candidates are those that `search` and networks compare (`players.candidates`); a play that is none of them is added
as one more.
"""

from collections.abc import Iterator, Sequence
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
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import Phase
from shengji_env.players.candidates import DEFAULT_CANDIDATES
from shengji_env.players.candidates.candidate_list import CANDIDATE_LIST_DTYPE
from shengji_env.players.candidates.finding import find_candidates
from shengji_env.players.candidates.playing import make_scratch
from shengji_env.players.decisions import Decisions, num_plays
from shengji_env.players.whole_plays import make_decision
from shengji_env.records.reading import ReplayedRound, start_of
from shengji_env.records.transcript import start_after
from shengji_env.tables.one_table import OneTable
from shengji_env.tables.settings import TableSettings

_CHOICES = (Phase.BID, Phase.NAME, Phase.FORCED, Phase.REBEL)
"""Phases in which a decision is a single action."""
_ROW = np.zeros(1, np.int64)


@dataclass(frozen=True)
class Choice:
    """A decision with at least two candidates. The arrays are overwritten by the next one."""

    ply: int
    """How many of the round's decisions come before it."""
    seat: int
    """The seat that decides."""
    number: int
    """Number of candidates."""
    played: int
    """Which of them was played."""
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
    def candidates(self) -> Plays:
        """The C candidates."""
        return Plays(self.found["actions"][0, : self.number], self.found["cards"][0, : self.number])

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


def choices_of(rules: RuleSet, replayed: ReplayedRound) -> Iterator[Choice]:
    """Yield the decisions of a round that had an alternative."""
    table = OneTable(TableSettings(rules=rules, history=num_plays(rules)))
    abandoned = replayed.record.get("abandoned", [])
    table.begin(0, {**start_of(replayed.record, rules), **start_after(rules, abandoned)})
    table.tables.states["redeals"], table.tables.states["rebellions"] = replayed.record["redeals"], len(abandoned)
    scratch: NDArray[Any] = make_scratch(rules.record(), 1)
    found: NDArray[Any] = np.zeros(1, CANDIDATE_LIST_DTYPE)
    actions, ply = list(replayed.actions), 0
    while actions:
        truth = table.tables.states.copy()
        asked = Decisions.at(table.tables, _ROW)
        seen, plays = asked.states, asked.plays[0]
        size = len(make_decision(table.tables, iter(actions).__next__))
        number = find_candidates(seen, scratch, DEFAULT_CANDIDATES, found)
        number, played = _with_played(found, number, actions[:size], Phase(int(truth["phase"][0])))
        if number > 1:
            yield Choice(ply, int(truth["seat"][0]), number, played, truth, seen, plays, found, scratch)
        del actions[:size]
        ply += 1


def _with_played(found: NDArray[Any], number: int, actions: Sequence[int], phase: Phase) -> tuple[int, int]:
    """Return how many candidates there are with the play that was made, and which one it is."""
    if phase in _CHOICES:
        return number, found["actions"][0, :number].tolist().index(actions[0])
    cards = np.bincount([action for action in actions if action < NUM_SLOTS], minlength=NUM_SLOTS)
    same = np.flatnonzero((found["cards"][0, :number] == cards).all(axis=1))
    if len(same):
        return number, int(same[0])
    found["actions"][0, number] = CARDS
    found["cards"][0, number] = cards
    return number + 1, number
