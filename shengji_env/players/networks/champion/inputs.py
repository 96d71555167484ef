"""What the network reads of a decision: observation and candidates, split by effective suit.

Plain suits are interchangeable, so one encoder reads them all. A decision is

| what | shape | holds |
|---|---|---|
| a row for each plain suit | (NUM_SUIT_INPUTS,) | what the observation says of the suit's twelve slots; voids |
| a row for trumps | (NUM_TRUMP_INPUTS,) | the same of the trumps' eighteen slots |
| a row for the table | (NUM_TABLE_INPUTS,) | everything else |

and a candidate is a row of NUM_CANDIDATE_INPUTS features, and for each suit from which it takes cards, or which it
names, a **change**: what it does to the suit. A candidate changes the encoding of these suits, and of no others, so
most of the work is done once for a decision. (In files of networks, a change is called a touch.)

Under no trump, and before trumps are named, there are four plain suits; otherwise the fourth block of slots is trumps.
A plain suit's level card stands in its suit's row, since it can be bid with, and again in the row of trumps, where such
cards are sorted by their inputs: the name of a suit changes nothing.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_record import NUM_RULE_FEATURES
from shengji_env.engine.slots import LEVEL_SLOT, NO_TRUMP, NUM_EFFECTIVE_SUITS, NUM_SLOTS, PLAIN_RANKS, TRUMP
from shengji_env.players.candidates.features import FEATURES, FEATURES_DTYPE, Feature
from shengji_env.tables.observation import LAYOUT, OBSERVATION_DTYPE, Segment

INPUTS_VERSION = 3
"""Raise it whenever an input changes its column or meaning."""

_UNUSED = ("taken",)
"""Empty where a decision begins."""
_BY_SUIT = ("voids", "lead_suit")
_TRUMP_BLOCK = LEVEL_SLOT - PLAIN_RANKS
_FOURTH = NUM_SUITS - 1


def _first_columns(record: np.dtype[Any]) -> dict[str, int]:
    fields: Any = record.fields
    return {name: int(fields[name][1]) for name in fields}


FIRST_COLUMNS = _first_columns(OBSERVATION_DTYPE)
"""Where each segment of the observation begins."""
_FEATURE_COLUMNS = _first_columns(FEATURES_DTYPE)
_TRUMP, _BID = FIRST_COLUMNS["trump"], FIRST_COLUMNS["bid_kind"]
_NO_TRUMP = _TRUMP + NO_TRUMP
_UNNAMED = _NO_TRUMP + 1
_NAMES, _SUIT_CARDS = _FEATURE_COLUMNS["names"], _FEATURE_COLUMNS["suit_cards"]


def _columns_of(part: Segment | Feature, first: dict[str, int], step: int = 1) -> range:
    """Return the columns of a part, or every `step`-th: where the rows of its last axis begin."""
    return range(first[part.name], first[part.name] + part.size, step)


SLOT_ROWS = np.array(
    [
        row
        for part in LAYOUT
        if part.shape[-1] == NUM_SLOTS and part.name not in _UNUSED
        for row in _columns_of(part, FIRST_COLUMNS, NUM_SLOTS)
    ]
)
"""Where the rows of the observation begin that have a column for each slot."""
_SUIT_ROWS = np.array(
    [row for part in LAYOUT if part.name in _BY_SUIT for row in _columns_of(part, FIRST_COLUMNS, NUM_EFFECTIVE_SUITS)]
)
"""Where the rows begin that have a column for each effective suit."""
SUIT_SLOTS = np.array(
    [[*range(PLAIN_RANKS * suit, PLAIN_RANKS * (suit + 1)), LEVEL_SLOT + suit] for suit in range(NUM_SUITS)]
)
"""(4, 13) the slots of each plain suit and of its level card."""


def _columns_about(slots: NDArray[np.int64], suit: int) -> NDArray[np.int64]:
    """Return the columns of the observation about some slots, and about the effective suit that they are of."""
    return np.append(np.add.outer(SLOT_ROWS, slots), _SUIT_ROWS + suit)


SUIT_COLUMNS = np.array([_columns_about(slots, suit) for suit, slots in enumerate(SUIT_SLOTS)])
"""(4, S) columns of the observation about each plain suit; one input more is the standing bid's suit."""
_TRUMP_SLOTS = np.arange(_TRUMP_BLOCK, NUM_SLOTS)
TRUMP_COLUMNS = _columns_about(_TRUMP_SLOTS, TRUMP)
"""(T,) columns about trumps."""
_SLOT_OF_COLUMN = np.append(np.tile(_TRUMP_SLOTS, len(SLOT_ROWS)), np.full(len(_SUIT_ROWS), NUM_SLOTS))
_LEVEL_CARD = np.where(np.isin(_SLOT_OF_COLUMN, SUIT_SLOTS[:, -1]), _SLOT_OF_COLUMN - LEVEL_SLOT, NUM_SUITS)
"""(T,) the suit whose level card each of them is about; 4: none."""
_IS_FOURTH = _SLOT_OF_COLUMN < LEVEL_SLOT
"""(T,) which of them are the fourth block's, not trumps if there are four plain suits."""
TABLE_COLUMNS = np.array(
    [
        column
        for part in LAYOUT
        if part.shape[-1] != NUM_SLOTS and part.name not in (*_UNUSED, *_BY_SUIT)
        for column in _columns_of(part, FIRST_COLUMNS)
        if not _BID <= column < _BID + NUM_SUITS and not _TRUMP <= column < _NO_TRUMP
    ]
)
"""Columns about everything else. Suits of bids are by name, so they are left out, as the suit of trumps is."""

_SUIT_PARTS = [part for part in FEATURES if part.shape == (NUM_EFFECTIVE_SUITS,)]
_CHANGE_COLUMNS = np.array(
    [[_FEATURE_COLUMNS[part.name] + suit for part in _SUIT_PARTS] for suit in range(NUM_EFFECTIVE_SUITS)]
)
"""(5, F) columns of the features about each effective suit, the suit that is named among them."""
_CANDIDATE_COLUMNS = np.array(
    [column for part in FEATURES if part not in _SUIT_PARTS for column in _columns_of(part, _FEATURE_COLUMNS)]
)
"""(A,) columns of all other features."""

NUM_SUIT_INPUTS = SUIT_COLUMNS.shape[1] + 1
NUM_TRUMP_INPUTS = len(TRUMP_COLUMNS)
NUM_TABLE_INPUTS = len(TABLE_COLUMNS)
RULE_INPUTS = slice(NUM_TABLE_INPUTS - NUM_RULE_FEATURES, NUM_TABLE_INPUTS)
"""The table's last inputs: the features of the rules."""
assert (TABLE_COLUMNS[RULE_INPUTS] == FIRST_COLUMNS["rules"] + np.arange(NUM_RULE_FEATURES)).all()
NUM_CANDIDATE_INPUTS = len(_CANDIDATE_COLUMNS)
NUM_TRUMP_CARDS = NUM_SLOTS - _TRUMP_BLOCK
NUM_SUIT_CHANGE = PLAIN_RANKS + _CHANGE_COLUMNS.shape[1]
NUM_TRUMP_CHANGE = NUM_TRUMP_CARDS + _CHANGE_COLUMNS.shape[1]


class Inputs(NamedTuple):
    """D decisions with C candidates, as the network reads them; all rows are int8.

    P is the number of plain suits of all decisions, T and U the number of changes to plain suits and to trumps.
    """

    suits: NDArray[np.int8]
    """(P, NUM_SUIT_INPUTS), by decision and suit."""
    suit_owners: NDArray[np.int64]
    """(P,) each suit's decision."""
    trumps: NDArray[np.int8]
    """(D, NUM_TRUMP_INPUTS)."""
    table: NDArray[np.int8]
    """(D, NUM_TABLE_INPUTS)."""
    features: NDArray[np.int8]
    """(C, NUM_CANDIDATE_INPUTS)."""
    owners: NDArray[np.int64]
    """(C,) each candidate's decision."""
    suit_changes: NDArray[np.int8]
    """(T, NUM_SUIT_CHANGE) cards by rank, then what the features say of the suit."""
    changed_suits: NDArray[np.int64]
    """(T,) row of `suits` that is changed."""
    suit_change_owners: NDArray[np.int64]
    """(T,) candidate that changes it, ascending."""
    trump_changes: NDArray[np.int8]
    """(U, NUM_TRUMP_CHANGE)."""
    trump_change_owners: NDArray[np.int64]
    """(U,) candidate that changes trumps, ascending."""


@jit
def make_inputs(
    observations: NDArray[np.int8], offsets: NDArray[np.int64], cards: NDArray[np.int8], features: NDArray[np.int8]
) -> Inputs:
    """Return what the network reads.

    Args:
        observations: (D, OBSERVATION_SIZE), each as its decision begins.
        offsets: (D + 1,), candidates of decision d are offsets[d] to offsets[d + 1] - 1.
        cards: (C, 54), zero for actions.
        features: (C, NUM_FEATURES).
    """
    size, total = len(observations), len(cards)
    room = Inputs(
        np.empty((NUM_SUITS * size, NUM_SUIT_INPUTS), np.int8), np.empty(NUM_SUITS * size, np.int64),
        np.empty((size, NUM_TRUMP_INPUTS), np.int8), np.empty((size, NUM_TABLE_INPUTS), np.int8),
        np.empty((total, NUM_CANDIDATE_INPUTS), np.int8), np.empty(total, np.int64),
        np.empty((NUM_SUITS * total, NUM_SUIT_CHANGE), np.int8), np.empty(NUM_SUITS * total, np.int64),
        np.empty(NUM_SUITS * total, np.int64),
        np.empty((total, NUM_TRUMP_CHANGE), np.int8), np.empty(total, np.int64),
    )  # fmt: skip
    suits, changes, trumps = _fill(observations, offsets, cards, features, room)
    return Inputs(
        room.suits[:suits], room.suit_owners[:suits], room.trumps, room.table, room.features, room.owners,
        room.suit_changes[:changes], room.changed_suits[:changes], room.suit_change_owners[:changes],
        room.trump_changes[:trumps], room.trump_change_owners[:trumps],
    )  # fmt: skip


@jit
def _fill(
    observations: NDArray[Any], offsets: NDArray[Any], cards: NDArray[Any], features: NDArray[Any], inputs: Inputs
) -> tuple[int, int, int]:
    """Write the inputs; return the numbers of plain suits, of changes to them and of changes to trumps."""
    num_suits, num_changes, num_trumps = 0, 0, 0
    order, is_tied = np.empty(NUM_SUITS, np.int64), np.zeros(NUM_SUITS, np.bool_)
    for decision in range(observations.shape[0]):
        seen = observations[decision]
        first, plain = num_suits, num_plain_suits(seen)
        for suit in range(plain):
            write_suit(seen, suit, SUIT_COLUMNS[suit], inputs.suits[num_suits])
            inputs.suit_owners[num_suits] = decision
            num_suits += 1
        _sort_level_cards(seen, order[:plain], is_tied)
        _write_trumps(seen, order[:plain], inputs.trumps[decision])
        gather(seen, TABLE_COLUMNS, inputs.table[decision])
        for candidate in range(offsets[decision], offsets[decision + 1]):
            inputs.owners[candidate] = decision
            said, played = features[candidate], cards[candidate]
            gather(said, _CANDIDATE_COLUMNS, inputs.features[candidate])
            for suit in range(plain):
                if said[_SUIT_CARDS + suit] or said[_NAMES + suit]:
                    _write_suit_change(said, played, suit, inputs.suit_changes[num_changes])
                    inputs.changed_suits[num_changes] = first + suit
                    inputs.suit_change_owners[num_changes] = candidate
                    num_changes += 1
            if said[_SUIT_CARDS + TRUMP] or said[_NAMES + TRUMP]:
                _write_trump_change(said, played, order[:plain], is_tied, inputs.trump_changes[num_trumps])
                inputs.trump_change_owners[num_trumps] = candidate
                num_trumps += 1
    return num_suits, num_changes, num_trumps


@jit
def num_plain_suits(seen: NDArray[Any]) -> int:
    """Return how many plain suits there are: four under no trump and before trumps are named, otherwise three."""
    return NUM_SUITS if seen[_UNNAMED] or seen[_NO_TRUMP] else _FOURTH


@jit
def gather(values: NDArray[Any], columns: NDArray[Any], row: NDArray[Any]) -> None:
    """Write some columns of `values` to the beginning of a row."""
    for index in range(columns.size):
        row[index] = values[columns[index]]


@jit
def write_suit(seen: NDArray[Any], suit: int, columns: NDArray[Any], row: NDArray[Any]) -> None:
    """Write some columns of an observation about a plain suit, and whether the standing bid is of the suit."""
    gather(seen, columns, row)
    row[columns.size] = seen[_BID + suit] if seen[_UNNAMED] else 0


@jit
def _sort_level_cards(seen: NDArray[Any], order: NDArray[Any], is_tied: NDArray[Any]) -> None:
    """Order the plain suits by the inputs about their level cards; note which are like the one before."""
    for suit in range(order.size):
        rank = suit
        while rank > 0 and _is_before(seen, LEVEL_SLOT + suit, LEVEL_SLOT + order[rank - 1]):
            order[rank] = order[rank - 1]
            rank -= 1
        order[rank] = suit
    for rank in range(1, order.size):
        is_tied[rank] = not _is_before(seen, LEVEL_SLOT + order[rank - 1], LEVEL_SLOT + order[rank])


@jit
def _is_before(seen: NDArray[Any], slot: int, other: int) -> bool:
    for row in SLOT_ROWS:
        if seen[row + slot] != seen[row + other]:
            return bool(seen[row + slot] < seen[row + other])
    return False


@jit
def _write_trumps(seen: NDArray[Any], order: NDArray[Any], row: NDArray[Any]) -> None:
    for index in range(NUM_TRUMP_INPUTS):
        column, suit = TRUMP_COLUMNS[index], _LEVEL_CARD[index]
        if suit < order.size:
            column += order[suit] - suit
        row[index] = 0 if order.size == NUM_SUITS and _IS_FOURTH[index] else seen[column]


@jit
def _write_suit_change(said: NDArray[Any], played: NDArray[Any], suit: int, row: NDArray[Any]) -> None:
    for rank in range(PLAIN_RANKS):
        row[rank] = played[PLAIN_RANKS * suit + rank]
    gather(said, _CHANGE_COLUMNS[suit], row[PLAIN_RANKS:])


@jit
def _write_trump_change(
    said: NDArray[Any], played: NDArray[Any], order: NDArray[Any], is_tied: NDArray[Any], row: NDArray[Any]
) -> None:
    for index in range(NUM_TRUMP_CARDS):
        row[index] = 0 if order.size == NUM_SUITS and index < PLAIN_RANKS else played[_TRUMP_BLOCK + index]
    for rank in range(order.size):
        index, count = PLAIN_RANKS + rank, played[LEVEL_SLOT + order[rank]]
        while index > PLAIN_RANKS and is_tied[index - PLAIN_RANKS] and row[index - 1] > count:
            row[index] = row[index - 1]
            index -= 1
        row[index] = count
    gather(said, _CHANGE_COLUMNS[TRUMP], row[NUM_TRUMP_CARDS:])
