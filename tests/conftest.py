"""What all tests share: engine and players, compiled once before the test processes start, and a browser."""

from collections.abc import Iterator
from typing import Any

import pytest

from shengji_env.cli.compiled_parts import PARTS
from shengji_env.engine import compile as engine_compile
from shengji_env.support.announcing import get_ready
from tests.helpers.browsing import CHROMIUM

NEEDED_BY_MANY = ("table", "greedy", "heuristic", "human", "search", "batch")


def pytest_configure(config: pytest.Config) -> None:
    """Compile before the test processes start, for all tests everything: later, they would wait for one another."""
    if not hasattr(config, "workerinput"):
        if config.args_source is pytest.Config.ArgsSource.TESTPATHS or config.getoption("cases", None):
            get_ready(PARTS, "what the tests need")
        else:
            get_ready({name: PARTS[name] for name in NEEDED_BY_MANY}, "what the tests need")


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
