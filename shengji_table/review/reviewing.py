"""Reviews of rounds: what each candidate of each decision is worth, what decisions have cost, how the value went.

A round's review is JSON values, for the replay page and for Python:

| key | holds |
|---|---|
| ``by`` | who values |
| ``seats`` | whose decisions are valued, but for those of substitutes |
| ``decisions`` | how many of them had an alternative |
| ``valued`` | each of them: ``ply``, ``seat``, ``cost`` in levels (`charging.py`), ``options``: at most MAX_OPTIONS \
candidates, the best first, each with its value and as records write it, and ``played``, the place of the one that was \
played (and ``second``, that of another player); ``why`` says in words why the best is better than it, of those that \
cost something; what its playouts deny costs nothing; `DecisionValues.of` reads one |
| ``summary`` | for each of the seats what its decisions come to (`summarising.py`) |
| ``par`` | levels that seats 0 and 2 win with these cards if four `champion` play; None without playouts |
| ``costly`` | the plies of those that have cost most, the worst first |
| ``course`` | pairs of a ply and what the round comes to if `heuristic` plays on from there in the real deal, in \
levels of seats 0 and 2 |

Source: docs/pictures.md.
"""

import dataclasses
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from shengji_env.engine.play import Plays
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.engine.state import NUM_TEAMS
from shengji_env.errors import ShengjiError, show
from shengji_env.players.playing import HEURISTIC, player_with_policy, policies_of
from shengji_env.records.reading import ReplayedRound
from shengji_env.records.replays import Replay
from shengji_env.render.decision_values import DecisionValues
from shengji_table.reasons import ReviewReasons
from shengji_table.review.summarising import par_of, summaries
from shengji_table.valuing.charging import charged, losses_of, may_be_charged
from shengji_table.valuing.reviewed_decisions import AskOther, Choice, choices_of
from shengji_table.valuing.valuers import DealValuer, Valuer, mean_of_playouts

MAX_MARKS = 10
"""Decisions of a round that are listed as costly."""
MAX_OPTIONS = 5
"""Candidates kept of a decision, the best ones; those that were chosen come in addition."""
EVERYBODY = tuple(range(NUM_SEATS))

Tracker = Callable[[Iterable[ReplayedRound]], Iterable[ReplayedRound]]


def review_replay(
    replay: Replay,
    valuer: Valuer,
    *,
    track: Tracker = iter,
    whose: Collection[int | str] = EVERYBODY,
    playouts: bool = True,
) -> Replay:
    """Return the replay with a review of each round.

    Args:
        replay: the rounds.
        valuer: who values.
        track: may follow the rounds as they are reviewed.
        whose: whose decisions are valued: seats, or names of those who sit there.
        playouts: whether there is time for playouts: for ``par`` and ``course``, and of ``why``.

    Raises:
        ShengjiError: nobody of a name sits at any of the rounds, or there is no such seat.
    """
    seats = {replayed.line: seats_of(whose, replay.names_of(replayed)) for replayed in replay.rounds}
    check_whose(whose, [name for replayed in replay.rounds for name in replay.names_of(replayed)])
    reviews = {
        replayed.line: review_round(replay.rules, replayed, valuer, seats=seats[replayed.line], playouts=playouts)
        for replayed in track(replay.rounds)
    }
    return dataclasses.replace(replay, reviews=reviews)


def review_round(
    rules: RuleSet,
    replayed: ReplayedRound,
    valuer: Valuer,
    *,
    seats: Collection[int] = EVERYBODY,
    ask: AskOther | None = None,
    playouts: bool = True,
) -> dict[str, Any]:
    """Return a round's review.

    Args:
        rules: the rules.
        replayed: the round.
        valuer: who values.
        seats: whose decisions are valued.
        ask: says what another player would have done.
        playouts: whether there is time for playouts, as of `review_replay`.
    """
    valued, bid_plies, errors, course = [], [], {}, _Course(rules) if playouts else None
    explain = None if isinstance(valuer, DealValuer) else ReviewReasons(rules, playouts)  # hindsight explains itself
    for choice in choices_of(rules, replayed, ask, substitutes=True):
        if choice.seat in seats and choice.by is None:
            values, errors[choice.ply] = values_of(choice, valuer), valuer.errors(choice).tolist()
            if explain is not None and may_be_charged(values, errors[choice.ply]):
                values = dataclasses.replace(values, why=explain(choice, values.by_value()[0], choice.played))
                if values.why is None:
                    errors[choice.ply] = [math.inf] * choice.number
            valued.append(values)
            bid_plies += [choice.ply] * choice.is_bid
        if course is not None:
            course.go_on(choice)
    losses = losses_of(valued, bid_plies)
    with_costs = charged(valued, losses, errors)
    decisions = [values.first(MAX_OPTIONS).to_json() for values in with_costs]
    costly = sorted((each for each in decisions if each["cost"]), key=lambda each: (-each["cost"], each["ply"]))
    return {
        "by": valuer.name,
        "seats": sorted(seats),
        "decisions": len(valued),
        "summary": summaries(valued, losses, replayed.record["decisions"], seats),
        "par": par_of(rules, replayed) if playouts else None,
        "costly": [each["ply"] for each in costly[:MAX_MARKS]],
        "valued": decisions,
        "course": [] if course is None else course.points(len(replayed.record["decisions"])),
    }


def values_of(choice: Choice, valuer: Valuer) -> DecisionValues:
    """Return what the candidates of a decision are worth."""
    values = valuer.value(choice)
    options = tuple((choice.answer(index), round(float(value), 3)) for index, value in enumerate(values))
    return DecisionValues(choice.seat, options, choice.played, choice.second, choice.ply)


class _Course:
    """How the value of a round goes, from one decision to the next."""

    def __init__(self, rules: RuleSet) -> None:
        self._policies = policies_of(player_with_policy(HEURISTIC), rules)
        self._points: list[list[float]] = []
        self._last = 0.0

    def go_on(self, choice: Choice) -> None:
        """Play on from before a decision, the first candidate being what `heuristic` does, and from after it."""
        both = Plays(*(each[[0, choice.played]] for each in choice.candidates))
        before, after = mean_of_playouts(choice, both, choice.truth.copy(), self._policies).tolist()
        sign = -1.0 if choice.seat % NUM_TEAMS else 1.0
        self._points.append([choice.ply, round(sign * before, 3)])
        self._last = round(sign * after, 3)

    def points(self, end: int) -> list[list[float]]:
        """Return the pairs of ply and value; the last one is the round's result."""
        return [*self._points, [end, self._last]] if self._points else []


def seats_of(whose: Collection[int | str], names: Sequence[str]) -> tuple[int, ...]:
    """Return the seats that are meant by numbers or names."""
    return tuple(seat for seat, name in enumerate(names) if seat in whose or name in whose)


def check_whose(whose: Collection[int | str], names: Iterable[str]) -> None:
    """Refuse numbers that are no seats, and names that nobody has.

    Raises:
        ShengjiError: there is one.
    """
    known = sorted(set(names))
    for each in whose:
        if each not in EVERYBODY and each not in known:
            raise ShengjiError(f"{show(each)} sits nowhere here: name a seat, 0..3, or one of {', '.join(known)}")
