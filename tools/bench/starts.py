"""Cases about fresh processes: importing, a warm and a cold start, memory."""

import os
import subprocess
import sys
import tempfile
import time
from functools import partial

from tools.bench.timing import Case, Group, Trial

_START = "from shengji_env.vector import BatchEnv; e = BatchEnv(1, seed=0); e.step(e.sample_actions())"
_PEAK_TABLES = 8192
# On Linux, getrusage includes the peak of the process that started this one; the kernel's own count begins at zero.
_PEAK = f"""
def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024

from shengji_env.vector import BatchEnv
BatchEnv(1, seed=0)
print(peak())
env = BatchEnv({_PEAK_TABLES}, seed=0)
for _ in range(10):
    env.step(env.sample_actions())
print(peak())
"""
_TIMES = ("s", "s of CPU")
_SIZES = ("MiB, N=1", "MiB")


def cases() -> list[Case]:
    """Return all cases that start a process for each repetition."""
    whole = "the whole process, the interpreter's own start included"
    warm = {
        "Python alone": "pass",
        "import shengji_env": "import shengji_env",
        "import shengji_env.vector": "import shengji_env.vector",
        "warm start to a first step": _START,
    }
    cold = "with an empty cache: compiles the engine"
    return [
        *(Case(name, Group.START, partial(_timed, code), _TIMES, note=whole) for name, code in warm.items()),
        Case(f"peak memory, N={_PEAK_TABLES:,}", Group.START, _peak, _SIZES, note="resident, of the process; Linux"),
        Case("cold start to a first step", Group.START, lambda: Trial(lambda _: _cold_start()), _TIMES, note=cold),
    ]


def _run(code: str, **environment: str) -> str:
    """Run some code in a fresh interpreter; return what it prints."""
    line = [sys.executable, "-c", code]
    return subprocess.run(line, check=True, capture_output=True, text=True, env={**os.environ, **environment}).stdout


def _process_times(code: str, **environment: str) -> tuple[float, float]:
    """Run some code in a fresh interpreter; return its wall-clock and CPU seconds."""
    began = time.perf_counter()
    cpu = float(_run(f"{code}; import time; print(time.process_time())", **environment))
    return time.perf_counter() - began, cpu


def _timed(code: str) -> Trial:
    _process_times(code)
    return Trial(lambda _: _process_times(code))


def _cold_start() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        return _process_times(_START, XDG_CACHE_HOME=folder)


def _peak() -> Trial:
    return Trial(lambda _: tuple(map(float, _run(_PEAK).split())))
