"""Rows: 54 counts, one for each slot, handled all at once; and sets of slots as the bits of one number.

A loop over a row costs as much as everything else in a step: LLVM cannot know that two rows never overlap, and handles
single bytes. As two halves of 32 bytes, which overlap in ten, a row takes a few instructions on any processor with
vectors, and on a GPU (`lanes.py`). With the JIT off, NumPy does the same.

In a set, bit i is slot i; no set has more than 54 bits, so its sign never matters.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.compile import jit
from shengji_env.engine.compiler import IS_PLAIN, TypingError, intrinsic, ir, make_array, types
from shengji_env.engine.lanes import FLAG, LONG, NUM_LANES, WORD, Instructions, instructions
from shengji_env.engine.slots import NUM_SLOTS

Row: TypeAlias = NDArray[Any]
"""Counts by slot, shape (54,) or longer, int8, contiguous."""

ALL_SLOTS = (1 << NUM_SLOTS) - 1
"""The set of all slots."""

_TUPLE = types.BaseTuple  # type: ignore[attr-defined]  # Numba has no types
_HALVES = (0, NUM_SLOTS - NUM_LANES)


# ---- the instructions of compiled code


def _to_bits(on: Instructions, builder: Any, flags: list[Any]) -> Any:
    low, high = (builder.zext(on.word_of(flag), LONG) for flag in flags)
    return builder.or_(low, builder.shl(high, ir.Constant(LONG, _HALVES[1])))


def _to_bytes(on: Instructions, builder: Any, bits: Any) -> list[Any]:
    words = [builder.trunc(builder.lshr(bits, ir.Constant(LONG, index)), WORD) for index in _HALVES]
    return [on.flags_of(word) for word in words]


def _check(kind: Any) -> None:
    if isinstance(kind, _TUPLE):
        for row in kind:
            _check(row)
        return
    is_row = isinstance(kind, types.Array) and (kind.dtype, kind.ndim, kind.layout) == (types.int8, 1, "C")
    if not is_row and not isinstance(kind, types.Integer):
        raise TypingError(f"{kind} is neither a row nor a number")


def _function(result: Any, arguments: tuple[Any, ...], emit: Callable[..., Any]) -> Any:
    """Return the signature and code of a function of numbers, rows and tuples of rows.

    `emit` gets the instructions of what is compiled for, the builder, and a row as the addresses of its halves.
    """
    for kind in arguments:
        _check(kind)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        on = instructions(context, builder)

        def convert(kind: Any, value: Any) -> Any:
            if isinstance(kind, _TUPLE):
                return [convert(row, builder.extract_value(value, index)) for index, row in enumerate(kind)]
            if isinstance(kind, types.Array):
                return on.halves_of(make_array(kind)(context, builder, value).data, _HALVES)
            return value

        answer = emit(on, builder, *map(convert, signature.args, values))
        return context.get_dummy_value() if result is types.none else answer

    taken = (types.int64 if isinstance(kind, types.Integer) else kind for kind in arguments)
    return result(*taken), generate


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _slots_with(typing_context: Any, row: Any, least: Any) -> Any:
    def emit(on: Instructions, builder: Any, row: Any, least: Any) -> Any:
        wanted = on.everywhere(least)
        return _to_bits(on, builder, [builder.icmp_signed(">=", half, wanted) for half in on.load(row)])

    return _function(types.int64, (row, least), emit)


@intrinsic  # type: ignore[untyped-decorator]
def _slots_above(typing_context: Any, row: Any, other: Any) -> Any:
    def emit(on: Instructions, builder: Any, row: Any, other: Any) -> Any:
        pairs = zip(on.load(row), on.load(other), strict=True)
        return _to_bits(on, builder, [builder.icmp_signed(">", half, than) for half, than in pairs])

    return _function(types.int64, (row, other), emit)


@intrinsic  # type: ignore[untyped-decorator]
def _write_slots(typing_context: Any, row: Any, slots: Any) -> Any:
    def emit(on: Instructions, builder: Any, row: Any, slots: Any) -> None:
        on.store(_to_bytes(on, builder, slots), row)

    return _function(types.none, (row, slots), emit)


@intrinsic  # type: ignore[untyped-decorator]
def _fill(typing_context: Any, row: Any, count: Any) -> Any:
    def emit(on: Instructions, builder: Any, row: Any, count: Any) -> None:
        on.store([on.everywhere(count)] * len(_HALVES), row)

    return _function(types.none, (row, count), emit)


@intrinsic  # type: ignore[untyped-decorator]
def _copy(typing_context: Any, row: Any, source: Any) -> Any:
    def emit(on: Instructions, builder: Any, row: Any, source: Any) -> None:
        on.store(on.load(source), row)

    return _function(types.none, (row, source), emit)


@intrinsic  # type: ignore[untyped-decorator]
def _write_rest(typing_context: Any, row: Any, whole: Any, parts: Any) -> Any:
    def emit(on: Instructions, builder: Any, row: Any, whole: Any, parts: Any) -> Any:
        is_row = isinstance(whole, list)
        rest = on.load(whole) if is_row else [on.everywhere(whole)] * len(_HALVES)
        for part in parts:
            rest = [builder.sub(half, less) for half, less in zip(rest, on.load(part), strict=True)]
        on.store(rest, row)
        return _to_bits(on, builder, [builder.icmp_signed(">", half, on.nothing) for half in rest])

    return _function(types.int64, (row, whole, parts), emit)


@intrinsic  # type: ignore[untyped-decorator]
def _num_slots(typing_context: Any, slots: Any) -> Any:
    return _function(types.int64, (slots,), lambda on, builder, slots: builder.ctpop(slots))


@intrinsic  # type: ignore[untyped-decorator]
def _lowest(typing_context: Any, slots: Any) -> Any:
    def emit(on: Instructions, builder: Any, slots: Any) -> Any:
        return builder.cttz(slots, ir.Constant(FLAG, 0))

    return _function(types.int64, (slots,), emit)


@intrinsic  # type: ignore[untyped-decorator]
def _highest(typing_context: Any, slots: Any) -> Any:
    def emit(on: Instructions, builder: Any, slots: Any) -> Any:
        return builder.sub(ir.Constant(LONG, 63), builder.ctlz(slots, ir.Constant(FLAG, 0)))

    return _function(types.int64, (slots,), emit)


# ---- the same with the JIT off


def _packed(flags: NDArray[Any]) -> int:
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _plain_write(row: Row, slots: int) -> None:
    row[:NUM_SLOTS] = [slots >> slot & 1 for slot in range(NUM_SLOTS)]


def _plain_fill(row: Row, count: int) -> None:
    row[:NUM_SLOTS] = count


def _plain_copy(row: Row, source: Row) -> None:
    row[:NUM_SLOTS] = source[:NUM_SLOTS]


def _plain_rest(row: Row, whole: Row | int, parts: tuple[Row, ...]) -> int:
    start = whole if isinstance(whole, int | np.integer) else whole[:NUM_SLOTS]
    row[:NUM_SLOTS] = start - np.sum([part[:NUM_SLOTS] for part in parts], axis=0)
    return _packed(row[:NUM_SLOTS] > 0)


slots_with: Callable[[Row, int], int] = (
    (lambda row, least: _packed(row[:NUM_SLOTS] >= least)) if IS_PLAIN else _slots_with
)
"""The set of slots whose count is at least a number."""
slots_above: Callable[[Row, Row], int] = (
    (lambda row, other: _packed(row[:NUM_SLOTS] > other[:NUM_SLOTS])) if IS_PLAIN else _slots_above
)
"""The set of slots where a row counts more than another."""
write_slots: Callable[[Row, int], None] = _plain_write if IS_PLAIN else _write_slots
"""Set a row to 1 at the slots of a set and to 0 elsewhere."""
fill_row: Callable[[Row, int], None] = _plain_fill if IS_PLAIN else _fill
"""Set every count of a row to a number."""
copy_row: Callable[[Row, Row], None] = _plain_copy if IS_PLAIN else _copy
"""Copy another row into a row."""
write_rest: Callable[[Row, Row | int, tuple[Row, ...]], int] = _plain_rest if IS_PLAIN else _write_rest
"""Write a row, or a number at every slot, minus some other rows; return the slots above zero."""
num_slots: Callable[[int], int] = (lambda slots: int(slots).bit_count()) if IS_PLAIN else _num_slots
"""Number of slots in a set."""
lowest_slot: Callable[[int], int] = (lambda slots: int(slots & -slots).bit_length() - 1) if IS_PLAIN else _lowest
"""Lowest slot of a set that is not empty."""
highest_slot: Callable[[int], int] = (lambda slots: int(slots).bit_length() - 1) if IS_PLAIN else _highest
"""Highest slot of a set that is not empty."""


@jit
def slots_from(slot: int) -> int:
    """Return the set of a slot and all above it, to be intersected with another set."""
    return -1 << int(slot)


@jit
def has_slot(slots: int, slot: int) -> bool:
    """Return whether a set holds a slot."""
    return slots >> int(slot) & 1 != 0


@jit
def first_set(flags: NDArray[Any]) -> int:
    """Return the index of the first flag that is not 0 (in a one-hot vector, the only one); there must be one."""
    index = 0
    while not flags[index]:
        index += 1
    return index


@jit
def count_cards_at(row: Row, slots: int) -> int:
    """Return the number of a row's cards at the slots of a set."""
    cards = num_slots(slots_with(row, 1) & slots)
    for least in range(2, MAX_DECKS + 1):
        cards += num_slots(slots_with(row, least) & slots)
    return cards
