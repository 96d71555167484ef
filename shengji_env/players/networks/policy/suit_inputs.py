"""What a `suit_network.SuitNetwork` reads of an observation: a row for each suit, for trumps and for the table.

It is what value networks read (`champion.inputs`), and the cards taken so far in the decision under way, since here a
play is decided card by card. Unlike there, the plain suits' level cards are not sorted among the trumps but counted
together; whose they are is said in the suit's own row. The name of a suit changes only its position.

Under no trump, and before trumps are named, the fourth block of slots is a plain suit; otherwise it is trumps.

**Order.** Cards of a decision are taken in ascending slot order, so where several plain suits are taken from, the first
card says that nothing is taken from the suits before its own: there, and only there (`is_ordered`), the suits' order
matters too.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.slots import (
    LEVEL_SLOT,
    LITTLE_JOKER_SLOT,
    NUM_SLOTS,
    PLAIN_RANKS,
    TRUMP_LEVEL_SLOT,
)
from shengji_env.engine.state import Phase
from shengji_env.players.networks.champion import inputs

INPUTS_VERSION = f"{inputs.INPUTS_VERSION}.1"
"""Raise the last number whenever an input changes its column or meaning."""

_TAKEN, _PHASE, _LEAD_SIZE, _MUST_MATCH = (
    inputs.FIRST_COLUMNS[name] for name in ("taken", "phase", "lead_size", "must_match")
)
_FOURTH = NUM_SUITS - 1

_ROWS = np.append(inputs.SLOT_ROWS, _TAKEN)
_TRUMP_SLOTS = np.array([*range(_FOURTH * PLAIN_RANKS, LEVEL_SLOT), TRUMP_LEVEL_SLOT])
"""Slots that are the trump suit's if one is named."""
_JOKER_SLOTS = np.arange(LITTLE_JOKER_SLOT, NUM_SLOTS)
_TRUMP_MARKS = inputs.TRUMP_COLUMNS[inputs.NUM_TRUMP_CARDS * len(inputs.SLOT_ROWS) :]
"""Inputs about trumps as about any effective suit: who is void, whether they are led."""
_SUIT_COLUMNS = np.concatenate([inputs.SUIT_COLUMNS, _TAKEN + inputs.SUIT_SLOTS], axis=1)

NUM_SUIT_INPUTS = _SUIT_COLUMNS.shape[1] + 1
NUM_TRUMP_INPUTS = len(_ROWS) * (len(_TRUMP_SLOTS) + len(_JOKER_SLOTS) + 2) + len(_TRUMP_MARKS)
NUM_TABLE_INPUTS = inputs.NUM_TABLE_INPUTS


class SuitInputs(NamedTuple):
    """B decisions as the network reads them."""

    suits: NDArray[np.int8]
    """(B, 4, NUM_SUIT_INPUTS); zero where there is no plain suit."""
    is_plain: NDArray[np.bool_]
    """(B, 4) which plain suits there are: the fourth only under no trump and before trumps are named."""
    trumps: NDArray[np.int8]
    """(B, NUM_TRUMP_INPUTS)."""
    table: NDArray[np.int8]
    """(B, NUM_TABLE_INPUTS)."""
    is_ordered: NDArray[np.bool_]
    """(B,) whether cards of several plain suits may be taken, so that the suits' order matters."""


@jit
def make_suit_inputs(observations: NDArray[np.int8]) -> SuitInputs:
    """Return what the network reads of observations, (B, OBSERVATION_SIZE or more)."""
    size = len(observations)
    rows = SuitInputs(
        np.zeros((size, NUM_SUITS, NUM_SUIT_INPUTS), np.int8), np.zeros((size, NUM_SUITS), np.bool_),
        np.empty((size, NUM_TRUMP_INPUTS), np.int8), np.empty((size, NUM_TABLE_INPUTS), np.int8),
        np.empty(size, np.bool_),
    )  # fmt: skip
    for decision in range(size):
        seen = observations[decision]
        num_plain = inputs.num_plain_suits(seen)
        for suit in range(num_plain):
            rows.is_plain[decision, suit] = True
            inputs.write_suit(seen, suit, _SUIT_COLUMNS[suit], rows.suits[decision, suit])
        _write_trumps(seen, num_plain, rows.trumps[decision])
        inputs.gather(seen, inputs.TABLE_COLUMNS, rows.table[decision])
        rows.is_ordered[decision] = _is_ordered(seen)
    return rows


@jit
def _write_trumps(seen: NDArray[Any], num_plain: int, row: NDArray[Any]) -> None:
    index = 0
    for start in _ROWS:
        for slot in _TRUMP_SLOTS:
            row[index] = seen[start + slot] if num_plain == _FOURTH else 0
            index += 1
        for slot in _JOKER_SLOTS:
            row[index] = seen[start + slot]
            index += 1
        for suit in range(num_plain):
            count = seen[start + LEVEL_SLOT + suit]
            row[index] = count + (row[index] if suit else 0)
            row[index + 1] = max(count - 1, 0) + (row[index + 1] if suit else 0)
        index += 2
    inputs.gather(seen, _TRUMP_MARKS, row[index:])


@jit
def _is_ordered(seen: NDArray[Any]) -> bool:
    if seen[_PHASE + Phase.FOLLOW] and not seen[_MUST_MATCH]:
        left = int(seen[_LEAD_SIZE])
        for slot in range(NUM_SLOTS):
            left -= seen[_TAKEN + slot]
        return left > 1
    return bool(seen[_PHASE + Phase.BURY])
