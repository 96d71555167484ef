"""Prefetching: while one table is stepped, the next one's records are already being loaded into the cache.

A thousand tables do not fit into any processor's nearest caches, and a record's lines are read in an order that the
processor cannot predict. Without this, a step of 8,192 tables takes twice the time (research/trials/performance.md).
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compiler import IS_PLAIN, CPUContext, intrinsic, ir, make_array, types
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.tables.observation import OBSERVATION_DTYPE

_LINE = 64
_BYTE, _FLAG, _LONG = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_FOR_READING, _FOR_SOON, _AS_DATA = (ir.Constant(_FLAG, flag) for flag in (0, 3, 1))


def _fetching(*ranges: tuple[int, int]) -> Callable[[NDArray[Any], int], None]:
    """Return a function that lets the processor fetch ranges of bytes of one record of a contiguous array."""
    offsets = [offset for first, end in ranges for offset in (*range(first, end, _LINE), end - 1)]

    @intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
    def fetch(typing_context: Any, records: Any, row: Any) -> Any:
        size = records.dtype.size

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            if not isinstance(context, CPUContext):  # a GPU runs other threads meanwhile
                return context.get_dummy_value()
            pointer = _BYTE.as_pointer()
            kind = ir.FunctionType(ir.VoidType(), [pointer, _FLAG, _FLAG, _FLAG])
            function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
            data = builder.bitcast(make_array(signature.args[0])(context, builder, arguments[0]).data, pointer)
            record = builder.gep(data, [builder.mul(arguments[1], ir.Constant(_LONG, size))])
            for offset in offsets:
                line = builder.gep(record, [ir.Constant(_LONG, offset)])
                builder.call(function, [line, _FOR_READING, _FOR_SOON, _AS_DATA])
            return context.get_dummy_value()

        return types.none(records, types.int64), generate

    return _leave if IS_PLAIN else fetch


def _leave(records: NDArray[Any], row: int) -> None:
    pass


def _offset(record: Any, name: str) -> int:
    return int(record.fields[name][1])


prefetch_state = _fetching(
    (0, _offset(STATE_DTYPE, "components") + _LINE),
    (_offset(STATE_DTYPE, "match_round"), _offset(STATE_DTYPE, "winning_tops")),
)
"""Fetch what most steps need of a state: few read the deal, or more than the first components."""
prefetch_observation = _fetching((0, _offset(OBSERVATION_DTYPE, "rules")))
"""Fetch what steps write of an observation."""
prefetch_mask = _fetching((0, NUM_ACTIONS))
"""Fetch a mask."""
