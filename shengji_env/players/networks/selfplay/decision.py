"""Compiled code: the record of a decision: what is seen of it, its choices, and the rows that the network reads."""

from typing import NamedTuple, TypeAlias

import numpy as np

from shengji_env.engine.compile import record_type
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS
from shengji_env.engine.state import STATE_DTYPE
from shengji_env.players.networks.selfplay.selfplay_inputs import MAX_COMMON, MAX_ROWS
from shengji_env.players.networks.selfplay.sight import SIGHT_DTYPE

DecisionRecord: TypeAlias = np.record


class Beater(NamedTuple):
    """What wins a trick."""

    suit: int
    top: int
    """The slot of its highest card."""
    width: int
    """Copies of each card of the first component that was led, and its length."""
    length: int


MAX_CHOICES = 64
"""Most choices of a decision."""
MAX_SUIT_ROWS, MAX_CHANGE_ROWS = 273, 20
"""Most rows of a suit, and of what a choice takes from it (`suit_rows`)."""
NUM_MARKS = 4
"""Sets of slots that tell two sets of cards apart: with one card, two, three, four."""

DECISION_DTYPE = record_type(
    [
        ("sight", SIGHT_DTYPE),
        ("trial", STATE_DTYPE),
        ("walked", STATE_DTYPE),
        ("chances", np.int64),
        ("share", np.float64, (NUM_EFFECTIVE_SUITS,)),
        ("none", np.float64, (NUM_EFFECTIVE_SUITS,)),
        ("group", np.int64),
        ("number", np.int64),
        ("num_common", np.int64),
        ("common", np.int16, (MAX_COMMON,)),
        ("num_rows", np.int64, (MAX_CHOICES,)),
        ("rows", np.int16, (MAX_CHOICES, MAX_ROWS)),
        ("actions", np.int64, (MAX_CHOICES + 1,)),
        ("cards", np.int8, (MAX_CHOICES + 1, NUM_SLOTS)),
        ("marks", np.int64, (MAX_CHOICES + 1, NUM_MARKS)),
        ("prices", np.int64, (NUM_SLOTS,)),
        ("values", np.int64, (MAX_CHOICES,)),
        ("rest", np.int8, (NUM_SLOTS,)),
        ("num_suit_rows", np.int64, (NUM_EFFECTIVE_SUITS,)),
        ("suit_rows", np.int16, (NUM_EFFECTIVE_SUITS, MAX_SUIT_ROWS)),
        ("num_change_rows", np.int64, (MAX_CHOICES, NUM_EFFECTIVE_SUITS)),
        ("change_rows", np.int16, (MAX_CHOICES, NUM_EFFECTIVE_SUITS, MAX_CHANGE_ROWS)),
    ]
)
"""A decision: what is seen; whether chances are listed, and what of each suit they are made of (`chance_rows`);
its kind, and how many choices it has; rows in common, and of each choice; the choices: actions or
CARDS, cards, values; one more is being put together; scratch memory; rows of suits, and of what each choice takes from
them (`suit_rows`)."""
