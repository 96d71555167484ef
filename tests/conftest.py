"""Compile the engine once, before the test processes start: each would compile it for itself otherwise."""

import pytest

from shengji_env.envs.start import announce_compiling


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        announce_compiling()
