"""The parent: starts the children, and interprets how they end."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.fuzz.child import REPORTS, TRAIL
from tests.fuzz.target import Failure, Report, cut

TARGETS_MODULE = "tests.fuzz.targets"
_ROOT = Path(__file__).resolve().parents[2]

_MAX_LINES = 8


def run_child(plan: Mapping[str, int], seed: int, module: str = TARGETS_MODULE) -> list[Report]:
    """Try targets in one process: by name, how many cases. A process that dies is a failure of the target under way."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.fuzz.child", module, str(seed), folder]
        command += [f"{name}={cases}" for name, cases in plan.items()]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "TMPDIR": folder, "PYTHONHASHSEED": "0"}
        child = subprocess.run(
            command, cwd=_ROOT, env=environment, capture_output=True, text=True, errors="replace", check=False
        )
        trail, lines = (_text_of(Path(folder) / name) for name in (TRAIL, REPORTS))
        reports = [Report.from_json(json.loads(line)) for line in lines.splitlines()]
        if child.returncode == 0:
            return reports
        done = {report.name for report in reports}
        name = next(name for name in plan if name not in done)
        failure = Failure(_end_of(child.returncode), cut(trail), _essence(child.stderr))
        return [*reports, Report(name, failures=[failure])]


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _essence(text: str) -> str:
    """Of what a dying process has said: its first and last lines, and between them what is ours in the traceback."""
    first, *others = text.splitlines() or [""]
    ours = [line.replace(f"{_ROOT}/", "") for line in others if f'"{_ROOT}' in line and "site-packages" not in line]
    return cut(" | ".join([first, *ours[:_MAX_LINES], *others[-1:]]))


def _end_of(code: int) -> str:
    if code >= 0:
        return f"the process ended with status {code}"
    return f"the process died of {signal.Signals(-code).name}"
