"""Compiled code: the record of a decision: what is seen of it, its choices, and the rows that the network reads."""

from typing import TypeAlias

import numpy as np

from shengji_env.engine.compile import record_type
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.players.networks.distilled.distilled_inputs import SIGHT_DTYPE
from shengji_env.players.networks.selfplay.selfplay_inputs import MAX_COMMON, MAX_ROWS

Decision: TypeAlias = np.record

MAX_CHOICES = 64
"""Most choices of a decision."""
NUM_MARKS = 4
"""Sets of slots that tell two sets of cards apart: with one card, two, three, four."""

DECISION_DTYPE = record_type(
    [
        ("sight", SIGHT_DTYPE),
        ("trial", STATE_DTYPE),
        ("walked", STATE_DTYPE),
        ("group", np.int64),
        ("number", np.int64),
        ("num_common", np.int64),
        ("common", np.int16, (MAX_COMMON,)),
        ("num_rows", np.int64, (MAX_CHOICES,)),
        ("rows", np.int16, (MAX_CHOICES, MAX_ROWS)),
        ("actions", np.int64, (MAX_CHOICES + 1,)),
        ("cards", np.int8, (MAX_CHOICES + 1, NUM_SLOTS)),
        ("marks", np.int64, (MAX_CHOICES + 1, NUM_MARKS)),
        ("prices", np.float64, (NUM_SLOTS,)),
        ("values", np.int64, (MAX_CHOICES,)),
        ("rest", np.int8, (NUM_SLOTS,)),
    ]
)
"""A decision: what is seen; its kind, and how many choices it has; rows in common, and of each choice; the choices:
actions or CARDS, cards, values; one more is being put together. What is left is scratch memory."""
