"""Rows of 16-bit integers: sums and products of fixed length, with the processor's vectors.

Sums of integers do not depend on the order in which they are added. So the same weights give the same numbers on every
processor. As for `engine.rows`, LLVM cannot know that two arrays never overlap, so these functions are written as
vectors; with the JIT off, NumPy does the same. What is too large for its type wraps around, in both.

A table, and a set of sums, is one flat array, int16; row i of a width is its numbers from width · i on.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core import config as numba_config
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

_SHORT, _INT, _LONG = ir.IntType(16), ir.IntType(32), ir.IntType(64)
_ALIGNMENT = 2
_PLAIN = numba_config.DISABLE_JIT


class RowFunctions(NamedTuple):
    """What rows of one width are worked with."""

    sum_rows: Callable[[Any, int, int, Any, Any, int], None]
    """Write a row of `sums`: another one, or itself, plus the first `number` of the rows of a table that are listed."""
    product: Callable[[Any, int, Any, int, int], int]
    """Return the product of a row of sums, where negative ones count 0, with the sum of two rows of a table."""


def make_row_functions(width: int) -> RowFunctions:
    """Make the functions for rows of ``width`` numbers, a power of two."""
    return _make_plain(width) if _PLAIN else _make_compiled(width)


def _make_compiled(width: int) -> RowFunctions:
    row_type, products = ir.VectorType(_SHORT, width), ir.VectorType(_INT, width)
    reduce_name = f"llvm.vector.reduce.add.v{width}i32"

    def data_of(context: Any, builder: Any, kind: Any, array: Any) -> Any:
        return make_array(kind)(context, builder, array).data

    def row_at(builder: Any, data: Any, row: Any) -> Any:
        start = builder.mul(row, ir.Constant(_LONG, width))
        return builder.bitcast(builder.gep(data, [start]), row_type.as_pointer())

    def load(builder: Any, data: Any, row: Any) -> Any:
        return builder.load(row_at(builder, data, row), align=_ALIGNMENT)

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def sum_rows(typing_context: Any, sums: Any, to: Any, source: Any, table: Any, rows: Any, number: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            of_sums, _, _, of_table, of_rows, _ = signature.args
            own, weights, chosen = (
                data_of(context, builder, kind, value)
                for kind, value in ((of_sums, values[0]), (of_table, values[3]), (of_rows, values[4]))
            )
            total = cgutils.alloca_once_value(builder, load(builder, own, values[2]))
            with cgutils.for_range(builder, values[5]) as loop:
                row = builder.sext(builder.load(builder.gep(chosen, [loop.index])), _LONG)
                builder.store(builder.add(builder.load(total), load(builder, weights, row)), total)
            builder.store(builder.load(total), row_at(builder, own, values[1]), align=_ALIGNMENT)
            return context.get_dummy_value()

        return types.none(sums, types.int64, types.int64, table, rows, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def product(typing_context: Any, sums: Any, row: Any, table: Any, first: Any, second: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            own = data_of(context, builder, signature.args[0], values[0])
            weights = data_of(context, builder, signature.args[2], values[2])
            hidden, nothing = load(builder, own, values[1]), ir.Constant(row_type, None)
            hidden = builder.select(builder.icmp_signed(">", hidden, nothing), hidden, nothing)
            both = builder.add(load(builder, weights, values[3]), load(builder, weights, values[4]))
            result = builder.mul(builder.sext(hidden, products), builder.sext(both, products))
            reduce = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_INT, [products]), reduce_name)
            return builder.sext(builder.call(reduce, [result]), _LONG)

        return types.int64(sums, types.int64, table, types.int64, types.int64), generate

    return RowFunctions(sum_rows, product)


def _make_plain(width: int) -> RowFunctions:
    """Make the same with the JIT off."""

    def row_of(table: NDArray[Any], row: int) -> NDArray[Any]:
        return table[row * width : (row + 1) * width]

    def sum_rows(
        sums: NDArray[Any], to: int, source: int, table: NDArray[Any], rows: NDArray[Any], number: int
    ) -> None:
        total = row_of(sums, source).copy()
        for row in rows[:number].tolist():
            total += row_of(table, row)
        row_of(sums, to)[:] = total

    def product(sums: NDArray[Any], row: int, table: NDArray[Any], first: int, second: int) -> int:
        hidden = np.maximum(row_of(sums, row), 0).astype(np.int32)
        both = (row_of(table, first) + row_of(table, second)).astype(np.int32)
        return int((hidden * both).sum(dtype=np.int32))

    return RowFunctions(sum_rows, product)
