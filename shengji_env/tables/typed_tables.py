"""The records of tables as type checkers and editors see them; at run time they are `numpy.record`.

What the fields mean stands at the dtypes, in `tables/arrays.py`; a test holds both equal.
"""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.typed_records import Record, Result, Rules, State
from shengji_env.tables.abandoned import Abandoned


class Shared(Record):
    """SHARED_DTYPE."""

    rules: Rules
    seed: np.uint64
    is_match: int
    any_start: int
    reward: int
    shaping: int
    skip_forced: int
    autoreset: int
    record: int


class Progress(Record):
    """PROGRESS_DTYPE."""

    number: int
    result: Result
    ply: int
    logged: int


class Log(Record):
    """LOG_DTYPE."""

    finished_state: State
    abandoned: Abandoned
    finished_abandoned: Abandoned
    finished_size: int
    actions: NDArray[np.int8]
    finished_actions: NDArray[np.int8]


class MaskRecord(Record):
    """MASK_DTYPE."""

    legal: NDArray[np.int8]


class RewardRecord(Record):
    """REWARD_DTYPE."""

    of_seat: NDArray[np.float32]
