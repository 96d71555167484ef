"""Infos of some of N tables, stacked into arrays in the form that Gymnasium's vector environments have.

`VectorEnv._add_info` makes the same, but one table after another, which takes longer than many a step.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

FINAL_OBS = "final_obs"
"""The name whose values are not stacked further."""


def stack_infos(infos: Mapping[int, Mapping[str, Any]], size: int) -> dict[str, Any]:
    """Return for each name an array of its values, (N, …), and under ``"_" + name`` where there are any, (N,) bool.

    Args:
        infos: by table.
        size: N.
    """
    stacked: dict[str, Any] = {}
    for name in dict.fromkeys(name for info in infos.values() for name in info):
        rows = [row for row, info in infos.items() if name in info]
        values = [infos[row][name] for row in rows]
        stacked[name] = _stack(name, rows, values, size)
        stacked["_" + name] = np.zeros(size, np.bool_)
        stacked["_" + name][rows] = True
    return stacked


def _stack(name: str, rows: list[int], values: list[Any], size: int) -> Any:
    first = values[0]
    if isinstance(first, dict) and name != FINAL_OBS:
        return stack_infos(dict(zip(rows, values, strict=True)), size)
    if isinstance(first, np.ndarray) and name != FINAL_OBS:
        stacked = np.zeros((size, *first.shape), first.dtype)
    elif isinstance(first, bool | int):
        stacked = np.zeros(size, type(first))
    else:
        stacked = np.full(size, None, object)
        for row, value in zip(rows, values, strict=True):
            stacked[row] = value  # a list of lists would be read as a matrix
        return stacked
    stacked[rows] = values
    return stacked
