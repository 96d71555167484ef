"""The records that type checkers see have the fields of the dtypes."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shengji_env.engine import typed_records
from shengji_env.engine.rule_record import RULES_DTYPE
from shengji_env.engine.state import PACKING_DTYPE, RESULT_DTYPE, STATE_DTYPE, WORKSPACE_DTYPE
from shengji_env.tables import typed_tables
from shengji_env.tables.abandoned import Abandoned
from shengji_env.tables.arrays import LOG_DTYPE, MASK_DTYPE, PROGRESS_DTYPE, REWARD_DTYPE, SHARED_DTYPE

FILLING = "filling"
"""The field that `record_type` adds."""
TYPED = [
    (typed_records.Result, RESULT_DTYPE),
    (typed_records.State, STATE_DTYPE),
    (typed_records.Rules, RULES_DTYPE),
    (typed_records.Packing, PACKING_DTYPE),
    (typed_records.Workspace, WORKSPACE_DTYPE),
    (typed_tables.Shared, SHARED_DTYPE),
    (typed_tables.Progress, PROGRESS_DTYPE),
    (typed_tables.Log, LOG_DTYPE),
    (typed_tables.MaskRecord, MASK_DTYPE),
    (typed_tables.RewardRecord, REWARD_DTYPE),
]
RECORDS = {dtype.names: record for record, dtype in TYPED}


def type_of(kind: np.dtype) -> Any:
    """What a field of a dtype is for a type checker."""
    if kind.subdtype is not None:
        return NDArray[kind.subdtype[0].type]
    if kind.names:
        return next((record for names, record in RECORDS.items() if names == kind.names), Abandoned)
    return np.uint64 if kind == np.uint64 else int


@pytest.mark.parametrize(("record", "dtype"), TYPED)
def test_the_fields_are_those_of_the_dtype(record, dtype):
    fields = {name: type_of(dtype[name]) for name in dtype.names if name != FILLING}
    assert record.__annotations__ == fields
