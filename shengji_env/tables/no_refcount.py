"""Arrays without their reference counts: compiled code counts references atomically whenever it passes an array on.

Without the counts a step took a quarter less time when that was measured (commit 39cfd61: 1.32 against 0.99 M steps/s),
and making labels of self-play 6 % less (commit d9ce10cb, six runs in turn).
"""

from typing import Any, TypeVar

from shengji_env.engine.compiler import IS_PLAIN, cgutils, intrinsic, make_array, types

Tree = TypeVar("Tree")


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _without_refcount(typing_context: Any, arrays: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _uncounted(context, builder, arrays, arguments[0])

    return arrays(arrays), generate


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        view = make_array(kind)(context, builder, value)
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()
    if isinstance(kind, types.containers.BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        found = [_uncounted(context, builder, each, part) for each, part in zip(kind, parts, strict=True)]
        return context.make_tuple(builder, kind, found)
    return value


def _itself(arrays: Tree) -> Tree:
    return arrays


no_refcount = _itself if IS_PLAIN else _without_refcount
"""The same array, or tuple of arrays, for compiled code to use while its caller keeps the arrays alive."""
