"""What is known of the puzzles that come with the package: values and reasons of all candidates, made beforehand.

`shengji_table/puzzles/known_2.jsonl.gz` has a line for each puzzle, made by `tools/value_puzzles.py`.
"""

import gzip
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib import resources
from typing import NamedTuple

from shengji_env.render.decision_values import ValuedAnswer
from shengji_table.puzzles.puzzle import Puzzle

FILE = "known_2.jsonl.gz"
_KEY_SIZE = 12


class Known(NamedTuple):
    """An answer that was valued."""

    option: ValuedAnswer
    """The answer as records write it, and what it is worth in levels."""
    why: Mapping[str, str] | None
    """Why the best play is better, by language, with ``{A}`` for it and ``{B}`` for this one, if a reason shows."""


def key_of(puzzle: Puzzle) -> str:
    """Return what tells a puzzle from all others."""
    text = json.dumps([puzzle.rules, puzzle.start["deal"], puzzle.actions])
    return sha256(text.encode()).hexdigest()[:_KEY_SIZE]


def in_order(answer: str | None) -> str:
    """Return an answer whose cards stand in one order; no text for a pass."""
    return " ".join(sorted((answer or "").split()))


def known_answers() -> dict[str, dict[str, Known]]:
    """Return what is known, by puzzle (`key_of`) and answer (`in_order`)."""
    packed = (resources.files("shengji_table.puzzles") / FILE).read_bytes()
    lines = map(json.loads, gzip.decompress(packed).decode().splitlines())
    return {
        line["key"]: {in_order(text): Known((text, value), why) for text, value, why in line["known"]} for line in lines
    }


def write_known(known: Mapping[str, Sequence[Known]]) -> bytes:
    """Return the content of the file, given the answers of each puzzle by `key_of`."""
    lines = ({"key": key, "known": [(*each.option, each.why) for each in some]} for key, some in known.items())
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    return gzip.compress(text.encode(), mtime=0)
