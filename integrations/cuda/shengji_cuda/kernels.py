"""The kernels of `CudaBatchEnv`: a warp for each table, whose records are in shared memory while it is stepped.

A warp copies its table's records into shared memory, all lanes together; runs `step_table` of `tables/stepping.py`, the
same rules as on a processor, every lane on the same instruction (`engine/lanes.py`); and copies them back. So memory
is read and written in whole lines, no lane waits for another, and a block, which is one warp, has its records at fixed
addresses.

Source: docs/environments/cuda.md.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import ir
from numba import cuda, types
from numba.core import config as numba_config
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from shengji_cuda.lowering import compiled_by_llvm
from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import caching
from shengji_env.engine.lanes import LONG, NUM_LANES, WORD, Lanes, num_shares, share
from shengji_env.engine.source_digest import digest_of_files
from shengji_env.engine.state import STATE_DTYPE, WORKSPACE_DTYPE
from shengji_env.tables.arrays import PROGRESS_DTYPE, SHARED_DTYPE, STAND_STILL, Arrays
from shengji_env.tables.observation import OBSERVATION_DTYPE
from shengji_env.tables.observing import write_rules
from shengji_env.tables.queries import random_action_at
from shengji_env.tables.raw_arrays import arrays_at
from shengji_env.tables.stepping import BEGIN, step_table

SIMULATED = bool(numba_config.ENABLE_CUDASIM)
WARP = 1 if SIMULATED else NUM_LANES
"""Threads of a block; the simulator runs them one after another, so there a table has one."""
_OPTIONS: dict[str, Any] = {} if SIMULATED else {"lto": False, "max_registers": 64}
"""More registers leave room for fewer warps; with these, few values are kept in memory."""
_BYTES = 8
_SHARED, _STATE, _PROGRESS, _OBSERVATION = (
    dtype.itemsize // _BYTES for dtype in (SHARED_DTYPE, STATE_DTYPE, PROGRESS_DTYPE, OBSERVATION_DTYPE)
)
_WORKSPACE = WORKSPACE_DTYPE.itemsize // 4
"""Sizes of records in shared memory, in words: as arrays of words they are aligned as words."""
_FOLDER = Path(__file__).resolve().parent
_VERSION = digest_of_files(sorted(_FOLDER.glob("*.py")), _FOLDER, None)
"""Names the folder of compiled kernels, since Numba does not notice an edit in `lowering.py`."""


def _kernel(function: Callable[..., None]) -> Any:
    with caching():
        numba_config.CACHE_DIR = os.path.join(numba_config.CACHE_DIR, _VERSION)
        return cuda.jit(function, cache=True, **_OPTIONS)  # as a decorator it would drop `lto`


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def _copy_words(typing_context: Any, to: Any, row: Any, source: Any, source_row: Any) -> Any:
    words = to.dtype.size // _BYTES

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args[::2]
        lane = Lanes(builder).lane()

        def words_of(kind: Any, array: Any, row: Any) -> Any:
            data = builder.bitcast(make_array(kind)(context, builder, array).data, LONG.as_pointer())
            return builder.gep(data, [builder.mul(row, ir.Constant(LONG, words))])

        target, origin = (
            words_of(kind, array, row) for kind, array, row in zip(kinds, arguments[::2], arguments[1::2], strict=True)
        )
        indices = []
        for first in range(0, words, NUM_LANES):
            index, last = builder.add(lane, ir.Constant(WORD, first)), ir.Constant(WORD, words - 1)
            if first + NUM_LANES > words:  # some lanes repeat the last word
                index = builder.select(builder.icmp_unsigned("<", index, last), index, last)
            indices.append(builder.zext(index, LONG))
        values = [builder.load(builder.gep(origin, [index]), align=_BYTES) for index in indices]
        for value, index in zip(values, indices, strict=True):
            builder.store(value, builder.gep(target, [index]), align=_BYTES)
        return context.get_dummy_value()

    return types.none(to, types.int64, source, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def _advanced(typing_context: Any, array: Any, row: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = make_array(array)(context, builder, arguments[0])
        view.data = builder.gep(view.data, [arguments[1]])
        return view._getvalue()

    return array(array, types.int64), generate


def _copy_record(to: Any, row: int, source: Any, source_row: int) -> None:
    to[row] = source[source_row]


copy_record = _copy_record if SIMULATED else _copy_words
"""Copy a record of an array to a row of another, all lanes together; records are whole words of 8 bytes."""
rows_from = (lambda array, row: array[row:]) if SIMULATED else _advanced
"""An array without its first rows, for compiled code, which does not look at its size."""


@_kernel
def begin_kernel(addresses: Any, chosen: Any) -> None:
    """Let the next step begin round 0 at every table."""
    table = cuda.blockIdx.x
    arrays_at(addresses).states[table].round_index = 0
    chosen[table] = BEGIN


@_kernel
def step_kernel(addresses: Any, actions: Any, shown_masks: Any) -> None:
    """Make one action at every table, and go on to each one's next decision; copy its mask."""
    every = arrays_at(addresses)
    table = cuda.blockIdx.x
    shared = cuda.shared.array(_SHARED, types.int64).view(SHARED_DTYPE)
    states = cuda.shared.array(_STATE, types.int64).view(STATE_DTYPE)
    progress = cuda.shared.array(_PROGRESS, types.int64).view(PROGRESS_DTYPE)
    observations = cuda.shared.array(_OBSERVATION, types.int64).view(OBSERVATION_DTYPE)
    works = cuda.shared.array(_WORKSPACE, types.int32).view(WORKSPACE_DTYPE)
    copy_record(shared, 0, every.shared, 0)
    copy_record(states, 0, every.states, table)
    copy_record(progress, 0, every.progress, table)
    cuda.syncthreads()
    own = Arrays(
        states, progress, shared, works, observations, rows_from(every.masks, table), rows_from(every.seats, table),
        rows_from(every.phases, table), rows_from(every.rewards, table), rows_from(every.terminated, table),
        every.logs, every.plays,
    )  # fmt: skip
    step_table(0, own, works[0], actions[table])
    write_rules(shared[0].rules, observations[0])
    cuda.syncthreads()
    copy_record(every.states, table, states, 0)
    copy_record(every.progress, table, progress, 0)
    copy_record(every.observations, table, observations, 0)
    for step in range(num_shares(NUM_ACTIONS)):
        action = share(step, NUM_ACTIONS)
        shown_masks[table, action] = every.masks[table].legal[action]


@_kernel
def choose_kernel(addresses: Any, chosen: Any) -> None:
    """Choose a uniformly random legal action for every table."""
    every = arrays_at(addresses)
    table = cuda.blockIdx.x
    mask, seed = every.masks[table].legal, every.shared[0].seed
    chosen[table] = random_action_at(every.states[table], every.progress[table], seed, mask)


@_kernel
def check_kernel(masks: Any, actions: Any, first: Any) -> None:
    """Lower ``first[0]`` to the first table whose action is illegal."""
    table = cuda.grid(1)
    if table < actions.size:
        action = actions[table]
        if action != STAND_STILL and not (0 <= action < NUM_ACTIONS and masks[table, action]):
            cuda.atomic.min(first, 0, table)


_WORDS, _MASKS = types.int64[::1], types.int8[:, ::1]
SIGNATURES: dict[Any, tuple[Any, ...]] = {
    begin_kernel: (_WORDS, _WORDS),
    step_kernel: (_WORDS, _WORDS, _MASKS),
    choose_kernel: (_WORDS, _WORDS),
    check_kernel: (_MASKS, _WORDS, _WORDS),
}
"""The kernels, and the types of their arguments."""


def load_kernels() -> None:
    """Compile the kernels for the current GPU, or load them from the cache."""
    if SIMULATED:
        return
    with compiled_by_llvm():
        for kernel, types_of_arguments in SIGNATURES.items():
            kernel.compile(types_of_arguments)
