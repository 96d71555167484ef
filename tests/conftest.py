"""Compile the engine once, before the test processes start: each would compile it for itself otherwise."""

import pytest

from shengji_env import shengji_v0
from shengji_env.vector import ShengjiVectorEnv


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        ShengjiVectorEnv(1)
        shengji_v0.raw_env()
