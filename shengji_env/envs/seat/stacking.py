"""What infos of some of N tables say, in the form that Gymnasium's vector environments stack them in.

`VectorEnv._add_info` makes the same, but one table after another, which takes longer than many a step.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.cards import RANKS
from shengji_env.engine.state import Winner

_NUMBERS = (
    "attackers_points", "kitty_points", "kitty_multiplier", "levels", "levels_nominal", "levels_lost", "declarer",
    "next_declarer", "match_winner",
)  # fmt: skip
_WINNERS = [winner.name.lower() for winner in sorted(Winner)]


def with_flags(stacked: Mapping[str, Any], rows: NDArray[np.int64], size: int) -> dict[str, Any]:
    """Return values stacked over N tables, each with an array ``"_" + name`` that says at which tables there is one."""
    flags = np.zeros((len(stacked), size), np.bool_)
    flags[:, rows] = True
    return {
        key: value
        for name, flag in zip(stacked, flags, strict=True)
        for key, value in ((name, stacked[name]), ("_" + name, flag))
    }


def stack_values(values: ArrayLike, rows: NDArray[np.int64], size: int) -> NDArray[Any]:
    """Return numbers at some tables as an array (N,); 0 elsewhere."""
    stacked = np.zeros(size, np.int64)
    stacked[rows] = values
    return stacked


def stack_objects(values: Sequence[Any], rows: NDArray[np.int64], size: int) -> NDArray[np.object_]:
    """Return values of any kind at some tables as an array (N,); None elsewhere."""
    stacked = np.empty(size, object)
    for row, value in zip(rows.tolist(), values, strict=True):
        stacked[row] = value  # a list of lists would be read as a matrix
    return stacked


def stack_results(results: NDArray[Any], rows: NDArray[np.int64]) -> dict[str, Any]:
    """Return results at some of N tables, (N,) `engine.state.RESULT_DTYPE`, as stacked `tables.infos.result_info`."""
    size = len(results)
    winners = [_WINNERS[winner] for winner in results["winner"][rows].tolist()]
    new_levels = [[RANKS[level] for level in levels] for levels in results["new_levels"][rows].tolist()]
    stacked = {
        **{name: results[name].astype(np.int64) for name in _NUMBERS},
        "winner": stack_objects(winners, rows, size),
        "new_levels": stack_objects(new_levels, rows, size),
        "match_over": results["match_over"] != 0,
    }
    return with_flags(stacked, rows, size)
