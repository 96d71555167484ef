"""What decisions cost: the value of the best candidate minus that of the one that was played."""

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from shengji_env.arena.review.reviewed_decisions import Choice, choices_of
from shengji_env.arena.review.valuers import Valuer
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.records.reading import ReplayedRound
from shengji_env.records.replays import Replay

MAX_MARKS = 10
"""Decisions of a round that are marked."""
LEAST_COST = 0.01
"""Levels; what costs less is not marked."""
_MAX_OPTIONS = 5
"""Candidates shown at a mark, the best ones; the one that was played comes in addition."""

Track = Callable[[Iterable[ReplayedRound]], Iterable[ReplayedRound]]


def review_replay(replay: Replay, valuer: Valuer, *, track: Track = iter) -> Replay:
    """Return the replay with a review of each round; `track` may follow the rounds as they are reviewed."""
    reviews = {replayed.line: review_round(replay.rules, replayed, valuer) for replayed in track(replay.rounds)}
    return dataclasses.replace(replay, reviews=reviews)


def review_round(rules: RuleSet, replayed: ReplayedRound, valuer: Valuer) -> dict[str, Any]:
    """Return a round's review, as JSON values.

    ``by`` says who values, ``decisions`` how many decisions had an alternative, ``costly`` lists those that cost most,
    the worst first: ``ply``, ``seat``, ``cost`` in levels, and ``options``, each with ``answer`` (as in records; null
    for a pass), ``value`` and ``is_chosen``, the best first.
    """
    marks = [_mark(choice, valuer) for choice in choices_of(rules, replayed)]
    costly = sorted(
        (mark for mark in marks if mark["cost"] >= LEAST_COST), key=lambda mark: (-mark["cost"], mark["ply"])
    )
    return {"by": valuer.name, "decisions": len(marks), "costly": costly[:MAX_MARKS]}


def _mark(choice: Choice, valuer: Valuer) -> dict[str, Any]:
    values = valuer.value(choice)
    order = np.argsort(-values, kind="stable").tolist()
    shown = order[:_MAX_OPTIONS]
    if choice.played not in shown:
        shown.append(choice.played)
    options = [
        {"answer": choice.answer(index), "value": round(float(values[index]), 3), "is_chosen": index == choice.played}
        for index in shown
    ]
    cost = round(float(values.max() - values[choice.played]), 3)
    return {"ply": choice.ply, "seat": choice.seat, "cost": cost, "options": options}
