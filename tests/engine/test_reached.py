"""What compiled code was made from: it is made again when any of that changes, in whatever file it is."""

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core import config as numba_config

from shengji_env.engine.compiler import compiled

pytestmark = pytest.mark.skipif(bool(numba_config.DISABLE_JIT), reason="nothing is compiled")

FILES = {
    "deepest": """
from shengji_env.engine.compile import jit
NUMBER = 1
@jit
def function(number):
    return number + NUMBER
""",
    "below": """
from enum import Enum, IntEnum
from math import floor
from typing import NamedTuple
import numba, numpy as np
from numba.extending import overload
import deepest
from deepest import function
from shengji_env.engine.compile import jit
from shengji_env.tables.raw_arrays import addresses_of, reading

WEIGHTS, NUMBERS, RECORD = np.array([1.0, 2.0]), (1, np.int8(2)), np.dtype([("a", np.int8), ("b", np.int16)])
class Kind(IntEnum):
    LOW = 1
class Mark(Enum):
    LOW = 1
class Memory(NamedTuple):
    first: np.ndarray
    second: np.ndarray
memory_at = reading(lambda: Memory(np.zeros(1), np.zeros(1)))
memory = Memory(np.ones(1), np.zeros(1))
words = addresses_of(memory)
class Refused(ValueError): ...
@jit
def weighing(number):
    return WEIGHTS[1] * number
@numba.njit
def recursive(number, more=1):
    if number < 0:
        raise Refused("negative")
    return recursive(number - 1, more) + more if number > 0 else 1
def closing(more):
    @jit
    def closure(number):
        return function(number) + more
    return closure
closed = closing(1)
def plain(number): ...
@overload(plain)
def _(number):
    return lambda number: number + 1
""",
    "top": """
import below
from below import *
from shengji_env.engine import rows
from shengji_env.engine.compile import jit
@jit
def answer(x, words):
    return EXPRESSION
@jit
def other(x, words):
    return EXPRESSION
""",
}


@pytest.fixture
def write(tmp_path: Path, cache_home: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write the files, with something replaced in one, and import them as a new process does."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write_files(name: str, before: str, after: str, expression: str) -> Any:
        for each, text in {**FILES, name: FILES[name].replace(before, after)}.items():
            (tmp_path / f"{each}.py").write_text(text.replace("EXPRESSION", expression), encoding="utf-8")
            sys.modules.pop(each, None)
        importlib.invalidate_caches()
        return importlib.import_module("top")

    yield write_files
    for each in FILES:
        sys.modules.pop(each, None)


def call(top: Any, words: str = "words") -> tuple[float, int]:
    """Return the answer, and how many functions were compiled for it."""
    before = len(compiled)
    return float(top.answer(3, getattr(top, words))), len(compiled) - before


@pytest.mark.parametrize(
    ("expression", "name", "before", "after"),
    [
        ("function(x)", "deepest", "number + NUMBER", "number - NUMBER"),
        ("below.deepest.function(x)", "deepest", "NUMBER = 1", "NUMBER = 2"),
        ("sum([function(each) for each in range(x)])", "deepest", "number + NUMBER", "number - NUMBER"),
        ("closed(x)", "below", "closing(1)", "closing(2)"),
        ("closed(x)", "deepest", "NUMBER = 1", "NUMBER = 2"),
        ("recursive(x)", "below", "if number > 0 else 1", "if number > 0 else 2"),
        ("recursive(x)", "below", "more=1", "more=2"),
        ("WEIGHTS[1]", "below", "[1.0, 2.0]", "[1.0, 2.5]"),
        ("below.NUMBERS[1] + rows.lowest_slot(8)", "below", "np.int8(2)", "np.int8(3)"),
        ("np.zeros(1, RECORD).itemsize", "below", "np.int16", "np.int32"),
        (
            "x + Kind.LOW + floor(1.5)",
            "below",
            "class Kind(IntEnum):\n    LOW = 1",
            "class Kind(IntEnum):\n    LOW = 2",
        ),
        ("Mark.LOW.value", "below", "(Enum):\n    LOW = 1", "(Enum):\n    LOW = 2"),
        ("memory_at(words).first[0]", "below", "first: np.ndarray\n    second:", "second: np.ndarray\n    first:"),
    ],
)
def test_what_changes_is_compiled_again(write: Any, expression: str, name: str, before: str, after: str) -> None:
    assert before in FILES[name]
    old, made = call(write(name, before, before, expression))
    assert made == 1
    assert call(write(name, before, before, expression)) == (old, 0)
    new, made = call(write(name, before, after, expression))
    assert (new != old, made) == (True, 1)
    assert call(write(name, before, after, expression)) == (new, 0)
    assert call(write(name, before, before, expression)) == (old, 0)


def test_what_nobody_can_know_is_not_kept(write: Any) -> None:
    for more in 1, 2:
        top = write("below", "lambda number: number + 1", f"lambda number: number + {more}", "plain(x)")
        assert call(top) == (3 + more, 1)


def test_where_a_type_has_another_name_it_is_compiled_for_that(write: Any) -> None:
    for name in "Memory", "Memories", "Memories":
        made = call(write("below", "Memory", name, "words.first[0]"), "memory")
    assert made == (1, 0)


@pytest.mark.parametrize("change", ["below.WEIGHTS[1] = 7", "below.WEIGHTS = np.array([1.0, 7.0])"])
def test_what_changes_while_a_process_runs_is_not_kept(write: Any, change: str) -> None:
    """The function below has taken in the old value, and so has what is compiled after the change."""
    top = write("below", "", "", "below.weighing(x)")
    top.answer(3, top.words)
    exec(change, vars(top))
    assert top.other(3, top.words) == 6
    assert write("below", "2.0", "7.0", "below.weighing(x)").other(3, top.words) == 21
