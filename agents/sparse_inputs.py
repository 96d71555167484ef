"""Sums of listed rows of weights: of networks that read rows, and of inputs that are mostly zero.

Of the rows of suits, trumps and tables, one input in seven to ten is not zero. In float32 on a processor, the sums of
weights that they name take a fraction of the time of a product with all inputs. The gradient of the weights is made of
such sums too, with rows and columns exchanged. Both are torch's sums of embeddings, which use all of its threads; the
lists are made by compiled code.
"""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from shengji_env.engine.compile import jit

Parts = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]
"""What is not zero, line by line: where each line begins and the last one ends, (lines + 1,); its place in the line;
its value."""

_WORD = 8
"""Inputs that are compared with zero at once."""
_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


def product(rows: NDArray[np.int8], weight: Tensor) -> Tensor:
    """Return ``rows @ weight``, (N, width) float32; ``rows`` are (N, inputs), ``weight`` is (inputs, width) float32."""
    return sums(by_row(rows), weight)


def sums(parts: Parts, weight: Tensor) -> Tensor:
    """Return a sum of rows of a weight, (rows, width) float32, for each line: (lines, width)."""
    result: Tensor = _Sums.apply(parts, weight)  # type: ignore[no-untyped-call]  # torch types it so
    return result


def parts_of(numbers: NDArray[Any], places: NDArray[Any]) -> Parts:
    """Return the parts of lines with so many places each, (lines,); all count once."""
    starts = np.concatenate([[0], np.cumsum(numbers)])
    return starts.astype(np.int32), places.astype(np.int32), np.ones(len(places), np.float32)


class _Sums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, parts: Parts, weight: Tensor) -> Tensor:
        ctx.parts, ctx.rows = parts, len(weight)
        return _sums(parts, weight)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor]:
        starts, places, values = ctx.parts
        return None, _sums(by_column(starts, places, values, ctx.rows), gradient.contiguous())


def _sums(parts: Parts, weight: Tensor) -> Tensor:
    starts, places, values = map(torch.from_numpy, parts)
    return functional.embedding_bag(
        places, weight, starts, mode="sum", per_sample_weights=values, include_last_offset=True
    )


@jit
def by_row(rows: NDArray[np.int8]) -> Parts:
    """Return what is not zero of each row, in order; `rows` are contiguous."""
    flat, found = rows.reshape(-1), _not_zero(rows.reshape(-1))
    starts = np.full(len(rows) + 1, len(found), np.int32)
    places, values = np.empty(len(found), np.int32), np.empty(len(found), np.float32)
    row, begin = 0, 0
    starts[0] = 0
    for index in range(len(found)):
        while found[index] >= begin + rows.shape[1]:
            row, begin = row + 1, begin + rows.shape[1]
            starts[row] = index
        places[index], values[index] = found[index] - begin, flat[found[index]]
    return starts, places, values


@jit
def _not_zero(values: NDArray[np.int8]) -> NDArray[np.int32]:
    """Return where values are not zero; most words of eight are skipped as a whole."""
    places, number = np.empty(values.size + 1, np.int32), 0
    words = values[: values.size // _WORD * _WORD].view(np.int64)
    for word in range(words.size):
        if words[word]:
            for place in range(_WORD * word, _WORD * word + _WORD):
                places[number] = place
                number += values[place] != 0
    for place in range(_WORD * words.size, values.size):
        places[number] = place
        number += values[place] != 0
    return places[:number]


@jit
def by_column(starts: NDArray[np.int32], places: NDArray[np.int32], values: NDArray[np.float32], columns: int) -> Parts:
    """Return what is not zero of each column, in order of the rows, from what `by_row` returned."""
    ends = np.zeros(columns + 1, np.int32)
    for place in places:
        ends[place + 1] += 1
    for column in range(columns):
        ends[column + 1] += ends[column]
    firsts, rows, sorted_values = ends.copy(), np.empty_like(places), np.empty_like(values)
    for row in range(len(starts) - 1):
        for index in range(starts[row], starts[row + 1]):
            column = places[index]
            rows[ends[column]], sorted_values[ends[column]] = row, values[index]
            ends[column] += 1
    return firsts, rows, sorted_values


def distinct_rows(rows: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each distinct row of (N, M) stands first, (R,) in order, and which of these each row is, (N,)."""
    blank = -rows.shape[1] % _WORD
    filled = np.pad(rows, ((0, 0), (0, blank))) if blank else np.ascontiguousarray(rows)
    return _distinct(filled.view(np.uint64))


@jit
def _distinct(rows: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the two arrays of `distinct_rows` for rows of words, by a table of hashes twice as large."""
    size = 2
    while size < 2 * len(rows):
        size *= 2
    table, firsts, of = np.full(size, -1), np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    number, mask = 0, np.uint64(size - 1)
    for row in range(len(rows)):
        key = np.uint64(0)
        for word in rows[row]:
            key = (key ^ word) * _FACTOR
            key ^= key >> _HALF
        key &= mask
        while table[key] >= 0 and not _are_equal(rows[firsts[table[key]]], rows[row]):
            key = (key + np.uint64(1)) & mask
        if table[key] < 0:
            table[key], firsts[number] = number, row
            number += 1
        of[row] = table[key]
    return firsts[:number], of


@jit
def _are_equal(words: NDArray[np.uint64], others: NDArray[np.uint64]) -> bool:
    differing = np.uint64(0)
    for index in range(words.size):
        differing |= words[index] ^ others[index]
    return bool(differing == 0)


def compile_lists() -> None:
    """Compile what sums and critics need, or load it from the cache."""
    starts, places, values = by_row(np.zeros((1, 1), np.int8))
    by_column(starts, places, values, 1)
    distinct_rows(np.zeros((1, 1), np.int8))
