"""Targets that go wrong in every way, for the tests of the harness."""

import os
import time

import numpy as np
from hypothesis import strategies as st

from shengji_env.errors import ShengjiError
from tests.fuzz.target import ROOM_MIB, target

_numbers = st.integers(0, 10**6)


@target(weight=60, number=_numbers)
def test_well(number):
    abs(number)


@target(number=_numbers)
def test_refuses(number):
    raise ShengjiError("always")


@target(number=_numbers)
def test_raises(number):
    if number > 1000:
        raise KeyError(number)


@target(number=_numbers)
def test_fills(number):
    np.zeros(2 * ROOM_MIB * 2**20, np.int8)


@target(number=_numbers)
def test_dies(number):
    if number > 1000:
        os.abort()


@target(stuck_after=0.5, number=_numbers)
def test_sticks(number):
    if number > 1000:
        time.sleep(60)
