"""What the candidates of a decision are worth, as pictures and pages show it: the best first, the play marked.

An answer is written as in records: cards, a trump, ``rebel``, or None for a pass. Whoever makes the values decides what
they mean; reviews (`shengji_table.review`) give them in levels of the seat's team.

Source: docs/pictures.md.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.errors import ShengjiError, show
from shengji_env.support.arguments import is_number

MAX_OPTIONS = 100
"""Most candidates of a decision."""

ValuedAnswer = tuple[str | None, float]
"""An answer and what it is worth."""


@dataclass(frozen=True)
class DecisionValues:
    """A decision's candidates and what they are worth.

    Raises:
        ShengjiError: there is no such seat or candidate, there are no candidates, or a value is no number.
    """

    seat: int
    """The seat that decides."""
    options: tuple[ValuedAnswer, ...]
    """The candidates, each with its value."""
    played: int | None = None
    """Which of them was played, by its place in `options`; None: it is not known."""
    second: int | None = None
    """Which of them another player would have played; None: nobody was asked."""
    ply: int = 0
    """How many of the round's decisions come before it."""
    cost: float = 0.0
    """What the play has cost; 0 if it is charged with nothing."""
    error: float = 0.0
    """The standard error of the cost; 0 if there is no cost, or it is not an estimate."""
    why: Mapping[str, str] | None = None
    """Why the best candidate is better than what was played, by language (``en``, ``zh``), with ``{A}`` for the one and
    ``{B}`` for the other; None: nothing is said."""

    def __post_init__(self) -> None:
        if self.seat not in range(NUM_SEATS):
            raise ShengjiError(f"seat={show(self.seat)} is no seat; seats are 0..{NUM_SEATS - 1}")
        if not 1 <= len(self.options) <= MAX_OPTIONS:
            raise ShengjiError(f"{len(self.options)} options; a decision has 1 to {MAX_OPTIONS}")
        for option in self.options:
            _check_option(option)
        for name, index in {"played": self.played, "second": self.second}.items():
            if index is not None and index not in range(len(self.options)):
                raise ShengjiError(f"{name}={show(index)} is none of the {len(self.options)} options, counted from 0")

    def by_value(self) -> list[int]:
        """Return the places of the candidates, the best first; equal ones stay in order."""
        return sorted(range(len(self.options)), key=lambda index: -self.options[index][1])

    def first(self, number: int) -> "DecisionValues":
        """Return the best candidates in order, as many as asked for, and after them those that were chosen."""
        order = self.by_value()
        chosen = {index for index in (self.played, self.second) if index is not None}
        kept = [*order[:number], *(index for index in order[number:] if index in chosen)]
        options = tuple(self.options[index] for index in kept)
        played, second = (None if index is None else kept.index(index) for index in (self.played, self.second))
        return replace(self, options=options, played=played, second=second)

    def to_json(self) -> dict[str, Any]:
        """Return JSON values: the fields; ``second``, ``error`` and ``why`` only if there is one."""
        fields = {"ply": self.ply, "seat": self.seat, "cost": self.cost, "played": self.played}
        second = {} if self.second is None else {"second": self.second}
        error = {"error": self.error} if self.error else {}
        why = {"why": dict(self.why)} if self.why and self.cost else {}
        return {**fields, **second, **error, **why, "options": [list(option) for option in self.options]}

    @staticmethod
    def of(given: Mapping[str, Any]) -> "DecisionValues":
        """Return the values that `to_json` has written, such as those of a review."""
        options = tuple((answer, value) for answer, value in given["options"])
        names = ("seat", "played", "second", "ply", "cost", "error", "why")
        return DecisionValues(options=options, **{name: given[name] for name in names if name in given})


def _check_option(option: Any) -> None:
    if not isinstance(option, tuple) or len(option) != 2:
        raise ShengjiError(f"option {show(option)} is not an answer and its value")
    answer, value = option
    if not (answer is None or isinstance(answer, str)):
        raise ShengjiError(f"answer {show(answer)} must be a text as in records, or None for a pass")
    if not is_number(value) or not math.isfinite(value):
        raise ShengjiError(f"value {show(value)} of {show(answer)} must be a finite number")
