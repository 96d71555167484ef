"""The process in which targets are tried: ``python -m tests.fuzz.child MODULE SEED FOLDER NAME=CASES …``.

After each target, a line of JSON is added to the folder's `reports`. Its `trail` always holds the target, the number
and the text of the present case, so if the process dies, the parent knows the cause. The memory of the process is
limited, so a case that asks for too much fails here.
"""

import faulthandler
import importlib
import json
import os
import sys
import time
import warnings
from pathlib import Path

from tests.fuzz.target import Report, Target, run_target

TRAIL, REPORTS = "trail", "reports"
ROOM_MIB = 8192
"""Address space beyond what it has when it starts, of which a CUDA build of torch reserves 3 GiB; only Linux keeps to
it."""


class Trail:
    """What is being tried, in a file."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        self._target: Target | None = None
        self._number, self._armed = 0, 0.0

    def begin(self, target: Target) -> None:
        """Go on to another target."""
        self._target, self._number, self._armed = target, 0, 0.0

    def note(self, case: str) -> None:
        """Keep a case, and set the clock."""
        assert self._target is not None
        self._number += 1
        line = f"{self._target.name}, case {self._number}: {case}".encode()
        os.pwrite(self._file, line, 0)
        os.ftruncate(self._file, len(line))
        if (now := time.monotonic()) - self._armed > 1:  # arming starts a thread
            faulthandler.dump_traceback_later(self._target.stuck_after, exit=True, file=sys.__stderr__)
            self._armed = now


def main(arguments: list[str]) -> None:
    """Try targets of a module's ``TARGETS``."""
    module, seed, folder, *wanted = arguments
    faulthandler.enable(sys.__stderr__)
    warnings.filterwarnings("ignore")
    warnings.filterwarnings("error", module=r"(shengji_env|agents)\b")
    targets = {target.name: target for target in importlib.import_module(module).TARGETS}
    trail = Trail(Path(folder) / TRAIL)
    _limit_memory()
    for each in wanted:
        name, _, cases = each.partition("=")
        trail.begin(targets[name])
        report: Report = run_target(targets[name], int(cases), int(seed), trail.note)
        faulthandler.cancel_dump_traceback_later()
        with (Path(folder) / REPORTS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(report.to_json()) + "\n")


def _limit_memory() -> None:
    if sys.platform != "linux":
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[0])
    limit = pages * resource.getpagesize() + ROOM_MIB * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    main(sys.argv[1:])
