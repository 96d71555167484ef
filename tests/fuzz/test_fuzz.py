"""Fuzzing notices faults, and reports them with their inputs (`tests/fuzz/faulty.py`)."""

import argparse
import os
import subprocess
import sys

import pytest

from tests.fuzz.conftest import at_least_one
from tests.helpers.paths import ROOT

_COMMAND = (
    *(sys.executable, "-m", "pytest", "tests/fuzz/faulty.py", "-n", "1", "--confcutdir", "tests/fuzz"),
    *("-p", "no:cacheprovider", "--cases", "1100", "--hypothesis-seed", "0", "--hypothesis-show-statistics"),
)


@pytest.mark.thorough
def test_faults_are_reported_with_their_inputs(tmp_path):
    environment = os.environ | {"HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path)}
    ended = subprocess.run(_COMMAND, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 1
    _assert_says(ended.stdout, "5 failed, 1 passed")
    _assert_says(ended.stdout, "test_well:", "- 600 passing, 0 failing", "100.00%, taken")
    _assert_says(ended.stdout, "_ test_refuses _", "nothing was taken")
    _assert_says(ended.stdout, "KeyError: 1001", "test_raises(", "number=1001,", "@reproduce_failure")
    _assert_says(ended.stdout, "Unable to allocate 2.00 GiB", "test_fills(", "number=0,")
    _assert_says(ended.stdout, "crashed while running", "::test_dies", "build/fuzz/test_dies", "{'number': ")
    _assert_says(ended.stdout, "crashed while running", "::test_sticks", "{'number': ", "Timeout", "in test_sticks")


def _assert_says(report: str, *words: str) -> None:
    """Hold that words stand in a report, one after the other."""
    for word in words:
        assert word in report
        report = report.partition(word)[2]


@pytest.mark.parametrize("cases", ["0", "-1"])
def test_no_cases_are_refused(cases):
    with pytest.raises(argparse.ArgumentTypeError, match="is less than 1"):
        at_least_one(cases)
