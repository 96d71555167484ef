"""What environments and players do when they are made: announce what must be compiled."""

import sys
import time
from collections.abc import Callable

from shengji_env.engine.compile import is_compiled, mark_compiled


def announce_compiling(
    kernels: str, call_all: Callable[[], object], *, floor: str = "envs", what: str = "the engine"
) -> None:
    """Compile some kernels by calling them, if no earlier process has, and say so on the terminal: it takes a while.

    Args:
        kernels: what they are called; a floor's names are different.
        call_all: calls or compiles all of them.
        floor: the floor of the highest: they are compiled again once its sources, or those below, have changed.
        what: how people call them.
    """
    if is_compiled(kernels, floor):
        return
    print(f"shengji_env: compiling {what}, once for this version and machine …", file=sys.stderr, flush=True)
    began = time.perf_counter()
    call_all()
    mark_compiled(kernels, floor)
    print(f"shengji_env: compiled in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
