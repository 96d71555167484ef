"""Arrays without their reference counts: compiled code counts references atomically whenever it passes an array on.

Without the counts a step took a quarter less time when that was measured (commit 39cfd61: 1.32 against 0.99 M steps/s).
"""

from collections.abc import Callable
from typing import Any

from numba.core import cgutils
from numba.core import config as numba_config
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _without_refcount(typing_context: Any, array: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(array)(context, builder, arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate


def _itself(array: NDArray[Any]) -> NDArray[Any]:
    return array


no_refcount: Callable[[NDArray[Any]], NDArray[Any]] = _itself if numba_config.DISABLE_JIT else _without_refcount
"""The same array, for compiled code to use while its caller keeps the array alive."""
