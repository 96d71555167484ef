"""Compile engine and players once, before the test processes start; otherwise each process would compile them."""

import pytest

from shengji_env import shengji_v0
from shengji_env.arena import make_player
from shengji_env.cli.parts import announce_human
from shengji_env.vector import ShengjiVectorEnv


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        ShengjiVectorEnv(1)
        shengji_v0.raw_env()
        for player in ("greedy", "heuristic", "search"):
            make_player(player)
        announce_human()
