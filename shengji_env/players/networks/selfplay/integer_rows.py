"""Rows of 16-bit integers: their sums and products, with the processor's vectors.

Sums of integers do not depend on the order in which they are added. So the same weights give the same numbers on every
processor. As for `engine.rows`, LLVM cannot know that two arrays never overlap, so these functions are written as
vectors of LANES numbers; with the JIT off, NumPy does the same. What is too large for its type wraps around, in both.

A table, and a set of sums, is one flat array; row i of a width, a multiple of LANES, is its numbers from width · i on.

| | of int16 | makes |
|---|---|---|
| `sum_rows` | a row of sums, rows of a table | their sum |
| `product` | a row of sums, negative ones as 0, and the sum of two rows of a table | a number |
| `add_products` | a row of sums, as factors; as many rows of a table | another row of sums, plus factors times rows |
| `exchange` | three rows of sums | the first one plus the second, less the third |

Factors are sums, negative ones as 0, with FACTOR_BITS more bits after the point; weights of products have WEIGHT_BITS
more. Of each product the 16 bits stay that sums have; half a bit for each factor that is not 0 is added to what this
cuts off. Rows whose factor is 0, most of them, are not looked at.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compiler import IS_PLAIN, cgutils, intrinsic, ir, make_array, types

LANES = 32
"""Numbers of a vector; widths are multiples of it."""
FACTOR_BITS, WEIGHT_BITS = 2, 14
MOST = 2**13 - 1
"""The largest sum that is multiplied; larger ones count as it."""
_BLOCKS, _FACTOR_BLOCKS = (4 * LANES, LANES), (2 * LANES, LANES)
"""Vectors that a row is handled by: as many long ones as there are, then short ones; factors are bits of 64, too."""
_SHORT, _INT, _LONG = ir.IntType(16), ir.IntType(32), ir.IntType(64)


class _Code:
    """Writes the code of a function, and holds its arguments: numbers, and the addresses of arrays."""

    def __init__(self, context: Any, builder: Any, signature: Any, values: Any) -> None:
        self.builder, self.nothing = builder, context.get_dummy_value()
        self.arguments = [
            make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args, values, strict=True)
        ]

    def row(self, array: Any, row: Any, width: Any) -> Any:
        """Return the address of a row."""
        return self.builder.gep(array, [self.builder.mul(row, width)])

    def parts(self, width: Any, blocks: tuple[int, ...] = _BLOCKS) -> Iterator["_Part"]:
        """Yield what handles a row of a width, vector by vector, inside loops."""
        start = ir.Constant(_LONG, 0)
        for lanes in blocks:
            step = ir.Constant(_LONG, lanes)
            end = self.builder.sub(width, self.builder.urem(width, step))
            with cgutils.for_range_slice(self.builder, start, end, step, intp=_LONG) as (place, _):
                yield _Part(self.builder, place, lanes)
            start = end

    def each(self, number: Any) -> Any:
        """Return a loop over the first numbers of lists."""
        return cgutils.for_range(self.builder, number)

    def next_bit(self, bits: Any) -> Any:
        """Return the lowest of some bits, and take it from them."""
        left, one = self.builder.load(bits), ir.Constant(_LONG, 1)
        self.builder.store(self.builder.and_(left, self.builder.sub(left, one)), bits)
        return self.builder.cttz(left, ir.Constant(ir.IntType(1), 1))

    def number_at(self, array: Any, index: Any) -> Any:
        """Load a number of an array, as int64."""
        return self.builder.sext(self.builder.load(self.builder.gep(array, [index])), _LONG)


class _Part:
    """A part of rows that is handled at once."""

    def __init__(self, builder: Any, place: Any, lanes: int) -> None:
        self._builder, self.place, self.lanes = builder, place, lanes
        self.ints = ir.VectorType(_INT, lanes)

    def _at(self, row: Any) -> tuple[Any, int]:
        kind = row.type.pointee
        vectors = ir.VectorType(kind, self.lanes).as_pointer()
        return self._builder.bitcast(self._builder.gep(row, [self.place]), vectors), kind.width // 8

    def load(self, row: Any) -> Any:
        address, alignment = self._at(row)
        return self._builder.load(address, align=alignment)

    def wide(self, value: Any) -> Any:
        """Return numbers of 16 bits as ones of 32."""
        return self._builder.sext(value, self.ints)

    def constant(self, number: int, kind: Any) -> Any:
        """Return a vector of a type, of one number."""
        return ir.Constant(kind, [number] * self.lanes)

    def store(self, value: Any, row: Any) -> None:
        address, alignment = self._at(row)
        self._builder.store(value, address, align=alignment)

    def variable(self, value: Any) -> Any:
        """Return where a vector is kept that changes in a loop."""
        kept = cgutils.alloca_once(self._builder, value.type)
        self._builder.store(value, kept)
        return kept

    def everywhere(self, number: Any) -> Any:
        """Return a vector of one number, of 16 bits."""
        empty = ir.Constant(ir.VectorType(_SHORT, self.lanes), ir.Undefined)
        first = self._builder.insert_element(empty, self._builder.trunc(number, _SHORT), ir.Constant(_INT, 0))
        return self._builder.shuffle_vector(first, empty, self.constant(0, self.ints))

    def limited(self, value: Any, least: int, most: int | None = None) -> Any:
        """Return a vector whose numbers are cut off."""
        for sign, limit in ((">", least), ("<", most)):
            if limit is not None:
                limits = self.constant(limit, value.type)
                value = self._builder.select(self._builder.icmp_signed(sign, value, limits), value, limits)
        return value

    def factors(self, row: Any) -> tuple[Any, Any, Any]:
        """Return where factors are kept, where those that are not 0 are kept as bits, and how many these are."""
        found = self.limited(self.load(row), 0, MOST)
        kept = self.variable(self._builder.shl(found, self.constant(FACTOR_BITS, found.type)))
        flags = self._builder.icmp_signed(">", found, ir.Constant(found.type, None))
        bits = self._builder.bitcast(flags, ir.IntType(self.lanes))
        bits = bits if bits.type == _LONG else self._builder.zext(bits, _LONG)
        return self._builder.bitcast(kept, _SHORT.as_pointer()), self.variable(bits), self._builder.ctpop(bits)

    def total(self, value: Any) -> Any:
        """Return the sum of a vector's numbers, as int64."""
        kind = ir.FunctionType(_INT, [self.ints])
        name = f"llvm.vector.reduce.add.v{self.lanes}i32"
        return self._builder.sext(
            self._builder.call(cgutils.get_or_insert_function(self._builder.module, kind, name), [value]), _LONG
        )


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _sum_rows(
    typing_context: Any, sums: Any, to: Any, source: Any, table: Any, rows: Any, number: Any, width: Any
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        on = _Code(context, builder, signature, values)
        sums, to, source, table, rows, number, width = on.arguments
        before, after = on.row(sums, source, width), on.row(sums, to, width)
        for part in on.parts(width):
            total = part.variable(part.load(before))
            with on.each(number) as loop:
                row = on.row(table, on.number_at(rows, loop.index), width)
                builder.store(builder.add(builder.load(total), part.load(row)), total)
            part.store(builder.load(total), after)
        return on.nothing

    return types.none(sums, types.int64, types.int64, table, rows, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _product(typing_context: Any, sums: Any, row: Any, table: Any, first: Any, second: Any, width: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        on = _Code(context, builder, signature, values)
        sums, row, table, first, second, width = on.arguments
        hidden, one, other = on.row(sums, row, width), on.row(table, first, width), on.row(table, second, width)
        total = cgutils.alloca_once_value(builder, ir.Constant(_LONG, 0))
        for part in on.parts(width):
            positive = part.wide(part.limited(part.load(hidden), 0))
            both = part.wide(builder.add(part.load(one), part.load(other)))
            made = part.total(builder.mul(positive, both))
            builder.store(builder.add(builder.load(total), made), total)
        return builder.sext(builder.trunc(builder.load(total), _INT), _LONG)

    return types.int64(sums, types.int64, table, types.int64, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _add_products(
    typing_context: Any, sums: Any, to: Any, source: Any, table: Any, first: Any, hidden: Any, row: Any, inputs: Any,
    width: Any,
) -> Any:  # fmt: skip
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        on = _Code(context, builder, signature, values)
        sums, to, source, table, first, hidden, row, inputs, width = on.arguments
        before, after, factors = on.row(sums, source, width), on.row(sums, to, width), on.row(hidden, row, inputs)
        for part in on.parts(width):
            total, found = part.variable(part.load(before)), cgutils.alloca_once_value(builder, ir.Constant(_LONG, 0))
            for block in on.parts(inputs, _FACTOR_BLOCKS):
                kept, bits, number = block.factors(factors)
                builder.store(builder.add(builder.load(found), number), found)
                with on.each(number):
                    place = on.next_bit(bits)
                    other = on.row(table, builder.add(builder.add(first, block.place), place), width)
                    factor = part.everywhere(on.number_at(kept, place))
                    made = builder.mul(part.wide(factor), part.wide(part.load(other)))
                    high = builder.trunc(builder.lshr(made, part.constant(_SHORT.width, made.type)), factor.type)
                    builder.store(builder.add(builder.load(total), high), total)
            half = part.everywhere(builder.lshr(builder.load(found), ir.Constant(_LONG, 1)))
            part.store(builder.add(builder.load(total), half), after)
        return on.nothing

    longs = [types.int64] * 2
    return types.none(sums, *longs, table, types.int64, hidden, *longs, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _exchange(typing_context: Any, sums: Any, to: Any, plus: Any, less: Any, width: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        on = _Code(context, builder, signature, values)
        sums, to, plus, less, width = on.arguments
        row, added, taken = on.row(sums, to, width), on.row(sums, plus, width), on.row(sums, less, width)
        for part in on.parts(width):
            more = builder.add(part.load(row), part.load(added))
            part.store(builder.sub(more, part.load(taken)), row)
        return on.nothing

    return types.none(sums, types.int64, types.int64, types.int64, types.int64), generate


def _row_of(table: NDArray[Any], row: int, width: int) -> NDArray[Any]:
    return table[row * width : (row + 1) * width]


def _rows_of(table: NDArray[Any], rows: NDArray[Any], width: int) -> NDArray[Any]:
    found: NDArray[Any] = table[rows.astype(np.int64)[:, None] * width + np.arange(width)]
    return found


def _sum_rows_plain(
    sums: NDArray[Any], to: int, source: int, table: NDArray[Any], rows: NDArray[Any], number: int, width: int
) -> None:
    total = _rows_of(table, rows[:number], width).sum(axis=0, dtype=np.int16)
    _row_of(sums, to, width)[:] = _row_of(sums, source, width) + total


def _product_plain(sums: NDArray[Any], row: int, table: NDArray[Any], first: int, second: int, width: int) -> int:
    hidden = np.maximum(_row_of(sums, row, width), 0).astype(np.int32)
    both = (_row_of(table, first, width) + _row_of(table, second, width)).astype(np.int32)
    return int((hidden * both).sum(dtype=np.int32))


def _add_products_plain(
    sums: NDArray[Any], to: int, source: int, table: NDArray[Any], first: int, hidden: NDArray[Any], row: int,
    inputs: int, width: int,
) -> None:  # fmt: skip
    rows = table[first * width : (first + inputs) * width].reshape(inputs, width)
    factors = np.clip(_row_of(hidden, row, inputs), 0, MOST) << FACTOR_BITS
    made = (factors[:, None].astype(np.int32) * rows) >> 16
    half = np.count_nonzero(factors) // 2
    _row_of(sums, to, width)[:] = _row_of(sums, source, width) + (made.sum(axis=0) + half).astype(np.int16)


def _exchange_plain(sums: NDArray[Any], to: int, plus: int, less: int, width: int) -> None:
    _row_of(sums, to, width)[:] += _row_of(sums, plus, width) - _row_of(sums, less, width)


sum_rows = _sum_rows_plain if IS_PLAIN else _sum_rows
"""Write a row of `sums`: another one, or itself, plus the first `number` of the rows of a table that are listed."""
product = _product_plain if IS_PLAIN else _product
"""Return the product of a row of sums, where negative ones count 0, with the sum of two rows of a table."""
add_products = _add_products_plain if IS_PLAIN else _add_products
"""Write a row of `sums`: another one, or itself, plus the factors that a row of `hidden`, of the width `inputs`, stands
for times as many rows of a table, from `first` on."""
exchange = _exchange_plain if IS_PLAIN else _exchange
"""Add a row of `sums` to another one, and take a third one from it."""
