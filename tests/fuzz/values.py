"""Hostile values: of every type, dtype and shape, and at every limit."""

import decimal
import fractions
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import CARD_TEXTS, NUM_CARDS

EDGES = (
    *(-1, 0, 1, 2, 3, 4, 5, 52, 53, 54, 55, 82, 83, 127, 128, 255, 256),
    *(sign * 2**bits + more for bits in (15, 31, 32, 63, 64) for more in (-1, 0, 1) for sign in (1, -1)),
    10**30,
    10**5000,
)
"""Whole numbers at which something ends."""
FLOATS = (0.0, -0.0, 0.5, 1.0, 1.5, 54.9, 2.0**63, 1e308, math.nan, math.inf, -math.inf)
TEXTS = (
    *("", " ", "0", "1", "-1", "54", "3.0", "nan", "yes", "true", "None", "\0", "\n", "a\0b", "\ud800", "²", "٣"),
    *("two_deck", "one_deck(kitty=10)", "random", "player_0", "round", "any", "S2", "NT", "human", "🂡", "../x"),
    *("9" * 5000, "x" * 3000),
)
DTYPES = (
    *("int8", "uint8", "int16", "int32", "int64", "uint64", "float16", "float32", "float64", "complex64", "bool"),
    *("O", "U3", "S3", "M8[s]", "m8[s]", "V4", "i4,f4", ">i8", "longdouble"),
)
SHAPES = ((), (0,), (1,), (2,), (4,), (NUM_CARDS,), (NUM_ACTIONS,), (1, 1), (2, 0), (1, 2, 3))
OBJECTS = (
    *(None, True, False, ..., NotImplemented, object, len, 1j, b"", b"two_deck", bytearray(b"1"), range(3), slice(1)),
    *((), [], {}, set(), frozenset({1}), [0], [None], [[0]], [[1], [2, 3]], (1, 2), {"a": 1}, {0: "2"}, {None: None}),
    *(decimal.Decimal("1"), decimal.Decimal("nan"), fractions.Fraction(1, 2), memoryview(b"12"), np, np.int8),
    *(np.bool_(True), np.int8(-1), np.uint8(3), np.int64(3), np.uint64(2**64 - 1), np.float32(1), np.float64("nan")),
    *(np.str_("two_deck"), np.bytes_(b"x"), np.datetime64("NaT"), np.timedelta64(3), np.complex64(1), np.ma.masked),
)

_BAD = (3, 6)
"""Of ten, those at which `sometimes` goes wrong: not at the ends, which Hypothesis prefers."""


def make_array(dtype: str, shape: tuple[int, ...], fill: Any) -> NDArray[Any]:
    """An array full of a value, or of zeros where its dtype cannot hold it."""
    array = np.zeros(shape, dtype)
    try:
        with np.errstate(all="ignore"):
            array[...] = fill
    except (TypeError, ValueError, OverflowError):
        pass
    return array


def pick(pool: Sequence[Any]) -> SearchStrategy[Any]:
    """One of some values, which need neither a hash nor a text, as `st.sampled_from` would ask of them."""
    return st.integers(0, len(pool) - 1).map(lambda place: pool[place])


whole = pick(EDGES) | st.integers(-10, 100)
arrays: SearchStrategy[NDArray[Any]] = st.builds(
    make_array, st.sampled_from(DTYPES), st.sampled_from(SHAPES), whole | pick([*FLOATS, "1", None])
)
scalars = whole | pick(FLOATS) | pick(TEXTS) | pick(OBJECTS) | st.text(max_size=8)
flat = scalars | arrays
anything: SearchStrategy[Any] = st.one_of(
    flat, st.lists(flat, max_size=5), st.dictionaries(st.sampled_from(TEXTS) | st.integers(-1, 5), flat, max_size=3)
)
"""Any value that Python code can hand in."""
json_values: SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | pick(EDGES[:-1])
    | st.integers(-10, 100)
    | st.sampled_from(FLOATS)
    | st.sampled_from(TEXTS)
    | st.sampled_from(CARD_TEXTS)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
"""Any value that a JSON or TOML file can hold."""


def sometimes(good: SearchStrategy[Any], bad: SearchStrategy[Any] = anything) -> SearchStrategy[Any]:
    """Mostly what is right, so that what is beside it is reached."""
    return st.integers(0, 9).flatmap(lambda die: bad if die in _BAD else good)


@st.composite
def arguments(draw: st.DrawFn, **named: SearchStrategy[Any]) -> dict[str, Any]:
    """Some keyword arguments, all of them right but for one, every other time."""
    made = {name: draw(good) for name, good in named.items() if draw(st.booleans())}
    if draw(st.booleans()):
        made[draw(st.sampled_from(list(named)))] = draw(anything)
    return made
