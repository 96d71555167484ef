"""The arrays of an environment's tables: what compiled code steps.

Row i of every array belongs to table i, except in `shared` (one row for all) and `works` (one row for each thread).
"""

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.cards import MAX_TOTAL
from shengji_env.engine.compile import record_type
from shengji_env.engine.masks import NOTHING_LEGAL
from shengji_env.engine.rule_record import RULES_DTYPE
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import MAX_TAKERS, NUM_TEAMS, RESULT_DTYPE, STATE_DTYPE, WORKSPACE_DTYPE
from shengji_env.tables.abandoned import ABANDONED_DTYPE
from shengji_env.tables.history import PLAY_SIZE
from shengji_env.tables.observation import OBSERVATION_DTYPE

MAX_BIDS = MAX_TAKERS
"""Most bids in one deal, overbids included: each is stronger than the one before, by count or by kind."""
MAX_HAND = MAX_TOTAL // NUM_SEATS
_MAX_LEADS = MAX_HAND * (MAX_HAND + 1) // 2 + MAX_HAND
_MAX_OPENING = MAX_TOTAL + NUM_SEATS * (MAX_BIDS + 1) + 1 + NUM_TEAMS + MAX_TAKERS * MAX_HAND
MAX_LOG = _MAX_OPENING + _MAX_LEADS + (NUM_SEATS - 1) * MAX_HAND
"""Most actions from the last deal to the result: bids and passes while cards are drawn and in the circles afterwards,
naming trumps, passing with a weak hand, burying, once for each seat that takes up the kitty, leads, follows. Cards of a
throw that fails go back to the hand, and are taken again. So a lead takes at most as many actions as the leader holds
cards (all of them, or fewer and `done`), and a forced choice."""
STAND_STILL = NOTHING_LEGAL
"""The action that leaves a table as it is."""

if TYPE_CHECKING:
    from shengji_env.tables import typed_tables

    Shared: TypeAlias = typed_tables.Shared
    Progress: TypeAlias = typed_tables.Progress
    Log: TypeAlias = typed_tables.Log
    MaskRecord: TypeAlias = typed_tables.MaskRecord
    RewardRecord: TypeAlias = typed_tables.RewardRecord
else:
    Shared = Progress = Log = MaskRecord = RewardRecord = np.record

SHARED_DTYPE = record_type(
    [
        ("rules", RULES_DTYPE),
        ("seed", np.uint64),
        ("is_match", np.int8),
        ("any_start", np.int8),
        ("reward", np.int8),
        ("shaping", np.int8),
        ("skip_forced", np.int8),
        ("autoreset", np.int8),
        ("record", np.int8),
    ]
)
"""What is the same for all tables of an environment."""

PROGRESS_DTYPE = record_type([("number", np.int64), ("ply", np.int32), ("logged", np.int32), ("result", RESULT_DTYPE)])
"""Kept beside a table's state: its number, decisions made in this round, actions logged since its last deal, and the
last result."""

LOG_DTYPE = record_type(
    [
        ("actions", np.int8, (MAX_LOG,)),
        ("finished_actions", np.int8, (MAX_LOG,)),
        ("finished_size", np.int32),
        ("finished_state", STATE_DTYPE),
        ("abandoned", ABANDONED_DTYPE),
        ("finished_abandoned", ABANDONED_DTYPE),
    ]
)
"""The actions of the round under way since its last deal, those of the last finished one, and the state it ended in.
The abandoned deals of both rounds are as many as their states count rebellions."""


MASK_DTYPE = record_type([("legal", np.int8, (NUM_ACTIONS,))])
REWARD_DTYPE = record_type([("of_seat", np.float32, (NUM_SEATS,))])
"""Rows of arrays as records: compiled code passes a record as one address, but a row of an array as seven words."""


class Arrays(NamedTuple):
    """The arrays of N tables, for compiled code; N rows each unless said otherwise.

    | array | shape and type |
    |---|---|
    | `states` | STATE_DTYPE |
    | `progress` | PROGRESS_DTYPE |
    | `shared` | (1,) SHARED_DTYPE |
    | `works` | (threads,) WORKSPACE_DTYPE |
    | `observations` | OBSERVATION_DTYPE, of the seat to move |
    | `masks` | MASK_DTYPE, its legal actions |
    | `seats`, `phases` | int8 |
    | `rewards` | REWARD_DTYPE, of the last step |
    | `terminated` | bool, whether the last step ended an episode |
    | `logs` | LOG_DTYPE; one row if nothing is recorded |
    | `plays` | (N, K, 55) int8, the last K plays (`history.py`) |
    """

    states: NDArray[Any]
    progress: NDArray[Any]
    shared: NDArray[Any]
    works: NDArray[Any]
    observations: NDArray[Any]
    masks: NDArray[Any]
    seats: NDArray[Any]
    phases: NDArray[Any]
    rewards: NDArray[Any]
    terminated: NDArray[Any]
    logs: NDArray[Any]
    plays: NDArray[Any]


def new_arrays(size: int, *, threads: int, history: int, keeps_logs: bool) -> Arrays:
    """Make arrays of zeros for `size` tables."""
    return Arrays(
        states=np.zeros(size, STATE_DTYPE),
        progress=np.zeros(size, PROGRESS_DTYPE),
        shared=np.zeros(1, SHARED_DTYPE),
        works=np.zeros(threads, WORKSPACE_DTYPE),
        observations=np.zeros(size, OBSERVATION_DTYPE),
        masks=np.zeros(size, MASK_DTYPE),
        seats=np.zeros(size, np.int8),
        phases=np.zeros(size, np.int8),
        rewards=np.zeros(size, REWARD_DTYPE),
        terminated=np.zeros(size, np.bool_),
        logs=np.zeros(size if keeps_logs else 1, LOG_DTYPE),
        plays=np.zeros((size, history, PLAY_SIZE), np.int8),
    )
