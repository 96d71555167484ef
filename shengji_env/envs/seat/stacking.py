"""What infos of some of N tables say, in the form that Gymnasium's vector environments stack them in.

`VectorEnv._add_info` makes the same, but one table after another, which takes longer than many a step.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.cards import RANKS
from shengji_env.engine.compile import jit
from shengji_env.engine.state import NUM_TEAMS, Winner
from shengji_env.tables.seat_stepping import Packed, seated_at

_NUMBERS = (
    "attackers_points", "kitty_points", "kitty_multiplier", "levels", "levels_nominal", "levels_lost", "declarer",
    "next_declarer", "match_winner",
)  # fmt: skip
_WINNER = len(_NUMBERS)
_MATCH_OVER = _WINNER + 1
_LEVELS = _MATCH_OVER + 1
NUM_RESULT_NUMBERS = _LEVELS + NUM_TEAMS
"""Rows of numbers that a result is written as: those with names, the winner, whether the match is over, the levels."""
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


@jit
def write_results(packed: Packed, rows: NDArray[Any], numbers: NDArray[Any]) -> None:
    """Write the results of the last rounds of some tables as columns of `numbers`, (NUM_RESULT_NUMBERS, N) int64."""
    arrays, _ = seated_at(packed)
    for index in range(rows.size):
        row = rows[index]
        result = arrays.progress[row].result
        numbers[0, row] = result.attackers_points
        numbers[1, row] = result.kitty_points
        numbers[2, row] = result.kitty_multiplier
        numbers[3, row] = result.levels
        numbers[4, row] = result.levels_nominal
        numbers[5, row] = result.levels_lost
        numbers[6, row] = result.declarer
        numbers[7, row] = result.next_declarer
        numbers[8, row] = result.match_winner
        numbers[_WINNER, row] = result.winner
        numbers[_MATCH_OVER, row] = result.match_over
        numbers[_LEVELS, row] = result.new_levels[0]
        numbers[_LEVELS + 1, row] = result.new_levels[1]


def stack_results(numbers: NDArray[np.int64], rows: NDArray[np.int64]) -> dict[str, Any]:
    """Return what `write_results` has written at some tables as stacked `tables.infos.result_info`: views of it."""
    size = numbers.shape[1]
    winners = [_WINNERS[winner] for winner in numbers[_WINNER, rows].tolist()]
    new_levels = [[RANKS[level] for level in levels] for levels in numbers[_LEVELS:, rows].T.tolist()]
    stacked = {
        **dict(zip(_NUMBERS, numbers, strict=False)),
        "winner": stack_objects(winners, rows, size),
        "new_levels": stack_objects(new_levels, rows, size),
        "match_over": numbers[_MATCH_OVER] != 0,
    }
    return with_flags(stacked, rows, size)
