"""Finds puzzles in recorded rounds.

A decision is one if `champion` and `champion:1000` agree on the best play, if one of PLAYERS plays another one, and if
the best is better than every other by LEAST levels and SURE standard errors in held-out sampled deals: than every
candidate, and than every legal lead or follow if there are at most MOST_PLAYS. What looks best is what the strongest of
those plays who miss it. A deal gives one puzzle at most, one of the hardest of its first round. Who has played does not
matter: positions are valued as the seat sees them.
"""

import copy
from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.bids import reading_of
from shengji_env.engine.play import CARDS, Plays
from shengji_env.engine.referee import Trump, legal_follows, legal_leads
from shengji_env.engine.referee.values import to_cards, to_slots
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Phase
from shengji_env.players.answers import Answer
from shengji_env.players.asking import decide_whole
from shengji_env.players.playing import HEURISTIC
from shengji_env.players.registry import make_player
from shengji_env.records.reading import RecordReader, ReplayedRound
from shengji_env.render.decision_values import ValuedAnswer
from shengji_env.tables.tables import Tables
from shengji_table.puzzles.puzzle import BEGINNING, LEVELS, THEMES, Puzzle
from shengji_table.puzzles.solving import FINAL_DEALS, FINAL_FIRST, DealValues
from shengji_table.reasons import Explainer, in_both_languages
from shengji_table.valuing.reviewed_decisions import Choice, choices_of
from shengji_table.valuing.valuers import as_valuer, errors_of_leads

LEAST = 0.2
"""Levels."""
SURE = 4
"""Standard errors."""
SEARCHER = "champion:1000"
PLAYERS = ("greedy", HEURISTIC, "champion?part=playouts")
"""Whose play looks best, the weakest first; how many of them miss the best play is a puzzle's level."""
MOST_PLAYS = 3000
"""Legal plays."""
_FEW_HELD_OUT_DEALS, _HELD_OUT_DEALS, _HELD_OUT_FIRST = 100, 1000, 1_000_000
"""In how many deals the _NEAREST plays are found, how many decide, and their first number."""
_NEAREST = 20
_MOST_OPTIONS = 8


class _Looks(NamedTuple):
    """What a decision looks like to a network and to PLAYERS."""

    best: int
    obvious: int
    level: int
    """How many of PLAYERS miss the best; 0: it is no puzzle."""


class PuzzleFinder:
    """Finds puzzles in the rounds of a record.

    Args:
        record: the lines of a record, such as an open file.
    """

    def __init__(self, record: Iterable[str]) -> None:
        self._record = record
        self._players = [make_player(name) for name in PLAYERS]
        self._made: dict[int, int] = {}
        self._others: dict[int, list[Answer]] = {}

    def find(self) -> Generator[Puzzle | None]:
        """Yield the puzzle of each round; None if it has none.

        Raises:
            RecordError: it is no record.
        """
        reader = RecordReader(self._record)
        self._rules = reader.rules
        self._network, self._searcher = as_valuer(None, reader.rules), as_valuer(SEARCHER, reader.rules)
        self._explainer, self._values = Explainer(reader.rules), DealValues(reader.rules)
        seen = set()
        for replayed in reader:
            is_new = replayed.record["deal"] not in seen and not replayed.record.get("abandoned")
            seen.add(replayed.record["deal"])
            yield self._puzzle_of(replayed) if is_new else None

    def _puzzle_of(self, replayed: ReplayedRound) -> Puzzle | None:
        """Return the puzzle of a round, the hardest decisions being tried first."""
        levels = {choice.ply: self._looks(choice).level for choice in choices_of(self._rules, replayed, self._ask)}
        for level in reversed(LEVELS):
            for choice in choices_of(self._rules, replayed, lambda _, ply, __: self._others[ply][0]):
                if levels[choice.ply] == level and (puzzle := self._puzzle(replayed, choice)) is not None:
                    return puzzle
        return None

    def _looks(self, choice: Choice) -> _Looks:
        values = self._network.value(choice)
        best = int(values.argmax())
        given = [_index_of(choice, answer) for answer in self._others[choice.ply]]
        costly = [index for index in given if index is not None and values[best] - values[index] >= LEAST]
        return _Looks(best, costly[-1], sum(index != best for index in given)) if costly else _Looks(best, best, 0)

    def _ask(self, tables: Tables, ply: int, made: int) -> Answer:
        """Note what all players would answer, and how many actions were made; return what looks best."""
        self._made[ply] = made
        self._others[ply] = [decide_whole(player, copy.deepcopy(tables)) for player in self._players]
        return self._others[ply][0]

    def _puzzle(self, replayed: ReplayedRound, choice: Choice) -> Puzzle | None:
        """Return a decision as a puzzle, if it is one."""
        best, obvious, level = self._looks(choice)
        if int(self._searcher.value(choice).argmax()) != best or not is_clear(choice, best, self._values):
            return None
        reason = self._explainer.explain(choice, best, obvious)
        finals = self._values.outcomes(choice, choice.candidates, FINAL_DEALS, FINAL_FIRST).mean(axis=1)
        if reason.kind not in THEMES or np.delete(finals, best).max() > finals[best] - LEAST:
            return None
        record = replayed.record
        return Puzzle(
            rules=str(self._rules),
            start={name: record[name] for name in BEGINNING if name in record and self._keeps(name)},  # type: ignore[literal-required]
            actions=tuple(replayed.actions[: self._made[choice.ply]]),
            seat=choice.seat,
            options=_options(choice, finals, obvious),
            obvious=choice.answer(obvious),
            theme=reason.kind,
            level=level,
            why=in_both_languages(reason),
        )

    def _keeps(self, name: str) -> bool:
        """Return whether a field of a record says how the round began."""
        return name != "trump" or self._rules.bidding == "fixed"


def is_clear(choice: Choice, best: int, values: DealValues) -> bool:
    """Return whether a candidate is better than all others, and than all other legal plays, in held-out deals."""
    plays = _with_others(choice, best, values.rules)
    leads, _ = _leads(choice, plays, values, _FEW_HELD_OUT_DEALS)
    near = [0, *1 + np.argsort(leads[1:])[:_NEAREST]]
    leads, errors = _leads(choice, Plays(plays.actions[near], plays.cards[near]), values, _HELD_OUT_DEALS)
    return bool(((leads >= LEAST) & (leads >= SURE * errors))[1:].all())


def _leads(
    choice: Choice, plays: Plays, values: DealValues, number: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by how much the first play leads each in so many held-out deals, and the standard errors."""
    outcomes = values.outcomes(choice, plays, number, _HELD_OUT_FIRST).astype(np.float64)
    return outcomes[0].mean() - outcomes.mean(axis=1), errors_of_leads(outcomes, 0)


def _with_others(choice: Choice, best: int, rules: RuleSet) -> Plays:
    """Return a candidate, the other ones, and all other legal plays unless there are more than MOST_PLAYS."""
    order = [best, *np.delete(np.arange(choice.number), best)]
    actions, cards = choice.candidates.actions[order], choice.candidates.cards[order]
    legal = list(islice(_legal_plays(choice, rules), MOST_PLAYS + 1))
    others = [play for play in legal if not (cards == play).all(axis=1).any()] if len(legal) <= MOST_PLAYS else []
    actions = np.append(actions, np.full(len(others), CARDS, actions.dtype))
    return Plays(actions, np.concatenate([cards, np.reshape(others, (-1, cards.shape[1])).astype(cards.dtype)]))


def _legal_plays(choice: Choice, rules: RuleSet) -> Iterator[NDArray[np.int8]]:
    """Iterate over the plays, by slot, with which a seat may lead or follow; there are none for other decisions."""
    state = choice.truth[0]
    found: Iterator[NDArray[np.int8]] = iter(())
    trump = Trump.of(*reading_of(state, choice.seat))
    hand = to_cards(state["hands"][choice.seat], trump)
    if choice.phase == Phase.LEAD:
        found = legal_leads(hand, trump, rules)
    elif choice.phase == Phase.FOLLOW:
        found = legal_follows(to_cards(state["trick"][int(state["leader"])], trump), hand, trump, rules)
    return (to_slots(play, trump) for play in found)


def _options(choice: Choice, values: NDArray[np.float32], obvious: int) -> tuple[ValuedAnswer, ...]:
    """Return the best candidates and the obvious one with their values, the best first."""
    order = np.argsort(-values, kind="stable").tolist()
    kept = [index for place, index in enumerate(order) if place < _MOST_OPTIONS or index == obvious]
    return tuple((choice.answer(index), round(float(values[index]), 3)) for index in kept)


def _index_of(choice: Choice, answer: Answer) -> int | None:
    """Return which candidate of a decision an answer is; None: it is none."""
    for index in range(choice.number):
        if isinstance(answer, int):
            is_same = int(choice.candidates.actions[index]) == answer
        else:
            is_same = bool((choice.candidates.cards[index] == answer).all())
        if is_same:
            return index
    return None
