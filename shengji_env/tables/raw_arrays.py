"""One table's arrays, passed to compiled code as one array of numbers: passing a dozen arrays takes longer than a step.

`addresses_of` lists the addresses and sizes of the arrays; `arrays_at` makes the same arrays from this list, inside
compiled code. Both go through the fields of `Arrays`, whatever they are.
"""

import itertools
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from shengji_env.tables.arrays import Arrays, new_arrays


def addresses_of(arrays: Arrays) -> NDArray[np.int64]:
    """Return each array's address and its shape without the axis of tables; valid while the arrays live."""
    return np.array([*itertools.chain(*((array.ctypes.data, *array.shape[1:]) for array in arrays))], np.int64)


_KINDS = numba.typeof(new_arrays(1, threads=1, history=0, keeps_logs=True))


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def arrays_at(typing_context: Any, addresses: Any) -> Any:
    """Return the arrays of one table, inside compiled code, from what `addresses_of` returned."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = make_array(addresses)(context, builder, arguments[0]).data
        indices = itertools.count()

        def next_word() -> Any:
            return builder.load(builder.gep(words, [context.get_constant(types.intp, next(indices))]))

        made = [_array_at(context, builder, kind, next_word) for kind in _KINDS]
        return context.make_tuple(builder, _KINDS, made)

    return _KINDS(addresses), generate


def _array_at(context: Any, builder: Any, kind: Any, next_word: Any) -> Any:
    """Return an array of one row at the address in the next word; the words after it are the rest of its shape."""
    array = make_array(kind)(context, builder)
    data = builder.inttoptr(next_word(), context.get_data_type(kind.dtype).as_pointer())
    shape = [context.get_constant(types.intp, 1), *(next_word() for _ in range(kind.ndim - 1))]
    itemsize = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [itemsize]
    for size in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
    return array._getvalue()
