"""Makes the puzzles that come with the package: plays rounds of players here, and takes the first of each rule set.

```bash
python -m research.make_puzzles
```

Positions and values never change: others would make another track, decisions/3.
"""

import gzip
import tempfile
from collections.abc import Iterator
from pathlib import Path

from shengji_env.cli import main as shengji
from shengji_table.puzzles.finding import PuzzleFinder
from shengji_table.puzzles.puzzle import SHIPPED, Puzzle, write_puzzles

FILE = Path(__file__).resolve().parent.parent / "shengji_table" / "puzzles" / SHIPPED
NUMBERS = {"two_deck": 60, "one_deck": 20, "three_deck": 10, "duplicate": 20}
"""Puzzles of each rule set."""
SEED = 58_000
_MOST_DEALS = 1000


def puzzles_of(rules: str, number: int) -> Iterator[Puzzle]:
    """Yield so many puzzles of a rule set."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "rounds.jsonl"
        how = f"--rules {rules} --deals {_MOST_DEALS} --seed {SEED}"
        assert shengji(["arena", "heuristic", "champion?part=playouts", *how.split(), "--record", str(record)]) == 0
        found = 0
        with record.open(encoding="utf-8") as lines:
            for puzzle in PuzzleFinder(lines).find():
                if puzzle is not None:
                    found += 1
                    print(f"{rules}: {found} of {number}", flush=True)
                    yield puzzle
                if found == number:
                    return


def main() -> None:
    """Write the file."""
    puzzles = [puzzle for rules, number in NUMBERS.items() for puzzle in puzzles_of(rules, number)]
    FILE.write_bytes(gzip.compress(write_puzzles(puzzles).encode(), mtime=0))


if __name__ == "__main__":
    main()
