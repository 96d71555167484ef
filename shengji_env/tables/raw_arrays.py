"""Arrays passed to compiled code as one array of numbers: passing a dozen arrays takes longer than a step.

`addresses_of` lists the addresses and shapes of the arrays of a named tuple; the function that `reading` returns makes
the same arrays from this list, inside compiled code. Both go through all fields, whatever they are.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compiler import IS_PLAIN, intrinsic, make_array, populate_array, typeof, types
from shengji_env.tables.arrays import new_arrays


def addresses_of(arrays: Any) -> NDArray[np.int64]:
    """Return each array's address and shape; valid while the arrays live.

    Args:
        arrays: a named tuple of C-contiguous arrays, and of such tuples.
    """
    return np.array([*_words_of(arrays)], np.int64)


def _words_of(arrays: Any) -> Iterator[int]:
    if isinstance(arrays, np.ndarray):
        yield from (arrays.ctypes.data, *arrays.shape)
    else:
        yield from itertools.chain.from_iterable(map(_words_of, arrays))


def reading(example: Callable[[], Any]) -> Callable[[Any], Any]:
    """Return the function for compiled code that makes arrays from what `addresses_of` returned.

    These arrays count no references. The function also takes the address of the list. With the JIT off, it returns its
    argument: the arrays themselves.

    Args:
        example: makes a named tuple of arrays of the same types and dimensions; called when something is compiled.
    """

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def read(typing_context: Any, addresses: Any) -> Any:
        kinds = typeof(example())

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if isinstance(addresses, types.Integer):
                words = builder.inttoptr(arguments[0], context.get_value_type(types.intp).as_pointer())
            else:
                words = make_array(addresses)(context, builder, arguments[0]).data
            indices = itertools.count()

            def next_word() -> Any:
                return builder.load(builder.gep(words, [context.get_constant(types.intp, next(indices))]))

            return _parts_at(context, builder, kinds, next_word)

        return kinds(addresses), generate

    return _as_it_is if IS_PLAIN else read


def _as_it_is(arrays: Any) -> Any:
    return arrays


def _parts_at(context: Any, builder: Any, kinds: Any, next_word: Callable[[], Any]) -> Any:
    """Return a tuple of the arrays in the next words, and of such tuples."""
    parts = [
        _array_at(context, builder, kind, next_word)
        if isinstance(kind, types.Array)
        else _parts_at(context, builder, kind, next_word)
        for kind in kinds
    ]
    return context.make_tuple(builder, kinds, parts)


def _array_at(context: Any, builder: Any, kind: Any, next_word: Callable[[], Any]) -> Any:
    """Return an array at the address in the next word; the words after it are its shape."""
    array = make_array(kind)(context, builder)
    data = builder.inttoptr(next_word(), context.get_data_type(kind.dtype).as_pointer())
    shape = [next_word() for _ in range(kind.ndim)]
    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [itemsize]
    for size in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
    return array._getvalue()


arrays_at = reading(lambda: new_arrays(1, threads=1, history=0, keeps_logs=True))
"""Make the `Arrays` of tables, inside compiled code."""
