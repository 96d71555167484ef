"""Mutation tests of the engine: how many small faults, put in one at a time, do its tests notice?

A **mutant** is the engine with one change (`mutants.py`). It replaces its module in the memory of a process, which runs
the `nojit` tests as plain Python until one fails: the mutant is **killed**. Only tests that run the changed line are
run: first those that killed mutants of the same module, then those that killed others, then the quick ones. A change of
what imports run concerns all tests. No file is changed.

`make mutants ARGS="--count 300 --seed 1"` goes on where it stopped: results are lines of `build/mutants.jsonl`, and
only survivors are tried again. `mutants.EXPLAINED` says of some mutants why no test can kill them.
"""

import argparse
import json
import multiprocessing
import os
import resource
import signal
import time
from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from coverage import Coverage

from tools.mutants import ENGINE, ROOT, Mutant, all_mutants, explained, mutants_of

RESULTS = ROOT / "build/mutants.jsonl"
BASELINE = ROOT / "build/mutants_baseline.json"
TESTS = ("tests/engine", "tests/tables", "tests/helpers")
SECONDS = 15.0
"""Processor time in which tests are collected, and that a test may take besides five times its usual time."""
MEMORY = 16 << 30
_PRELOADED = ["numpy", "numba", "torch", "gymnasium", "pettingzoo", "hypothesis", "pytest", "rich"]


@dataclass
class Baseline:
    """What the tests do without a fault."""

    seconds: dict[str, float]
    """By test."""
    runs: dict[str, dict[str, list[str]]]
    """By module and line: the tests that run it; "" is what they import."""

    def tests_of(self, module: str, lines: range) -> set[str]:
        """Return the tests on which a change of some lines can have an effect."""
        found = {test for line in lines for test in self.runs.get(module, {}).get(str(line), ())}
        return set(self.seconds) if "" in found else found


class Chosen:
    """A plugin of pytest that runs tests in an order, and notes which one fails and how long they take.

    Without usual durations, it runs all tests and notes what each covers.
    """

    def __init__(self, order: list[str], usual: dict[str, float]) -> None:
        self.places = {name: place for place, name in enumerate(order)}
        self.usual, self.failed = usual, ""
        self.seconds: dict[str, float] = defaultdict(float)
        self.coverage = None if usual else Coverage(data_file=None, include=[f"{ENGINE}/*"], config_file=False)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Choose and sort the tests."""
        if self.usual:
            chosen = (item for item in items if item.nodeid in self.places)
            items[:] = sorted(chosen, key=lambda item: self.places[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """End the process if the test takes too long."""
        signal.setitimer(signal.ITIMER_PROF, SECONDS + 5 * self.usual.get(nodeid, SECONDS))
        if self.coverage:
            self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the outcome."""
        self.seconds[report.nodeid] += report.duration
        self.failed = report.nodeid if report.failed else self.failed

    def baseline(self) -> Baseline:
        """Return what was noted."""
        runs: dict[str, dict[str, list[str]]] = {}
        if self.coverage:
            data = self.coverage.get_data()
            for path in data.measured_files():
                module = Path(path).relative_to(ENGINE).with_suffix("").as_posix()
                runs[module] = {str(line): tests for line, tests in data.contexts_by_lineno(path).items()}
        return Baseline(dict(self.seconds), runs)


def _replace(mutant: Mutant) -> None:
    """Let this process import a mutant in place of its module."""
    path, get_code = str(ENGINE / f"{mutant.module}.py"), SourceFileLoader.get_code
    code = next(compile(found.tree, path, "exec") for found in mutants_of(mutant.module) if found.mutant == mutant)

    def get_changed(self: SourceFileLoader, fullname: str) -> CodeType | None:
        return code if self.path == path else get_code(self, fullname)

    SourceFileLoader.get_code = get_changed  # type: ignore[method-assign,assignment]  # what `import` calls


def run_tests(mutant: Mutant | None, chosen: Chosen, answers: Connection) -> None:
    """Run the tests in this process until one fails; send its name, or "", and what was noted."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if mutant:
        _replace(mutant)
    if chosen.coverage:
        chosen.coverage.start()
    files = sorted({test.partition("::")[0] for test in chosen.places}) or TESTS
    status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", "nojit", *files], plugins=[chosen])
    has_passed = status in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    answers.send(("" if has_passed else chosen.failed or "collecting", chosen.baseline()))


def ask(mutant: Mutant | None, order: list[str], usual: dict[str, float]) -> tuple[str, Baseline]:
    """Run the tests in a process of its own; return what `run_tests` sends. A process that dies kills its mutant."""
    context = multiprocessing.get_context("forkserver")
    answers, end = context.Pipe(duplex=False)
    process = context.Process(target=run_tests, args=(mutant, Chosen(order, usual), end))
    process.start()
    end.close()
    try:
        answer: tuple[str, Baseline] = answers.recv()
    except EOFError:
        answer = "no answer: too slow, or dead", Baseline({}, {})
    process.join()
    return answer


def read_baseline() -> Baseline:
    """Return what the tests do without a fault, found out again if they or the engine have changed.

    Raises:
        SystemExit: a test fails.
    """
    paths = [path for folder in (ENGINE, *map(ROOT.joinpath, TESTS)) for path in sorted(folder.rglob("*.py"))]
    digest = sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
    found: Any = json.loads(BASELINE.read_text(encoding="utf-8")) if BASELINE.exists() else {"digest": ""}
    if found["digest"] != digest:
        print("Running the tests without a fault, some minutes", flush=True)
        failed, baseline = ask(None, [], {})
        if failed:
            raise SystemExit(f"mutate: without a fault, this test fails: {failed}")
        found = {"digest": digest, **asdict(baseline)}
        BASELINE.parent.mkdir(exist_ok=True)
        BASELINE.write_text(json.dumps(found), encoding="utf-8")
    return Baseline(found["seconds"], found["runs"])


def read_results() -> dict[Mutant, str]:
    """Return the test that killed each mutant that was tried, or ""; the last attempt counts."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines() if RESULTS.exists() else []
    return {Mutant(**line["mutant"]): line["by"] for line in map(json.loads, lines)}


def in_order(tests: set[str], module: str, results: dict[Mutant, str], usual: dict[str, float]) -> list[str]:
    """Return tests: first those that killed most mutants of a module, then of all, then the quickest."""
    kills = Counter(results.values())
    own = Counter(by for mutant, by in results.items() if mutant.module == module)
    return sorted(tests, key=lambda test: (-own[test], -kills[test], usual[test]))


def report(outcomes: dict[Mutant, str]) -> None:
    """Print the survivors, and what became of each module's mutants."""
    kinds = ("killed", "explained", "survived")
    for mutant in (mutant for mutant, outcome in outcomes.items() if outcome == "survived"):
        print(f"survived: {mutant}")
    print("| module | mutants |", " | ".join(kinds), "|")
    for name in (*sorted({mutant.module for mutant in outcomes}), "all"):
        of_name = [outcome for mutant, outcome in outcomes.items() if name in (mutant.module, "all")]
        print(f"| {name} | {len(of_name)} |", " | ".join(str(of_name.count(kind)) for kind in kinds), "|")


def main() -> None:
    """Try the mutants that are missing, then print the report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=300, help="number of mutants (300)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants (1)")
    parser.add_argument("--module", action="append", default=[], help="only mutants of this module, such as follows")
    args = parser.parse_args()
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "HYPOTHESIS_STORAGE_DIRECTORY": str(RESULTS.with_suffix(""))}
    multiprocessing.get_context("forkserver").set_forkserver_preload(_PRELOADED)
    # By a hash, so that most of the draw stays when the engine's code changes.
    mutants = sorted(all_mutants(args.module), key=lambda found: sha256(f"{args.seed} {found[0]}".encode()).digest())
    del mutants[args.count :]
    results, reasons, baseline = read_results(), explained(), read_baseline()
    usual = baseline.seconds
    for number, (mutant, lines) in enumerate(mutants, 1):
        if results.get(mutant) or mutant in reasons:
            continue
        began, tests = time.monotonic(), baseline.tests_of(mutant.module, lines)
        results[mutant], _ = ask(mutant, in_order(tests, mutant.module, results, usual), usual)
        with RESULTS.open("a", encoding="utf-8") as file:
            print(json.dumps({"mutant": asdict(mutant), "by": results[mutant]}), file=file)
        seconds = f"{time.monotonic() - began:.1f} s"
        print(f"{number} {mutant.module} {len(tests)} {seconds} {results[mutant] or 'survived'}", flush=True)
    report({m: "explained" if m in reasons else "killed" if results[m] else "survived" for m, _ in mutants})


if __name__ == "__main__":
    main()
