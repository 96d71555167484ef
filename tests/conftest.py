"""Compile engine and players once, before the test processes start; otherwise each process would compile them."""

from collections.abc import Iterator

import pytest

from shengji_env import shengji_v0
from shengji_env.arena import make_player
from shengji_env.cli.compiled_parts import announce_human
from shengji_env.engine import compile as engine_compile
from shengji_env.vector import BatchEnv


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        BatchEnv(1)
        shengji_v0.raw_env()
        for player in ("greedy", "heuristic", "search"):
            make_player(player)
        announce_human()


@pytest.fixture
def no_marks(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is marked as compiled; the code compiled so far stays where it is."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("no_marks")))
    engine_compile.cache_folder.cache_clear()
    yield
    engine_compile.cache_folder.cache_clear()
