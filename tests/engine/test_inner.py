"""Inner functions: called by compiled code only, and a part of the kernels that are called from Python."""

import time

import numba
import pytest
from numba.core import config as numba_config

from shengji_env.engine.compile import jit

pytestmark = pytest.mark.skipif(bool(numba_config.DISABLE_JIT), reason="nothing is compiled")


@jit
def lowest(number: int) -> int:
    if number == 3:
        raise ValueError("three is refused", number)
    if number == 4:
        print("four", number)
    return 60 // (number - 5)


@jit
def middle(number: int) -> int:
    return lowest(number) + 1


@jit
def upper(number: int) -> int:
    return middle(number) + lowest(number + 1)


def test_only_what_python_calls_becomes_a_kernel():
    assert upper(7) == 60 // 2 + 1 + 60 // 3
    assert len(upper.signatures) == 1
    assert lowest.signatures == []  # no test calls it


def test_a_function_can_be_called_by_both():
    assert middle(8) == 60 // 3 + 1
    assert upper(8) == 60 // 3 + 1 + 60 // 4


def test_errors_of_inner_functions_are_raised():
    with pytest.raises(ValueError, match="three is refused"):
        upper(3)
    with pytest.raises(ZeroDivisionError):
        upper(5)


def test_inner_functions_can_print(capfd):
    with pytest.raises(ZeroDivisionError):
        upper(4)
    assert capfd.readouterr().out == "four 4\n"


def test_an_unknown_numba_compiles_every_function_by_itself(monkeypatch):
    monkeypatch.setattr(numba, "__version__", "99.1.0")
    below, new = jit(lowest.py_func), time.time_ns()  # a value that no earlier run has had: nothing is loaded
    above = jit(lambda number: below(number) + 1 + new - new)
    assert above(7) == middle(7)
    assert len(below.signatures) == 1
