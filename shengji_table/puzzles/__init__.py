"""Puzzles: decisions with one best play, which the play that looks best is not.

| where | what |
|---|---|
| `puzzle.py` | a puzzle, and its file |
| `finding.py` | finds puzzles in recorded rounds |
| `known.py` | values and reasons of the shipped puzzles' candidates |
| `solving.py` | what answers to a puzzle are worth |
| `track.py` | the track ``decisions`` |

Source: docs/puzzles.md.
"""

from shengji_table.puzzles.puzzle import Puzzle, read_puzzles

__all__ = ["Puzzle", "read_puzzles"]
