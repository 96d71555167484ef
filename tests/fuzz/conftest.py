"""How pytest runs targets: their numbers of cases, and the report of a process that has died."""

import argparse
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

from tests.fuzz.target import NOTES

CASES = 12
"""Of each target, the same ones each time, unless ``--cases`` asks for more."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Read how many cases there are."""
    parser.addoption("--cases", type=at_least_one, metavar="N", help="cases of all targets together")


def at_least_one(text: str) -> int:
    """Read how many cases there are: none would find nothing, and pass."""
    if (cases := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{cases} is less than 1")
    return cases


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Share out the cases among the targets that were chosen, by weight."""
    tests = [item.function for item in items if hasattr(getattr(item, "function", None), "target")]
    cases, weights = config.getoption("cases", None), sum(test.target.weight for test in tests)
    for test in tests:
        settings(
            max_examples=-(-cases * test.target.weight // weights) if cases else CASES,
            derandomize=not cases, deadline=None, print_blob=True, suppress_health_check=list(HealthCheck),
        )(test)  # fmt: skip


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Function) -> Generator[None, object, object]:
    """Run a target as a target."""
    if not hasattr(item.function, "target"):
        return (yield)
    with item.function.target.running():
        return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, report: pytest.TestReport) -> None:
    """Add to the report of a process that has died what it tried."""
    note = NOTES / crashitem.rpartition("::")[2]
    if note.exists():
        report.sections.append((f"tried last ({note})", note.read_text(encoding="utf-8", errors="replace")))
