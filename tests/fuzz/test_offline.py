"""Records that are read as arrays, and rounds from elsewhere that become records."""

import io
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from shengji_env.datasets.recorded import RecordedRounds
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.errors import ShengjiError
from shengji_env.records import GivenRound, RecordReader, as_record
from tests.fuzz.alterations import byte_edits, edit_document, edit_line, leaf_edits, splice
from tests.fuzz.files import folder, lines_of, record_names
from tests.fuzz.target import target
from tests.records.test_importing import given_by


@target(weight=30, name=record_names, which=st.integers(0, 3), edits=leaf_edits, changed=st.just([]) | byte_edits)
def test_record_arrays(name, which, edits, changed):
    """Read an altered record as arrays: whatever `RecordReader` accepts is read, and comes to the same actions."""
    content = splice(edit_line(lines_of(name)[:4], which, edits).encode(), changed)
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
    reader = RecordReader(io.StringIO("".join(lines_of(name))))
    return reader.rules, vars(given_by(next(iter(reader)).record, reader.rules))


@target(weight=30, name=record_names, edits=leaf_edits)
def test_given_rounds(name, edits):
    """Take an altered round from elsewhere."""
    rules, fields = _given(name)
    altered = edit_document(fields, edits)
    known = {field: altered[field] for field in fields if isinstance(altered, dict) and field in altered}
    as_record(GivenRound(**{**fields, **known}), rules)
