"""What a shard holds, as records: rounds, labelled decisions, candidates; and all actions as bytes.

A round's deal and start follow from the seed and the round's number, so its actions are enough to play it again.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import record_type

MAX_LEVELS = 127
MAX_POINTS = 32_767
"""Larger labels are cut off here: no round of the presets comes near."""

ROUND_DTYPE = record_type(
    [
        ("num_actions", np.uint16),  # actions of the round, one-card steps of whole plays included
        ("num_decisions", np.uint16),  # its labelled decisions
        ("explorer", np.uint8),  # seat 0..3 whose decisions are labelled
        ("others", np.uint8),  # who sat in the other seats: index in `RolloutSettings.others`
        ("noise", np.uint8),  # the explorer's noise: index in `RolloutSettings.noise`
    ]
)
"""A round."""

LABELLED_DECISION_DTYPE = record_type(
    [
        ("ply", np.uint16),  # how many of the round's actions come before it
        ("num_candidates", np.uint8),  # 2 or more
    ]
)
"""A labelled decision."""

CANDIDATE_DTYPE = record_type(
    [
        ("points", np.int16),  # the attackers' final points; negative where the seat's team are the declarers
        ("levels", np.int8),  # nominal levels by the result table, positive for the seat's team
        ("is_attacker", np.int8),  # 1 where the seat's team were the attackers in the end
    ]
)
"""What became of the round after a candidate, for the team of the seat that decided."""


class Sections(NamedTuple):
    """The arrays of a shard, in their order in the file, as they are written or read."""

    rounds: NDArray[Any]
    """(R,) ROUND_DTYPE."""
    decisions: NDArray[Any]
    """(D,) LABELLED_DECISION_DTYPE: labelled decisions, by round and ply."""
    candidates: NDArray[Any]
    """(C,) CANDIDATE_DTYPE: the candidates of these decisions in order, the heuristic player's first."""
    actions: NDArray[np.uint8]
    """(A,) all actions of all rounds."""
    filled: NDArray[np.int64]
    """(4,) how many of each are written, or have been read; not in the file."""


SECTIONS: dict[str, np.dtype[Any]] = {
    "rounds": ROUND_DTYPE,
    "decisions": LABELLED_DECISION_DTYPE,
    "candidates": CANDIDATE_DTYPE,
    "actions": np.dtype(np.uint8),
}
"""Their types."""
