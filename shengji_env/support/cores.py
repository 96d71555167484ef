"""Cores: how many this process may use, and how many of them it should use."""

import os

THREADS_VARIABLE = "NUMBA_NUM_THREADS"
"""Variable with the number of threads that a process may use. Worker processes find their share in it."""
_VARIABLES = (THREADS_VARIABLE, "OMP_NUM_THREADS")
"""Variables that limit the threads. Ray tells its tasks their share in the second."""


def num_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_of_cores() -> int:
    """Return how many threads this process should use: one per core, or fewer if the environment variables say so."""
    said = (os.environ.get(name, "") for name in _VARIABLES)
    return min([num_cores(), *(int(text) for text in said if text.isdecimal() and int(text) > 0)])
