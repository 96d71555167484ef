"""Targets that go wrong in every way, for the tests of the harness."""

import os
import time

import numpy as np
from hypothesis import strategies as st

from shengji_env.errors import ShengjiError
from tests.fuzz.target import MEMORY_MIB, Target

_numbers = st.integers(0, 10**6)


def _raise(number: int) -> None:
    if number % 2:
        raise KeyError(number)
    raise ShengjiError("even")


def _fill(number: int) -> None:
    np.ones(2 * MEMORY_MIB * 2**17)


def _ask_for_all(number: int) -> None:
    np.ones(2**50)


def _die(number: int) -> None:
    if number:
        os.abort()


def _stick(number: int) -> None:
    if number:
        time.sleep(60)


TARGETS = (
    Target("well", _numbers, abs),
    Target("raises", _numbers, _raise),
    Target("fills", _numbers, _fill),
    Target("asks-for-all", _numbers, _ask_for_all),
    Target("dies", _numbers, _die),
    Target("sticks", _numbers, _stick, stuck_after=0.5),
)
"""By name: what happens."""
