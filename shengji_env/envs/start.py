"""What every environment does when it is made: check its arguments, and announce that the engine must be compiled."""

import sys
import time
from collections.abc import Callable
from typing import TypeVar

from shengji_env.engine.compile import is_compiled, mark_compiled
from shengji_env.errors import ShengjiError

Choice = TypeVar("Choice", bound=str)


def check_choice(name: str, value: Choice, choices: tuple[Choice, ...]) -> Choice:
    """The value itself.

    Raises:
        ShengjiError: it is none of `choices`.
    """
    if value not in choices:
        raise ShengjiError(f"{name}={value!r} is unknown; it is one of {', '.join(choices)}")
    return value


def announce_compiling(kernels: str, call_all: Callable[[], object]) -> None:
    """Compile some kernels by calling them, if no earlier process has, and say so on the terminal: it takes a while."""
    if is_compiled(kernels):
        return
    print("shengji_env: compiling the engine, once for this version and machine …", file=sys.stderr, flush=True)
    began = time.perf_counter()
    call_all()
    mark_compiled(kernels)
    print(f"shengji_env: compiled in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
