"""Rows of 16-bit integers: sums and products of fixed length, with the processor's vectors.

Sums of integers do not depend on the order in which they are added. So the same weights give the same numbers on every
processor. As for `engine.rows`, LLVM cannot know that two arrays never overlap, so these functions are written as
vectors; with the JIT off, NumPy does the same. What is too large for its type wraps around, in both.

A table, and a set of sums, is one flat array, int16; row i is its numbers from WIDTH · i on.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core import config as numba_config
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

WIDTH = 64
"""Numbers of a row."""

_SHORT, _INT, _LONG = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_ROW, _PRODUCTS = ir.VectorType(_SHORT, WIDTH), ir.VectorType(_INT, WIDTH)
_ALIGNMENT = 2
_REDUCE = f"llvm.vector.reduce.add.v{WIDTH}i32"


# ---- the instructions of compiled code


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return make_array(kind)(context, builder, array).data


def _row_at(builder: Any, data: Any, row: Any) -> Any:
    start = builder.mul(row, ir.Constant(_LONG, WIDTH))
    return builder.bitcast(builder.gep(data, [start]), _ROW.as_pointer())


def _load(builder: Any, data: Any, row: Any) -> Any:
    return builder.load(_row_at(builder, data, row), align=_ALIGNMENT)


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _sum_rows(typing_context: Any, sums: Any, to: Any, source: Any, table: Any, rows: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        of_sums, _, _, of_table, of_rows, _ = signature.args
        own, weights, chosen = (
            _data(context, builder, kind, value)
            for kind, value in ((of_sums, values[0]), (of_table, values[3]), (of_rows, values[4]))
        )
        total = cgutils.alloca_once_value(builder, _load(builder, own, values[2]))
        with cgutils.for_range(builder, values[5]) as loop:
            row = builder.sext(builder.load(builder.gep(chosen, [loop.index])), _LONG)
            builder.store(builder.add(builder.load(total), _load(builder, weights, row)), total)
        builder.store(builder.load(total), _row_at(builder, own, values[1]), align=_ALIGNMENT)
        return context.get_dummy_value()

    return types.none(sums, types.int64, types.int64, table, rows, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _product(typing_context: Any, sums: Any, row: Any, table: Any, first: Any, second: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        own = _data(context, builder, signature.args[0], values[0])
        weights = _data(context, builder, signature.args[2], values[2])
        hidden, nothing = _load(builder, own, values[1]), ir.Constant(_ROW, None)
        hidden = builder.select(builder.icmp_signed(">", hidden, nothing), hidden, nothing)
        both = builder.add(_load(builder, weights, values[3]), _load(builder, weights, values[4]))
        products = builder.mul(builder.sext(hidden, _PRODUCTS), builder.sext(both, _PRODUCTS))
        reduce = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT, [_PRODUCTS]), _REDUCE)
        return builder.sext(builder.call(reduce, [products]), _LONG)

    return types.int64(sums, types.int64, table, types.int64, types.int64), generate


# ---- the same with the JIT off


def _row_of(table: NDArray[Any], row: int) -> NDArray[Any]:
    return table[row * WIDTH : (row + 1) * WIDTH]


def _plain_sum(sums: NDArray[Any], to: int, source: int, table: NDArray[Any], rows: NDArray[Any], number: int) -> None:
    total = _row_of(sums, source).copy()
    for row in rows[:number].tolist():
        total += _row_of(table, row)
    _row_of(sums, to)[:] = total


def _plain_product(sums: NDArray[Any], row: int, table: NDArray[Any], first: int, second: int) -> int:
    hidden = np.maximum(_row_of(sums, row), 0).astype(np.int32)
    both = (_row_of(table, first) + _row_of(table, second)).astype(np.int32)
    return int((hidden * both).sum(dtype=np.int32))


_PLAIN = numba_config.DISABLE_JIT

sum_rows: Callable[[Any, int, int, Any, Any, int], None] = _plain_sum if _PLAIN else _sum_rows
"""Write a row of `sums`: another one, or itself, plus the first `number` of the rows of a table that are listed."""
product: Callable[[Any, int, Any, int, int], int] = _plain_product if _PLAIN else _product
"""Return the product of a row of sums, where negative ones count 0, with the sum of two rows of a table."""
