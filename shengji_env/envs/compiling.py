"""The announcement of what must be compiled, when environments and players are made."""

import sys
import time
from collections.abc import Callable

from shengji_env.engine.compile import is_compiled, mark_compiled


def announce_compiling(
    kernels: str, call_all: Callable[[], object], *, floor: str = "envs", what: str = "the engine"
) -> None:
    """Compile some kernels unless an earlier process has, and say so on the terminal, since it takes a while.

    Args:
        kernels: a name for the kernels, unique in their floor.
        call_all: calls or compiles all of them.
        floor: the highest floor among them: they are compiled again when its sources, or those below, have changed.
        what: what the message calls them.
    """
    if is_compiled(kernels, floor):
        return
    print(f"shengji_env: compiling {what}, once for this version and machine …", file=sys.stderr, flush=True)
    began = time.perf_counter()
    call_all()
    mark_compiled(kernels, floor)
    print(f"shengji_env: compiled in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
