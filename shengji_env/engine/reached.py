"""What compiled code was made from: a digest of a function and of all that its names stand for.

Numba takes in the functions that a function calls and the values of its globals, and keeps the result for as long as
the function's own file stays as it is. Here it is kept under a digest of all of them, whatever file they are from:

| what a name stands for | what is digested |
|---|---|
| a function: compiled, or called while others are | its code and options, and what its own names stand for |
| a module | what the function's names stand for in it |
| a number, text, array, tuple, record type, … | its kind and value |
| a class: an enumeration, a named tuple, an error | members; fields; its name |
| anything of a layer, NumPy or Numba | its name: the cache's folder is named after their versions |

Of anything else, such as what has an `overload`, nobody can say what is taken in, and the code is not kept.
"""

import dis
import functools
import hashlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic
from numba.core.registry import cpu_target

from shengji_env.engine.source_digest import code_digest, codes_in, layer_of

_LIBRARIES = ("builtins", "numpy", "numba", "llvmlite")


class _UnknownError(Exception):
    """Nobody can say what is taken in."""


def digest_of_reached(kernel: Any) -> str | None:
    """Return the digest of a compiled function; None: its code cannot be kept.

    It cannot if a name has come to stand for something else in this process either: what was compiled before has taken
    in the old value.
    """
    cpu_target.typing_context.refresh()
    reached, digest = [kernel], hashlib.sha256()
    try:
        for function in reached:  # it grows
            parts = [*_inside(function)]
            if _first.setdefault(function, parts) != parts:
                return None
            for part in parts:
                if not isinstance(part, str) and part not in reached:
                    reached.append(part)
                digest.update(f"{part if isinstance(part, str) else reached.index(part)}\n".encode())
    except _UnknownError:
        return None
    return digest.hexdigest()


_first: dict[Any, list[Any]] = {}
"""The parts of functions when they were first looked at."""


def _inside(function: Any) -> Iterator[Any]:
    """Yield the parts of a function: texts, and the functions that it reaches."""
    if isinstance(function, Dispatcher):
        yield from _parts((function.targetoptions, function.locals, function.py_func))
    elif isinstance(function, _Intrinsic):
        yield from _parts(function._defn)
    else:
        yield code_digest(function.__code__)
        yield from _parts((function.__defaults__, function.__kwdefaults__))
        for name, value in _named(function):
            yield name
            yield from _parts(value)


def _named(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield what a function's names stand for outside it, also in modules; of a layer's function, in its closure."""
    code, cells = function.__code__, function.__closure__ or ()
    names = {name for each in codes_in(code) for name in each.co_names}
    scopes = [{name: _content(cell) for name, cell in zip(code.co_freevars, cells, strict=True)}]
    if not _is_covered(function.__module__):
        scopes.append(_among(_globals_of(code), function.__globals__))
    modules = []
    for scope in scopes:  # it grows
        for name, value in sorted(scope.items()):
            if not isinstance(value, ModuleType) or _is_covered(value.__name__):
                yield name, value
            elif hasattr(value, "__getattr__"):
                raise _UnknownError
            elif value not in modules:
                modules.append(value)
                scopes.append(_among(names, vars(value)))


def _globals_of(code: CodeType) -> set[str]:
    """Return the names of globals that code loads, and code inside it."""
    instructions = [each for inner in codes_in(code) for each in dis.get_instructions(inner)]
    if any(each.opname == "IMPORT_NAME" for each in instructions):
        raise _UnknownError
    return {each.argval for each in instructions if each.opname == "LOAD_GLOBAL"}


def _among(names: set[str], scope: Mapping[str, Any]) -> dict[str, Any]:
    return {name: scope[name] for name in names & scope.keys()}


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        raise _UnknownError from None


@functools.singledispatch
def _parts(value: Any) -> Iterator[Any]:
    """Yield the parts of what a name stands for: texts and functions."""
    yield _covered_name(value)


def _covered_name(value: Any) -> str:
    """Return the name of what is of a layer or library, and not made by a function of theirs."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "<")
    if not _is_covered(module) or "<" in name:
        raise _UnknownError
    return f"{module}.{name}"


def _is_covered(module: str | None) -> bool:
    """Return whether the name of the cache's folder says which version of a module this is."""
    return module is not None and (module.partition(".")[0] in _LIBRARIES or layer_of(module) is not None)


def _shown(value: Any) -> Iterator[str]:
    yield f"{type(value).__qualname__} {value!r}"


for _kind in (bool, int, float, complex, str, bytes, NoneType, np.dtype, types.Number, types.Boolean):
    _parts.register(_kind, _shown)


@_parts.register(np.ndarray)
@_parts.register(np.generic)
def _(value: Any) -> Iterator[str]:
    array = np.asarray(value)
    if array.dtype.hasobject:
        raise _UnknownError
    yield f"{type(value)} {array.dtype!r} {array.shape} {array.strides} {hashlib.sha256(array.tobytes()).hexdigest()}"


@_parts.register(tuple)
@_parts.register(list)
def _(value: Iterable[Any]) -> Iterator[Any]:
    values = [*value]
    yield f"{type(value).__qualname__} {getattr(value, '_fields', ())} {len(values)}"
    for each in values:
        yield from _parts(each)


@_parts.register
def _(value: dict) -> Iterator[Any]:  # type: ignore[type-arg]
    return _parts([*value.items()])


@_parts.register
def _(value: Enum) -> Iterator[Any]:
    return _parts((type(value).__qualname__, value.name, value.value))


@_parts.register
def _(value: type) -> Iterator[Any]:
    fields = getattr(value, "_fields", None)
    if issubclass(value, Enum):
        yield from _parts((value.__qualname__, [(name, each.value) for name, each in value.__members__.items()]))
    elif issubclass(value, tuple) and fields is not None:
        yield from _parts((value.__qualname__, fields, getattr(value, "_field_defaults", None)))
    elif issubclass(value, BaseException):
        yield f"{value.__module__}.{value.__qualname__}"
    else:
        yield _covered_name(value)


@_parts.register
def _(value: ModuleType) -> Iterator[str]:
    if not _is_covered(value.__name__):
        raise _UnknownError
    yield value.__name__


@_parts.register
def _(value: BuiltinFunctionType) -> Iterator[str]:
    module = value.__module__
    if module not in sys.stdlib_module_names and not _is_covered(module):
        raise _UnknownError
    yield f"{module}.{value.__qualname__}"


@_parts.register(Dispatcher)
@_parts.register(_Intrinsic)
def _(value: Any) -> Iterator[Any]:
    yield value


@_parts.register
def _(value: FunctionType) -> Iterator[Any]:
    if _is_covered(value.__module__) and "<" not in value.__qualname__:
        yield f"{value.__module__}.{value.__qualname__}"
    elif cpu_target.typing_context._lookup_global(value) is not None:
        raise _UnknownError
    else:
        yield value
