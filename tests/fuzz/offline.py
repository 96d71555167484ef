"""Records that are read as arrays, and rounds from elsewhere that become records."""

import io
import json
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shengji_env.datasets.recorded import RecordedRounds
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError
from shengji_env.records import GivenRound, RecordReader, as_record
from tests.fuzz.alterations import byte_edits, edit_bytes, edit_document, leaf_edits
from tests.fuzz.files import folder, text_of
from tests.helpers.make_playthroughs import PLAYTHROUGHS
from tests.records.test_importing import given_by

_record = st.sampled_from(sorted(path.name for path in PLAYTHROUGHS.glob("*.jsonl")))
arrays = st.tuples(_record, st.integers(0, 3), leaf_edits, st.just([]) | byte_edits)
given_rounds = st.tuples(_record, leaf_edits)


def read_arrays(case: tuple[str, int, Any, Any]) -> None:
    """Read an altered record as arrays: whatever `RecordReader` accepts is read, and comes to the same actions."""
    name, which, edits, bytes_changed = case
    lines = text_of(name).splitlines(keepends=True)[:4]
    place = 0 if which == 0 else which % len(lines)
    lines[place] = json.dumps(edit_document(json.loads(lines[place]), edits)) + "\n"
    content = edit_bytes("".join(lines).encode(), bytes_changed)
    path = folder() / "record.jsonl"
    path.write_bytes(content)
    actions = _actions(content)
    try:
        found = [samples.action for samples in RecordedRounds(path, keeps_forced=True).samples()]
    except ShengjiError:
        assert actions is None
        raise
    assert actions is None or np.concatenate([*found, []]).tolist() == actions


def _actions(content: bytes) -> list[int] | None:
    """All actions of a record, or None if it is refused."""
    try:
        reader = RecordReader(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8-sig"))
        return [action for replayed in reader for action in replayed.actions]
    except ShengjiError:
        return None


@cache
def _given(name: str) -> tuple[RuleSet, dict[str, Any]]:
    """The first round of a record, as somebody else would give it."""
    reader = RecordReader(io.StringIO(text_of(name)))
    return reader.rules, vars(given_by(next(iter(reader)).record, reader.rules))


def take_round(case: tuple[str, Any]) -> None:
    """Take an altered round from elsewhere."""
    name, edits = case
    rules, fields = _given(name)
    altered = edit_document(json.loads(json.dumps(fields)), edits)
    known = {field: altered[field] for field in fields if isinstance(altered, dict) and field in altered}
    as_record(GivenRound(**{**fields, **known}), rules)


def prepare() -> None:
    """Load what reads."""
    name = sorted(path.name for path in PLAYTHROUGHS.glob("*.jsonl"))[0]
    read_arrays((name, 0, [], []))
    take_round((name, []))
