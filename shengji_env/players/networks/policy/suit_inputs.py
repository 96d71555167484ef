"""What a `suits.SuitNetwork` reads of an observation: a row for each plain suit, one for trumps, one for the table.

It is what value networks read (`champion.inputs`), and the cards taken so far in the decision under way, since here a
play is decided card by card. Other than there, the plain suits' level cards are not sorted among the trumps but counted
together; which suit's they are stands in the suit's own row. What a suit is called changes nothing but its place.

Under no trump, and before trumps are named, the fourth block of slots is a plain suit; otherwise it is trumps.

**Order.** Cards of a decision are taken in ascending slot order, so where several plain suits are taken from, the first
card says that nothing is taken from the suits before its own: there, and only there (`is_ordered`), the suits' places
matter too.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_SUITS
from shengji_env.engine.compile import compile_for, jit
from shengji_env.engine.slots import (
    LEVEL_SLOT,
    LITTLE_JOKER_SLOT,
    NO_TRUMP,
    NUM_SLOTS,
    PLAIN_RANKS,
    TRUMP_LEVEL_SLOT,
)
from shengji_env.engine.state import Phase
from shengji_env.players.networks.champion import inputs
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE

INPUTS_VERSION = f"{inputs.INPUTS_VERSION}.1"
"""Raise the last number whenever an input changes its place or meaning."""

_FIELDS: Any = OBSERVATION_DTYPE.fields
_FIRST = {segment: int(_FIELDS[segment][1]) for segment in OBSERVATION_DTYPE.names or ()}
_TAKEN, _BID, _PHASE, _LEAD_SIZE, _MUST_MATCH = (
    _FIRST[name] for name in ("taken", "bid_kind", "phase", "lead_size", "must_match")
)
_NO_TRUMP = _FIRST["trump"] + NO_TRUMP
_UNNAMED = _NO_TRUMP + 1
_FOURTH = NUM_SUITS - 1

_ROWS = np.append(inputs.SLOT_ROWS, _TAKEN)
_TRUMP_SLOTS = np.array([*range(_FOURTH * PLAIN_RANKS, LEVEL_SLOT), TRUMP_LEVEL_SLOT])
"""Slots that are the trump suit's if one is named."""
_JOKER_SLOTS = np.arange(LITTLE_JOKER_SLOT, NUM_SLOTS)
_TRUMP_MARKS = inputs.TRUMP_PLACES[inputs.NUM_TRUMP_CARDS * len(inputs.SLOT_ROWS) :]
"""What is said of trumps as of any effective suit: who is void, whether they are led."""
_SUIT_SLOTS = np.array(
    [[*range(PLAIN_RANKS * suit, PLAIN_RANKS * (suit + 1)), LEVEL_SLOT + suit] for suit in range(NUM_SUITS)]
)
_SUIT_PLACES = np.concatenate([inputs.SUIT_PLACES, _TAKEN + _SUIT_SLOTS], axis=1)

NUM_SUIT_INPUTS = _SUIT_PLACES.shape[1] + 1
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
    i = SuitInputs(
        np.zeros((size, NUM_SUITS, NUM_SUIT_INPUTS), np.int8), np.zeros((size, NUM_SUITS), np.bool_),
        np.empty((size, NUM_TRUMP_INPUTS), np.int8), np.empty((size, NUM_TABLE_INPUTS), np.int8),
        np.empty(size, np.bool_),
    )  # fmt: skip
    for row in range(size):
        o = observations[row]
        num_plain = NUM_SUITS if o[_UNNAMED] or o[_NO_TRUMP] else _FOURTH
        for suit in range(num_plain):
            i.is_plain[row, suit] = True
            _write_suit(o, suit, i.suits[row, suit])
        _write_trumps(o, num_plain, i.trumps[row])
        for place in range(NUM_TABLE_INPUTS):
            i.table[row, place] = o[inputs.TABLE_PLACES[place]]
        i.is_ordered[row] = _is_ordered(o)
    return i


@jit
def _write_suit(o: NDArray[Any], suit: int, row: NDArray[Any]) -> None:
    for place in range(NUM_SUIT_INPUTS - 1):
        row[place] = o[_SUIT_PLACES[suit, place]]
    row[NUM_SUIT_INPUTS - 1] = o[_BID + suit] if o[_UNNAMED] else 0


@jit
def _write_trumps(o: NDArray[Any], num_plain: int, row: NDArray[Any]) -> None:
    place = 0
    for start in _ROWS:
        for slot in _TRUMP_SLOTS:
            row[place] = o[start + slot] if num_plain == _FOURTH else 0
            place += 1
        for slot in _JOKER_SLOTS:
            row[place] = o[start + slot]
            place += 1
        for suit in range(num_plain):
            count = o[start + LEVEL_SLOT + suit]
            row[place] = count + (row[place] if suit else 0)
            row[place + 1] = max(count - 1, 0) + (row[place + 1] if suit else 0)
        place += 2
    for mark in _TRUMP_MARKS:
        row[place] = o[mark]
        place += 1


@jit
def _is_ordered(o: NDArray[Any]) -> bool:
    if o[_PHASE + Phase.FOLLOW] and not o[_MUST_MATCH]:
        left = int(o[_LEAD_SIZE])
        for slot in range(NUM_SLOTS):
            left -= o[_TAKEN + slot]
        return left > 1
    return bool(o[_PHASE + Phase.BURY])


def compile_suit_inputs() -> None:
    """Compile `make_suit_inputs`, or load it from the cache."""
    compile_for(make_suit_inputs, np.zeros((1, OBSERVATION_SIZE), np.int8))
