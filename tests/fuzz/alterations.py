"""Altered valid input, since random bytes alone are refused too early.

A case holds the edits, not their result, so it stays small and shows what was altered.
"""

import copy
import json
from collections.abc import Sequence
from typing import Any, AnyStr, NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from tests.fuzz.values import DTYPES, EDGES, FLOATS, SHAPES, TEXTS, arrays, json_values, make_array, pick

_FAR = 2**24
_place = st.integers(0, _FAR)
"""Taken modulo what there is."""

# ---- bytes and texts


class Splice(NamedTuple):
    """A piece put into a text or bytes."""

    place: int
    piece: Any
    over: int | None
    """How much it replaces, None for its own length; of what is negative, so much is written twice."""


def _splices(pieces: SearchStrategy[Any]) -> SearchStrategy[list[Splice]]:
    over = st.sampled_from([*[None] * 6, 0, 1, 9, _FAR, -64, -_FAR])
    return st.lists(st.builds(Splice, place=_place, piece=pieces, over=over), max_size=3)


byte_edits = _splices(st.binary(max_size=9) | st.sampled_from([b"\xff" * 8, bytes(16), b"[" * 9999]))
text_edits = _splices(
    st.sampled_from([*'(){}[],=:"-?&. \n\t0123456789', *TEXTS, "1" * 40]) | st.text(min_size=1, max_size=4)
)


def splice(whole: AnyStr, edits: Sequence[Splice]) -> AnyStr:
    """A text or bytes with pieces put in."""
    for place, piece, over in edits:
        start = place % (len(whole) + 1)
        end = start + (len(piece) if over is None else over)
        whole = whole[:start] + piece + whole[max(end, 0) :]
    return whole


def altered(texts: SearchStrategy[str]) -> SearchStrategy[str]:
    """Short texts with pieces put in."""
    return st.builds(splice, texts, text_edits)


# ---- documents

leaf_edits: SearchStrategy[list[tuple[str, list[int], Any]]] = st.lists(
    st.tuples(
        st.sampled_from(["set", "set", "add", "drop", "twin", "rename", "take"]),
        st.lists(st.integers(0, 999), min_size=1, max_size=6),
        json_values,
    ),
    max_size=3,
)


def edit_document(document: Any, edits: Sequence[tuple[str, list[int], Any]]) -> Any:
    """A JSON document with some of its nodes set, dropped, doubled, renamed, moved, or counted up; it stays itself."""
    document = json.loads(json.dumps(document))
    for kind, path, value in edits:
        parent, key = _descend(document, path)
        if parent is None:
            document = value
        elif kind == "drop":
            del parent[key]
        elif kind == "twin" and isinstance(parent, list):
            parent.insert(key, parent[key])
        elif kind == "rename" and isinstance(parent, dict):
            parent[str(value)[:20]] = parent.pop(key)
        elif kind == "take":
            other, its_key = _descend(document, path[::-1])
            parent[key] = copy.deepcopy(document if other is None else other[its_key])
        elif kind == "add" and type(parent[key]) is int:
            parent[key] += 1 if path[0] % 2 else -1
        else:
            parent[key] = value
    return document


def edit_line(lines: Sequence[str], which: int, edits: Sequence[tuple[str, list[int], Any]]) -> str:
    """Lines of JSON, one of them edited: the first for 0, else any."""
    made = list(lines)
    place = which % len(made)
    made[place] = json.dumps(edit_document(json.loads(made[place]), edits)) + "\n"
    return "".join(made)


def _descend(document: Any, path: Sequence[int]) -> tuple[Any, Any]:
    """The container and the key to which numbers lead; (None, None) for the document itself."""
    parent: Any = None
    key: Any = None
    node = document
    for number in path:
        if not isinstance(node, dict | list) or not node:
            break
        parent = node
        key = list(node)[number % len(node)] if isinstance(node, dict) else number % len(node)
        node = parent[key]
    return parent, key


# ---- arrays

array_edits: SearchStrategy[list[tuple[str, int, int, Any]]] = st.lists(
    st.tuples(
        st.sampled_from(["byte", "byte", "field", "field", "field", "swap", "dtype", "shape", "whole", "drop", "key"]),
        _place,
        _place,
        pick([*EDGES, *FLOATS]) | st.integers(-5, 130) | arrays,
    ),
    max_size=4,
)


def edit_arrays(named: dict[str, NDArray[Any]], edits: Sequence[tuple[str, int, int, Any]]) -> dict[str, Any]:
    """Arrays by name with bytes, fields, dtypes, shapes, whole arrays or names changed; the originals stay."""
    made: dict[str, Any] = dict(named)
    for kind, which, place, value in edits:
        if not made:
            break
        name = list(made)[which % len(made)]
        if kind == "drop":
            del made[name]
        elif kind == "key":
            made[f"{name}{place % 3}"] = made.pop(name)
        elif isinstance(array := made[name], np.ndarray):
            made[name] = _edited(array, kind, place, value)
    return made


def _edited(array: NDArray[Any], kind: str, place: int, value: Any) -> Any:
    """One array with one change; `value` may itself be an array of any kind."""
    if kind == "whole":
        return value
    if kind == "dtype":
        return make_array(DTYPES[place % len(DTYPES)], array.shape if array.size < 10**5 else (), 1)
    if kind == "shape":
        return np.zeros(SHAPES[place % len(SHAPES)], array.dtype)
    array = array.copy()
    if array.size == 0 or array.dtype.hasobject:
        return array
    if kind == "swap":
        flat = array.reshape(-1)
        flat[[0, place % flat.size]] = flat[[place % flat.size, 0]]
    elif kind == "byte":
        raw = array.reshape(-1).view(np.uint8)
        raw[place % raw.size] = place // 7 % 256
    else:
        _set_field(array, place, value)
    return array


def _set_field(array: NDArray[Any], place: int, value: Any) -> None:
    """Set one number of an array, in a field of a record perhaps, to a value, as far as its dtype holds that."""
    while array.dtype.names:
        names = array.dtype.names
        array, place = array[names[place % len(names)]], place // len(names)
    index = np.unravel_index(place % array.size, array.shape)
    number = value if isinstance(value, int | float) else 77
    try:
        with np.errstate(all="ignore"):
            array[index] = number
    except (TypeError, ValueError, OverflowError):
        array[index] = np.array(255).astype(array.dtype)
