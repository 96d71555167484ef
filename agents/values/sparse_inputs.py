"""Products of the network's inputs with weights, computed from the inputs that are not zero.

Of the rows of suits, trumps and tables, one input in seven to ten is not zero. In float32 on a processor, the sums of
weights that they name take a fraction of the time of a product with all inputs. The gradient of the weights is made of
such sums too, with rows and columns exchanged. Both are torch's sums of embeddings, which use all of its threads.
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


def product(rows: NDArray[np.int8], weight: Tensor) -> Tensor:
    """Return ``rows @ weight``, (N, width) float32; ``rows`` are (N, inputs), ``weight`` is (inputs, width) float32."""
    result: Tensor = _Product.apply(rows, weight)  # type: ignore[no-untyped-call]  # torch types it so
    return result


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: NDArray[np.int8], weight: Tensor) -> Tensor:
        ctx.by_row, ctx.inputs = by_row(rows), len(weight)
        return _sums(ctx.by_row, weight)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor]:
        starts, places, values = ctx.by_row
        return None, _sums(by_column(starts, places, values, ctx.inputs), gradient.contiguous())


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
    """Return the same of each column, from what `by_row` returned."""
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


def compile_lists() -> None:
    """Compile what products need, or load it from the cache."""
    starts, places, values = by_row(np.zeros((1, 1), np.int8))
    by_column(starts, places, values, 1)
