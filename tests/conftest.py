"""What all tests share: engine and players, compiled once before the test processes start, and a browser."""

from collections.abc import Iterator
from typing import Any

import pytest

from shengji_env import shengji_v0
from shengji_env.arena import make_player
from shengji_env.cli.compiled_parts import announce_human
from shengji_env.engine import compile as engine_compile
from shengji_env.vector import BatchEnv
from tests.helpers.browsing import CHROMIUM


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; its tests are marked with `needs_chromium`."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as library:
        browser = library.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
