"""A target, and the property that is tested for every target.

A case is **taken** if the call returns, and **refused** if it raises a `ShengjiError`. Anything else is a failure:
another error, a case that makes the process grow by more than `MEMORY_MIB`, and (noticed only by the parent) a process
that dies or hangs.
"""

import contextlib
import io
import re
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from shengji_env.errors import ShengjiError

MEMORY_MIB = 512
"""How much larger than at the target's start a process may become."""
ROUND = 500
"""Cases of one run of Hypothesis: it remembers all inputs of a run, which would look like a leak."""
SHOWN = 600
"""Characters of an input or an error that are shown."""
_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("shengji_env", "agents", "train.py")
_LONG_RUN = re.compile(r"(.)\1{30,}")
_UNIT = 1 if sys.platform == "darwin" else 2**10


@dataclass(frozen=True)
class Target:
    """A way in."""

    name: str
    """What it is called on the command line."""
    cases: SearchStrategy[Any]
    """What is handed in: small descriptions, whose `repr` says all."""
    call: Callable[[Any], object]
    """What takes a case."""
    weight: int = 10
    """Its part of all cases."""
    prepare: Callable[[], object] = bool
    """What takes long or much memory and is done once, before the first case."""
    stuck_after: float = 120.0
    """Seconds after which a process that is still at the same case is ended."""


@dataclass
class Failure:
    """Cases that went wrong in the same way."""

    kind: str
    """The error and the line of ours that raised it."""
    case: str
    """The shortest of them."""
    detail: str
    """The error's text."""
    count: int = 1
    """How many there were."""


@dataclass
class Report:
    """What became of a target's cases."""

    name: str
    taken: int = 0
    refused: int = 0
    seconds: float = 0.0
    peak_mib: float = 0.0
    failures: list[Failure] = field(default_factory=list)

    @property
    def cases(self) -> int:
        """How many there were."""
        return self.taken + self.refused + sum(failure.count for failure in self.failures)

    def to_json(self) -> dict[str, Any]:
        """The fields, for the parent."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> "Report":
        """The report that a child has written."""
        return Report(**{**data, "failures": [Failure(**failure) for failure in data["failures"]]})


def run_target(target: Target, cases: int, seed: int, note: Callable[[str], object] = bool) -> Report:
    """Try a target with exactly so many cases; `note` is told each of them before it is tried."""
    with _silence():
        target.prepare()
    report, began, before = Report(target.name), time.perf_counter(), peak_mib()
    limit = before + MEMORY_MIB

    def try_case(case: Any) -> None:
        nonlocal limit
        text = shown(case)
        note(text)
        failure = outcome = None
        try:
            with _silence():
                target.call(case)
            outcome = "taken"
        except ShengjiError:
            outcome = "refused"
        except BaseException as error:
            failure = Failure(f"{type(error).__name__} at {_place_of(error)}", text, shown_error(error))
        if peak_mib() > limit:
            failure = Failure(f"more than {MEMORY_MIB} MiB", text, f"{peak_mib() - before:.0f} MiB in all")
            limit = peak_mib() + MEMORY_MIB
        if failure is not None:
            _add(report.failures, failure)
        elif outcome is not None:
            setattr(report, outcome, getattr(report, outcome) + 1)

    while report.cases < cases:
        _run_round(target.cases, try_case, min(ROUND, cases - report.cases), hash((seed, report.cases)))
    report.seconds, report.peak_mib = time.perf_counter() - began, peak_mib() - before
    return report


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _run_round(strategy: SearchStrategy[Any], try_case: Callable[[Any], None], cases: int, seed: int) -> None:
    @hypothesis.seed(seed)
    @settings(
        max_examples=cases, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def run(case: Any) -> None:
        try_case(case)

    run()


def _add(failures: list[Failure], new: Failure) -> None:
    for failure in failures:
        if failure.kind == new.kind:
            failure.count += 1
            if len(new.case) < len(failure.case):
                failure.case, failure.detail = new.case, new.detail
            return
    failures.append(new)


def _place_of(error: BaseException) -> str:
    """The innermost line of the package under which an error was raised; if there is none, of the tests."""
    places = {True: "", False: ""}
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if path.is_relative_to(_ROOT) and "site-packages" not in path.parts:
            place = path.relative_to(_ROOT)
            places[place.parts[0] in _PACKAGES] = f"{place.as_posix()}:{frame.lineno} ({frame.name})"
    return places[True] or places[False]


def shown(case: Any) -> str:
    """A case on one line, cut off where it is long; numbers of any size are written out."""
    most_digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return cut(repr(case))
    finally:
        sys.set_int_max_str_digits(most_digits)


def shown_error(error: BaseException) -> str:
    """The text of an error, which may itself fail."""
    try:
        return cut(str(error))
    except Exception as another:
        return f"<no text: {type(another).__name__}>"


def cut(text: str) -> str:
    """A text on one line, of printable length."""
    line = " ".join(text.split()).encode(errors="backslashreplace").decode()
    line = _LONG_RUN.sub(lambda run: f"{run[1] * 3}…×{len(run[0])}", line)
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


def peak_mib() -> float:
    """The most memory that this process has held at once.

    On Linux `getrusage` would also count what the process that started this one had held.
    """
    if sys.platform == "linux":
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT / 2**20
