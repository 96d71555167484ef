"""What all tests share: engine and players, compiled once before the test processes start, and a browser."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from shengji_env.cli.compiled_parts import PARTS
from shengji_env.engine import compile as engine_compile
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet
from shengji_env.support.announcing import get_ready
from tests.helpers.browsing import CHROMIUM

USUAL_RULES = ("two_deck", "one_deck")
"""Under which `make test` asks what has to hold under all rules; the others are left to `make test-thorough`."""
NEEDED_BY_MANY = ("table", "greedy", "heuristic", "human", "search", "batch")


def pytest_configure(config: pytest.Config) -> None:
    """Compile before the test processes start, for all tests everything: later, they would wait for one another."""
    os.environ["LANGUAGE"] = "en"  # some commands speak the locale's language
    if not hasattr(config, "workerinput"):
        if config.args_source is pytest.Config.ArgsSource.TESTPATHS or config.getoption("cases", None):
            get_ready(PARTS.values(), "what the tests need")
        else:
            is_engine = all(Path(argument).is_relative_to("tests/engine") for argument in config.args)
            needed = ("table",) if is_engine else NEEDED_BY_MANY
            get_ready([PARTS[name] for name in needed], "what the tests need")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what opens pages in a browser, and what asks again under other rules, before marks choose among tests."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("web")
        if item.path.parent.name != "engine" and any(map(_are_other_rules, _arguments(item))):
            item.add_marker("thorough")


def _arguments(item: pytest.Item) -> Iterable[Any]:
    return item.callspec.params.values() if hasattr(item, "callspec") else ()


def _are_other_rules(argument: Any) -> bool:
    name = str(argument) if isinstance(argument, str | RuleSet) else ""
    return name.partition("(")[0] in RULE_SETS and name not in USUAL_RULES


@pytest.fixture
def cache_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder for what is compiled: nothing is marked; what this process has loaded stays as it is."""
    folder = tmp_path_factory.mktemp("cache_home")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    engine_compile.cache_folder.cache_clear()
    yield folder
    engine_compile.cache_folder.cache_clear()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; its tests are marked `web`, and skipped where it or Playwright is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: `make web-test`")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
