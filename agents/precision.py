"""The arithmetic of a network's hidden layers while it learns: float32, or bfloat16 where that is faster."""

import time
from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional

from agents.checkpoint import part_of
from shengji_env.errors import CheckpointError

AUTO = "auto"
PRECISIONS = ("float32", "bfloat16")
PRECISION = "precision"
"""Its name in a checkpoint's meta.json."""


def dtype_of(precision: str) -> torch.dtype:
    """Return torch's type."""
    return torch.bfloat16 if precision == "bfloat16" else torch.float32


def resolve_precision(precision: str) -> str:
    """Return the faster one on this machine for ``auto``, and any other as it is."""
    return _faster_precision() if precision == AUTO else precision


def saved_precision(meta: Mapping[str, Any]) -> str:
    """Return the precision that a checkpoint names.

    Raises:
        CheckpointError: it names none.
    """
    precision: str = part_of(meta, PRECISION, str)
    if precision not in PRECISIONS:
        raise CheckpointError(f"precision in its meta.json is {precision[:20]!r}, not {' or '.join(PRECISIONS)}")
    return precision


def _faster_precision(width: int = 256, batch: int = 1024, inputs: int = 1024) -> str:
    """Return ``bfloat16`` if this machine multiplies it 1.5 times faster than float32, otherwise ``float32``."""
    timings = []
    for dtype in (torch.float32, torch.bfloat16):
        left, right = torch.ones(batch, inputs, dtype=dtype), torch.ones(width, inputs, dtype=dtype)
        timings.append(min(_seconds_of_linear(left, right) for _ in range(5)))
    return "bfloat16" if timings[0] > 1.5 * timings[1] else "float32"


def _seconds_of_linear(left: torch.Tensor, right: torch.Tensor) -> float:
    started = time.perf_counter()
    functional.linear(left, right)
    return time.perf_counter() - started
