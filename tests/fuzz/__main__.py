"""``python -m tests.fuzz [--cases N] [--seed S] [--jobs J] [TARGET …]``: all targets, each in its own child process.

Exit codes: 0 all is well, 1 something was found, or a target did not run all of its cases, or all were refused.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.fuzz.parent import run_child
from tests.fuzz.target import Report
from tests.fuzz.targets import TARGETS

CASES = 100_000
MANY = 100
"""Cases of a target of which some must be taken."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = _parser().parse_args(arguments)
    plan = share_out(options.cases, options.targets)
    began = time.perf_counter()
    slowest_first = sorted(plan, key=lambda name: plan[name] != min(plan.values()))
    with ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda name: (name, _run(name, plan[name], options.seed)), slowest_first)
        reports = dict(found)
    total = sum(report.cases for report in reports.values())
    print(f"{'':24}{total:>9,} cases in {time.perf_counter() - began:.0f} s, seed {options.seed}")
    for report in reports.values():
        _show_failures(report)
    is_whole = {name: report.cases for name, report in reports.items()} == plan
    if not is_whole:
        print("not every target ran all its cases")
    shallow = [name for name, report in reports.items() if plan[name] >= MANY and not report.taken]
    if shallow:
        print(f"nothing was taken, so nothing was tried beyond the first check: {', '.join(shallow)}")
    return int(not is_whole or bool(shallow) or any(report.failures for report in reports.values()))


def share_out(cases: int, names: Sequence[str] = ()) -> dict[str, int]:
    """How many cases each target gets, by weight: `cases` in all, or a few more."""
    chosen = [target for target in TARGETS if not names or target.name in names]
    weights = sum(target.weight for target in chosen)
    return {target.name: -(-cases * target.weight // weights) for target in chosen}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Hand in what no one should.")
    parser.add_argument("targets", metavar="TARGET", nargs="*", choices=[[], *(each.name for each in TARGETS)],
                        help=f"only these: {', '.join(each.name for each in TARGETS)}")  # fmt: skip
    parser.add_argument("--cases", type=_at_least_one, default=CASES, metavar="N", help=f"cases in all ({CASES:,})")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the same seed tries the same inputs (0)")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), metavar="J",
                        help="targets at a time (one a core, at most 4)")  # fmt: skip
    return parser


def _at_least_one(text: str) -> int:
    """Read how many cases there are: none would find nothing, and pass."""
    if (cases := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"{cases} is less than 1")
    return cases


def _run(name: str, cases: int, seed: int) -> Report:
    (report,) = run_child({name: cases}, seed)
    kinds = f"  {len(report.failures)} kinds of failure" if report.failures else ""
    print(
        f"{name:24}{report.cases:>9,} cases: {report.taken:>7,} taken, {report.refused:>7,} refused;"
        f"{report.seconds:>6.0f} s, {report.peak_mib:>5.0f} MiB more{kinds}",
        flush=True,
    )
    return report


def _show_failures(report: Report) -> None:
    for failure in sorted(report.failures, key=lambda each: -each.count):
        print(f"\n{report.name}: {failure.kind}, {failure.count} times\n  {failure.detail}\n  {failure.case}")


if __name__ == "__main__":
    sys.exit(main())
