"""Cases about fresh processes: importing, a warm and a cold start, memory."""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial

from shengji_env.cli.bench.timing import Case, Group, Trial

_START = "from shengji_env.vector import BatchEnv; e = BatchEnv(1, seed=0); e.step(e.sample_actions())"
_CPU_TIME = "import time; print(time.process_time())"
_PEAK_TABLES = 8192
# On Linux, getrusage includes the peak of the process that started this one; the kernel's own count begins at zero.
_PEAK = """
def peak():
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024
    except OSError:
        import resource, sys
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)

from shengji_env.vector import BatchEnv
BatchEnv(1, seed=0)
print(peak())
env = BatchEnv({tables}, seed=0)
for _ in range(10):
    env.step(env.sample_actions())
print(peak())
"""
_TIMES = ("s", "s of CPU")
_SIZES = ("MiB, N=1", "MiB")


def cases() -> list[Case]:
    """Return all cases that start a process for each repetition."""
    whole = "the whole process, the interpreter's own start included"
    return [
        Case("Python alone", Group.START, partial(_timed, "pass"), _TIMES),
        Case("import shengji_env", Group.START, partial(_timed, "import shengji_env"), _TIMES, note=whole),
        Case(
            "import shengji_env.vector", Group.START, partial(_timed, "import shengji_env.vector"), _TIMES, note=whole
        ),
        Case("warm start to a first step", Group.START, partial(_timed, _START), _TIMES, note=whole),
        Case(
            f"peak memory, N={_PEAK_TABLES:,}",
            Group.START,
            lambda: Trial(lambda _: _peak_memory()),
            _SIZES,
            needs=("resource",),
            note="resident, of the whole process",
        ),
        Case(
            "cold start to a first step",
            Group.START,
            lambda: Trial(lambda _: _cold_start()),
            _TIMES,
            note="with an empty cache: compiles the engine",
        ),
    ]


def _run(code: str, environment: dict[str, str] | None = None) -> str:
    """Run some code in a fresh interpreter; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    return done.stdout


def _process_times(code: str, environment: dict[str, str] | None = None) -> tuple[float, float]:
    """Run some code in a fresh interpreter; return its wall-clock and CPU seconds."""
    began = time.perf_counter()
    cpu = float(_run(f"{code}; {_CPU_TIME}", environment))
    return time.perf_counter() - began, cpu


def _timed(code: str) -> Trial:
    _process_times(code)
    return Trial(lambda _: _process_times(code))


def _cold_start() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        return _process_times(_START, {"XDG_CACHE_HOME": folder})


def _peak_memory() -> tuple[float, float]:
    before, after = _run(_PEAK.replace("{tables}", str(_PEAK_TABLES))).split()
    return float(before), float(after)
