"""Arrays that compiled code reads and writes unchecked: how others see them, and how they come back from a pickle.

| function | returns |
|---|---|
| `read_only` | a view to hand out: writing to it raises NumPy's `ValueError` |
| `writable` | an array in the form for which everything is compiled |
| `with_own_arrays` | the attributes of an object that was pickled, with such arrays |
| `Linked` | a class of objects that hold such arrays, and views of them |

A pickle whose buffers travel beside it (protocol 5 with `buffer_callback`, as Ray makes them) comes back with arrays
that are read-only and may begin anywhere in memory.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of a C-contiguous array that cannot be written to, nor be made writable by its flag."""
    words = array.reshape(-1).view(np.uint8).data.toreadonly()
    return np.frombuffer(words, array.dtype).reshape(array.shape)


def writable(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as compiled code takes it: C-contiguous, aligned, writable; a copy if it is not so already.

    Numba would compile a function anew for an array of any other form, and refuses to write to one that is read-only.
    """
    return array if array.flags.carray else array.copy(order="C")


class Linked:
    """An object that can be pickled and copied although some of its attributes are views, which would be copied too.

    Subclasses name these attributes in `_LINKS`, and make them in `_link`: `__init__` calls it, and so does a copy.
    """

    _LINKS: ClassVar[tuple[str, ...]] = ()

    def _link(self) -> None:
        """Make the attributes in `_LINKS` from the others."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without those in `_LINKS`."""
        return {name: value for name, value in self.__dict__.items() if name not in self._LINKS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(with_own_arrays(state))
        self._link()


def with_own_arrays(attributes: dict[str, Any]) -> dict[str, Any]:
    """Return the attributes of an unpickled object, in which arrays, tuples and dictionaries hold writable arrays.

    An array that several attributes hold stays one. Views of other arrays do not: a pickle makes them arrays of their
    own, so objects leave them out and make them again.
    """
    own: dict[int, Any] = {}

    def owned(value: Any) -> Any:
        if id(value) not in own:
            own[id(value)] = _with_parts(value, owned)
        return own[id(value)]

    return {name: owned(value) for name, value in attributes.items()}


def _with_parts(value: Any, owned: Callable[[Any], Any]) -> Any:
    if isinstance(value, np.ndarray):
        return writable(value)
    if isinstance(value, tuple):
        parts = [owned(part) for part in value]
        if any(part is not old for part, old in zip(parts, value, strict=True)):
            return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)
    if type(value) is dict:
        named = {name: owned(part) for name, part in value.items()}
        if any(part is not value[name] for name, part in named.items()):
            return named
    return value
