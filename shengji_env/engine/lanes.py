"""How a row's halves (`rows.py`) are handled: as vectors by one thread, or as bytes by the 32 threads of a GPU's warp.

On a GPU a warp steps one table. Its threads, the **lanes**, run the same code on the same memory and always agree on
every branch; only in the functions that use this module does each lane handle bytes of its own. So the rules are
written once: what is a loop over vectors on a processor is one instruction of a warp.

| | a half of a row | a set of slots from 32 flags |
|---|---|---|
| a processor | a vector of 32 bytes | the vector's bits |
| a GPU | a byte in each of 32 lanes | the lanes' votes |

Loops over other things than slots share their indices among the lanes: `num_shares`, `share`.

Source: docs/environments/cuda.md.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from shengji_env.engine.compiler import IS_PLAIN, CPUContext, cgutils, intrinsic, ir, types

NUM_LANES = 32
BYTE, FLAG, WORD, LONG = ir.IntType(8), ir.IntType(1), ir.IntType(NUM_LANES), ir.IntType(64)
_VECTOR = ir.VectorType(BYTE, NUM_LANES)
_ALL = ir.Constant(WORD, -1)
_BALLOT = ir.Constant(WORD, 3)


class Vectors:
    """Instructions of a processor."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self._builder = builder
        self.nothing = ir.Constant(_VECTOR, None)
        """A half of zeros."""

    def halves_of(self, row: Any, indices: tuple[int, ...]) -> list[Any]:
        """Return the addresses of the halves that begin at some indices of a row."""
        builder = self._builder
        halves = [builder.gep(row, [ir.Constant(LONG, index)]) for index in indices]
        return [builder.bitcast(half, _VECTOR.as_pointer()) for half in halves]

    def load(self, halves: list[Any]) -> list[Any]:
        """Load halves."""
        return [self._builder.load(half, align=1) for half in halves]

    def store(self, values: list[Any], halves: list[Any]) -> None:
        """Store halves."""
        for value, half in zip(values, halves, strict=True):
            self._builder.store(value, half, align=1)

    def everywhere(self, number: Any) -> Any:
        """Return a half that holds one number 32 times."""
        empty = ir.Constant(_VECTOR, ir.Undefined)
        first = self._builder.insert_element(empty, self._builder.trunc(number, BYTE), ir.Constant(WORD, 0))
        return self._builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(WORD, NUM_LANES), [0] * NUM_LANES))

    def word_of(self, flags: Any) -> Any:
        """Return the flags of a half as the bits of a word."""
        return self._builder.bitcast(flags, WORD)

    def flags_of(self, word: Any) -> Any:
        """Return a half of zeros and ones, the bits of a word."""
        return self._builder.zext(self._builder.bitcast(word, ir.VectorType(FLAG, NUM_LANES)), _VECTOR)


class Lanes:
    """The instructions of `Vectors` for a GPU."""

    def __init__(self, builder: ir.IRBuilder) -> None:
        self._builder = builder
        self.nothing = ir.Constant(BYTE, 0)
        """A half of zeros."""

    def _call(self, name: str, result: ir.Type, *arguments: Any) -> Any:
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        function = cgutils.get_or_insert_function(self._builder.module, kind, f"llvm.nvvm.{name}")
        return self._builder.call(function, arguments)

    def lane(self) -> Any:
        """Return the number of the lane, 0..31."""
        return self._call("read.ptx.sreg.laneid", WORD)

    def halves_of(self, row: Any, indices: tuple[int, ...]) -> list[Any]:
        """Return the addresses of the lane's bytes of the halves that begin at some indices of a row."""
        own = self._builder.gep(row, [self._builder.zext(self.lane(), LONG)])
        return [self._builder.gep(own, [ir.Constant(LONG, index)]) for index in indices]

    def load(self, halves: list[Any]) -> list[Any]:
        """Load halves."""
        return [self._builder.load(half) for half in halves]

    def store(self, values: list[Any], halves: list[Any]) -> None:
        """Store halves, and let all lanes see them."""
        for value, half in zip(values, halves, strict=True):
            self._builder.store(value, half)
        self._call("bar.warp.sync", ir.VoidType(), _ALL)

    def everywhere(self, number: Any) -> Any:
        """Return a half that holds one number 32 times."""
        return self._builder.trunc(number, BYTE)

    def word_of(self, flags: Any) -> Any:
        """Return the flags of a half as the bits of a word."""
        vote = self._call("vote.sync", ir.LiteralStructType([WORD, FLAG]), _ALL, _BALLOT, flags)
        return self._builder.extract_value(vote, 0)

    def flags_of(self, word: Any) -> Any:
        """Return a half of zeros and ones, the bits of a word."""
        own = self._builder.lshr(word, self.lane())
        return self._builder.trunc(self._builder.and_(own, ir.Constant(WORD, 1)), BYTE)


Instructions: TypeAlias = Vectors | Lanes


def instructions(context: Any, builder: ir.IRBuilder) -> Instructions:
    """Return the instructions of what is compiled for."""
    return Vectors(builder) if isinstance(context, CPUContext) else Lanes(builder)


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _num_shares(typing_context: Any, size: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        size = arguments[0]
        if isinstance(context, CPUContext):
            return size
        return builder.lshr(builder.add(size, ir.Constant(LONG, NUM_LANES - 1)), ir.Constant(LONG, 5))

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _share(typing_context: Any, step: Any, size: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        step, size = arguments
        if isinstance(context, CPUContext):
            return step
        step, size = (builder.trunc(number, WORD) for number in (step, size))
        index = builder.or_(builder.shl(step, ir.Constant(WORD, 5)), Lanes(builder).lane())
        last = builder.sub(size, ir.Constant(WORD, 1))
        return builder.zext(builder.select(builder.icmp_unsigned("<", index, last), index, last), LONG)

    return types.int64(types.int64, types.int64), generate


num_shares: Callable[[int], int] = (lambda size: size) if IS_PLAIN else _num_shares
"""How many steps a loop over `size` indices, 1 or more, takes: as many, or on a GPU one for each 32 of them."""
share: Callable[[int, int], int] = (lambda step, size: step) if IS_PLAIN else _share
"""The index below `size` that a lane handles in a step. Some lanes repeat the last one, so that all take every step."""
