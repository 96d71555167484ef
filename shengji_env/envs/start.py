"""What every environment does when it is made: check its arguments, and announce that the engine must be compiled."""

import sys
import time
from typing import TypeVar

from shengji_env.engine.compile import is_compiled, mark_compiled
from shengji_env.engine.rules import rule_set
from shengji_env.envs.tables import Tables
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


def announce_compiling() -> None:
    """Compile the engine if no earlier process has, and say so on the terminal: it takes about half a minute."""
    if is_compiled():
        return
    import numpy as np

    print("shengji_env: compiling the engine, once for this version and machine …", file=sys.stderr, flush=True)
    began = time.perf_counter()
    tables = Tables(rule_set(), {"seed": 0}, np.zeros(1, np.int64))
    tables.begin()
    tables.step(np.full(1, int(tables.masks[0].argmax()), np.int64))
    mark_compiled()
    print(f"shengji_env: compiled in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
