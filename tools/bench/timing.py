"""Measuring: cases, their repetitions, and the rows that result.

A case is first made: environments are built, code is compiled and warmed up, tables are spread over the course of a
round. None of this is timed. Then it is measured several times; a row is the median with the lowest and highest. A step
is one agent's decision and nothing else: dealing cards is not a step. So that the unit favours no library, every row of
steps also gives the same speed in rounds and in cards played.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

STEPS = "steps/s"
SAMPLED_ROUNDS = 100

TimedWork = Callable[[], int]
"""Does a short piece of work; returns the number of units done."""


class Group(StrEnum):
    """Groups of rows that may be compared with each other."""

    BATCH = "batch, observation and mask"
    ROLLOUT = "random rounds in one call, rules only"
    PLAYERS = "players in all seats"
    AEC = "AEC loop: last, step"
    ONE_SEAT = "one seat, players in the others"
    PEERS = "peers, observation and mask"
    PEERS_LEGAL = "peers, legal actions only"
    PEERS_ROLLOUT = "peers, random rounds in one call"
    START = "start and memory"


@dataclass(frozen=True)
class Pace:
    """What an average round consists of."""

    steps: float
    """Decisions."""
    cards: float | None
    """Cards played in tricks or combinations; None if a game has no such cards."""


@dataclass(frozen=True)
class Trial:
    """A case that is ready: everything is compiled and built."""

    measure: Callable[[float], tuple[float, ...]]
    """Measures for about the given number of seconds; returns one value for each unit of the case."""
    pace: Pace | None = None
    """Turns steps into rounds and cards."""


@dataclass(frozen=True)
class Case:
    """Something to measure."""

    name: str
    group: Group
    make: Callable[[], Trial]
    """Builds the trial; not timed."""
    units: tuple[str, ...] = (STEPS,)
    needs: tuple[str, ...] = ()
    """Modules without which the case is skipped."""
    threads: int = 1
    note: str = ""
    """What readers need to know to judge the values."""


@dataclass(frozen=True)
class BenchRow:
    """A case's values in one unit."""

    name: str
    group: Group
    unit: str
    threads: int
    note: str
    values: tuple[float, ...]
    """One for each repetition."""
    pace: Pace | None
    cpu_share: float | None
    """Share of the measured time in which the threads had a core; None if other processes did the work."""

    @property
    def median(self) -> float:
        """The value to quote."""
        return statistics.median(self.values)

    @property
    def rounds_per_second(self) -> float | None:
        """The median in rounds per second."""
        return self.median / self.pace.steps if self.pace and self.unit == STEPS else None

    @property
    def cards_per_second(self) -> float | None:
        """The median in cards played per second."""
        rounds = self.rounds_per_second
        return rounds * self.pace.cards if rounds is not None and self.pace and self.pace.cards is not None else None

    def to_json(self) -> dict[str, Any]:
        """Return everything, including the derived values."""
        derived = {name: getattr(self, name) for name in ("median", "rounds_per_second", "cards_per_second")}
        return {**asdict(self), **derived}


def rate(work: TimedWork, seconds: float) -> float:
    """Measure units per second, over whole pieces of work that take `seconds` or a little longer."""
    return rates(lambda: (work(),), seconds)[0]


def rates(work: Callable[[], Sequence[int]], seconds: float) -> tuple[float, ...]:
    """Measure several units per second as `rate` does one; each piece of work returns the number of each."""
    pieces, now = [], 0.0
    began = time.perf_counter()
    while now < seconds:
        pieces.append(work())
        now = time.perf_counter() - began
    return tuple(sum(units) / now for units in zip(*pieces, strict=True))


def trial_of_work(work: TimedWork, pace: Pace | None = None) -> Trial:
    """Measure pieces of work done one after another."""
    return Trial(lambda seconds: (rate(work, seconds),), pace)


def counted(do: Callable[[], object], units: int) -> TimedWork:
    """Return the piece of work that something is, if it always makes the same number of units."""

    def work() -> int:
        do()
        return units

    return work


def trial_of_rounds(
    play_round: Callable[[], Sequence[int]],
    cards: Callable[[Sequence[int]], int] | None,
    sampled_rounds: int = SAMPLED_ROUNDS,
) -> Trial:
    """Measure whole rounds played one after another.

    Args:
        play_round: plays a round from its deal to its end; returns the actions that agents chose.
        cards: counts the cards that those actions play; None if a game has no such cards.
        sampled_rounds: number of rounds, not timed, from which the pace is taken.
    """
    rounds = [play_round() for _ in range(sampled_rounds)]
    played = None if cards is None else statistics.fmean(cards(actions) for actions in rounds)
    pace = Pace(statistics.fmean(len(actions) for actions in rounds), played)
    return trial_of_work(lambda: len(play_round()), pace)


def measure_case(case: Case, repetitions: int, seconds: float) -> list[BenchRow]:
    """Make a case and measure it: one row for each of its units."""
    trial = case.make()
    began, cpu_began = time.perf_counter(), time.process_time()
    by_unit = zip(*(trial.measure(seconds) for _ in range(repetitions)), strict=True)
    measured = [tuple(values) for values in by_unit]
    share = (time.process_time() - cpu_began) / (time.perf_counter() - began) / case.threads
    cpu_share = None if case.group == Group.START else share
    return [
        BenchRow(case.name, case.group, unit, case.threads, case.note, values, trial.pace, cpu_share)
        for unit, values in zip(case.units, measured, strict=True)
    ]
