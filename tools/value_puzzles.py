"""Values all candidates of the puzzles that come with the package, with reasons: ``python -m tools.value_puzzles``."""

from collections.abc import Iterable
from pathlib import Path

from shengji_table.puzzles import known
from shengji_table.puzzles.known import Known, key_of, write_known
from shengji_table.puzzles.puzzle import Puzzle, shipped_puzzles
from shengji_table.valuing.reviewed_decisions import choice_at
from shengji_table.web.puzzle_desk import PuzzleDesk

PATH = Path(known.__file__).with_name(known.FILE)


def main() -> None:
    """Write the file."""
    PATH.write_bytes(write_known(valued(shipped_puzzles())))


def valued(puzzles: Iterable[Puzzle]) -> dict[str, list[Known]]:
    """Return each puzzle's candidates and options, valued."""
    return {key_of(puzzle): _valued(puzzle) for puzzle in puzzles}


def _valued(puzzle: Puzzle) -> list[Known]:
    desk = PuzzleDesk([puzzle], known={})
    best = desk.answer(0, puzzle.options[0][0] or "")
    choice = choice_at(puzzle.rule_set, desk.shown(0).tables, best)
    found = [choice.answer(index) for index in range(choice.num_found)]
    answers = dict.fromkeys(known.in_order(text) for text in (*(text for text, _ in puzzle.options), *found))
    return [desk.value(0, text) for text in answers]


if __name__ == "__main__":
    main()
