"""Fuzzing (`tests/fuzz`): a few cases of every target, and a check that the harness notices faults."""

import numpy as np
import pytest

from shengji_env.envs.plays import PlaySeatVectorEnv
from shengji_env.envs.seat import SeatVectorEnv
from shengji_env.errors import ShengjiError
from tests.fuzz.__main__ import main, share_out
from tests.fuzz.environments import make_seats
from tests.fuzz.parent import run_child
from tests.fuzz.targets import TARGETS

CASES = 12
"""Of each target; `make fuzz` has 100,000 in all."""
LOADS_TORCH = ("checkpoints",)
FAULTY = "tests.fuzz.faulty"


def test_whatever_is_handed_in_is_taken_or_refused():
    plan = {target.name: CASES for target in TARGETS if target.name not in LOADS_TORCH}
    reports = run_child(plan, seed=0)
    assert [failure for report in reports for failure in report.failures] == []
    assert {report.name: report.cases for report in reports} == plan
    assert len([report for report in reports if report.taken]) > 0.8 * len(reports)


@pytest.mark.parametrize("kind", [SeatVectorEnv, PlaySeatVectorEnv])
def test_a_mask_of_which_numpy_makes_no_array_is_handed_in_too(kind):
    ragged = [70, np.zeros((2, 0)), None]
    with pytest.raises(ShengjiError, match="reset_mask="):
        make_seats((kind, 4, {"rules": "one_deck", "opponents": "random"}, None, ragged))


def test_cases_are_shared_out_and_none_is_lost():
    plan = share_out(100_000)
    assert list(plan) == [target.name for target in TARGETS]
    assert 100_000 <= sum(plan.values()) < 100_000 + len(plan)
    assert min(plan.values()) >= 100
    assert share_out(10, ["records"]) == {"records": 10}


@pytest.mark.parametrize("cases", ["0", "-1"])
def test_no_cases_are_refused(cases, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--cases", cases, "records"])
    assert f"{cases} is less than 1" in capsys.readouterr().err


def test_exactly_so_many_cases_are_run_and_other_errors_found():
    well, raises = run_child({"well": 1234, "raises": 700}, seed=0, module=FAULTY)
    assert (well.cases, well.taken, well.failures) == (1234, 1234, [])
    assert raises.cases == 700
    assert raises.refused > 0
    (failure,) = raises.failures
    assert failure.kind == "KeyError at tests/fuzz/faulty.py:17 (_raise)"
    assert failure.count == 700 - raises.refused
    assert len(failure.case) == 1


def test_memory_is_bounded():
    fills, asks = run_child({"fills": 1, "asks-for-all": 2}, seed=0, module=FAULTY)
    assert [failure.kind for failure in fills.failures] == ["more than 512 MiB"]
    assert "MemoryError at tests/fuzz/faulty.py:26 (_ask_for_all)" in asks.failures[0].kind


@pytest.mark.parametrize(
    ("name", "kind", "detail"),
    [("dies", "the process died of SIGABRT", "_die"), ("sticks", "the process ended with status 1", "_stick")],
)
def test_a_process_that_ends_is_found_with_its_case(name, kind, detail):
    well, dead = run_child({"well": 10, name: 50, "raises": 10}, seed=0, module=FAULTY)
    assert well.cases == 10
    (failure,) = dead.failures
    assert (dead.name, failure.kind) == (name, kind)
    assert failure.case.startswith(f"{name}, case ")
    assert detail in failure.detail
