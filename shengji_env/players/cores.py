"""Cores: how many this process may use, and how many of them are its share."""

import os

THREADS_VARIABLE = "NUMBA_NUM_THREADS"
"""Says how many threads a process may use; worker processes are started with their share in it."""
_VARIABLES = (THREADS_VARIABLE, "OMP_NUM_THREADS")
"""Ray gives its tasks their share in the second."""


def num_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_of_cores() -> int:
    """How many threads are this process's share: one a core that it may use, or what variables say, if that is less."""
    said = (os.environ.get(name, "") for name in _VARIABLES)
    return min([num_cores(), *(int(text) for text in said if text.isdecimal() and int(text) > 0)])
