"""A puzzle, and files of puzzles: JSON lines, ``shengji-puzzles/1``, plain or compressed by gzip.

The first line is ``{"format": "shengji-puzzles/1"}``; each other line is a puzzle with the fields of `Puzzle`. The
cards of all seats are in it: whoever shows a puzzle shows what its seat knows.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from shengji_env.engine.rule_sets import RuleSet, parse_rules
from shengji_env.errors import RecordError, ShengjiError, show
from shengji_env.render.decision_values import ValuedAnswer
from shengji_env.support.text_files import lines_of, open_text, parse_json

AS_GOOD = 0.02
"""Levels; an answer that loses no more than this counts as solved."""
SHIPPED = "puzzles_2.jsonl.gz"
FORMAT = "shengji-puzzles/1"
THEMES = ("penalty", "trick", "last", "declarer", "trumps", "winners", "pairs", "later", "many")
"""What explains most of the difference (`shengji_table.reasons`)."""
LEVELS = (1, 2, 3)
"""How hard: how many of `greedy`, `heuristic` and the champion's network for playouts miss the best play."""

BEGINNING = ("round", "levels", "declarer", "first_drawer", "redeals", "deal", "trump")
"""Fields of a round's record that say how it began; ``trump`` with fixed bidding alone."""


@dataclass(frozen=True)
class Puzzle:
    """A decision."""

    rules: str
    """The rule set, as text."""
    start: Mapping[str, Any]
    """How the round began: the fields BEGINNING of its record."""
    actions: Sequence[int]
    """The actions made before the decision."""
    seat: int
    """Who decides."""
    options: Sequence[ValuedAnswer]
    """Plays as records write them, and what they are worth in levels of the seat's team; the best first."""
    obvious: str | None
    """The play that looks best, and is not."""
    theme: str
    """One of THEMES."""
    level: int
    """One of LEVELS."""
    why: Mapping[str, str]
    """Why the best play is better than the obvious one, by language, with ``{A}`` for the best one and ``{B}``."""

    @property
    def rule_set(self) -> RuleSet:
        """The rules."""
        return parse_rules(self.rules)

    def loss(self, value: float) -> float:
        """Return the levels that an answer of a value loses against the best option; below 0 if it is better still."""
        return self.options[0][1] - value

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return asdict(self)


def shipped_puzzles() -> list[Puzzle]:
    """Return the puzzles that come with the package, which never change: the track decisions/2."""
    with resources.as_file(resources.files("shengji_table.puzzles") / SHIPPED) as path:
        return read_puzzles(path)


def write_puzzles(puzzles: Iterable[Puzzle]) -> str:
    """Return the text of a file."""
    lines = [{"format": FORMAT}, *(puzzle.to_json() for puzzle in puzzles)]
    return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)


def read_puzzles(path: Path) -> list[Puzzle]:
    """Read a file of puzzles.

    Raises:
        RecordError: it is no such file, or a line is no puzzle.
    """
    with open_text(path, RecordError) as file:
        lines = [parse_json(line, RecordError) for line in lines_of(file, RecordError)]
    if not lines or lines[0] != {"format": FORMAT}:
        raise RecordError(f"{path} is no file of puzzles: its first line must be {json.dumps({'format': FORMAT})}")
    return [_puzzle(line, f"{path}: line {number}") for number, line in enumerate(lines[1:], start=2)]


def _puzzle(line: Any, where: str) -> Puzzle:
    try:
        puzzle = Puzzle(**{**line, "options": tuple((answer, float(value)) for answer, value in line["options"])})
        _ = puzzle.rule_set
    except (TypeError, KeyError, ValueError, ShengjiError) as error:
        raise RecordError(f"{where} is no puzzle: {show(str(error))}") from error
    if puzzle.theme not in THEMES or puzzle.level not in LEVELS or len(puzzle.options) < 2:
        raise RecordError(f"{where}: theme, level or options are none that a puzzle may have")
    return puzzle
