"""What the network reads of a decision: observation and candidates, split by effective suit.

Plain suits are interchangeable, so one encoder reads them all. A decision is

| what | shape | holds |
|---|---|---|
| a row for each plain suit | (NUM_SUIT_INPUTS,) | what the observation says of the suit's twelve slots; voids |
| a row for trumps | (NUM_TRUMP_INPUTS,) | the same of the trumps' eighteen slots |
| a row for the table | (NUM_TABLE_INPUTS,) | everything else |

and a candidate is a row of NUM_CANDIDATE_INPUTS features, and for each suit from which it takes cards, or which it
names, a **touch**: what it does to the suit. A candidate changes the encoding of the suits that it touches, and of no
others, so most of the work is done once for a decision.

Under no trump, and before trumps are named, there are four plain suits; otherwise the fourth block of slots is trumps.
A plain suit's level card stands in its suit's row, since it can be bid with, and again in the row of trumps, where such
cards are sorted by what is said of them: what a suit is called changes nothing.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.slots import LEVEL_SLOT, NO_TRUMP, NUM_EFFECTIVE_SUITS, NUM_SLOTS, PLAIN_RANKS, TRUMP
from shengji_env.players.candidates.features import FEATURES, FEATURES_DTYPE, Feature
from shengji_env.tables.observation import LAYOUT, OBSERVATION_DTYPE, Segment

INPUTS_VERSION = 2
"""Raise it whenever an input changes its place or meaning."""

_NO_LEVEL_CARD = NUM_SUITS
_UNUSED = ("taken",)
"""Empty where a decision begins."""
_BY_SUIT = ("voids", "lead_suit")
_TRUMP_BLOCK = LEVEL_SLOT - PLAIN_RANKS
_FOURTH = NUM_SUITS - 1
_FIELDS: Any = OBSERVATION_DTYPE.fields
_FEATURE_FIELDS: Any = FEATURES_DTYPE.fields
_NO_TRUMP_PLACE = _FIELDS["trump"][1] + NO_TRUMP
_UNNAMED_PLACE = _NO_TRUMP_PLACE + 1
_BID_PLACE = _FIELDS["bid_kind"][1]


def _rows(segment: Segment, width: int) -> range:
    """Return where the rows of a segment begin whose last axis has this width."""
    start = _FIELDS[segment.name][1]
    return range(start, start + segment.size, width)


def _places(segment: Segment) -> range:
    start = _FIELDS[segment.name][1]
    return range(start, start + segment.size)


_SLOT_ROWS = [
    row for part in LAYOUT if part.shape[-1] == NUM_SLOTS and part.name not in _UNUSED for row in _rows(part, NUM_SLOTS)
]
SLOT_ROWS = np.array(_SLOT_ROWS)
_SUIT_ROWS = [row for part in LAYOUT if part.name in _BY_SUIT for row in _rows(part, NUM_EFFECTIVE_SUITS)]
_TABLE_PLACES = [
    place
    for part in LAYOUT
    if part.shape[-1] != NUM_SLOTS and part.name not in (*_UNUSED, *_BY_SUIT)
    for place in _places(part)
    if not _BID_PLACE <= place < _BID_PLACE + NUM_SUITS and not _FIELDS["trump"][1] <= place < _NO_TRUMP_PLACE
]
"""Suits of bids are by name, so they are left out here, as the suit of trumps is."""

SUIT_PLACES = np.array(
    [
        [
            row + slot
            for row in _SLOT_ROWS
            for slot in (*range(PLAIN_RANKS * suit, PLAIN_RANKS * (suit + 1)), LEVEL_SLOT + suit)
        ]
        + [row + suit for row in _SUIT_ROWS]
        for suit in range(NUM_SUITS)
    ]
)
"""(4, S) places in the observation of what is said of each plain suit; one input more is the standing bid's suit."""
TRUMP_PLACES = np.array(
    [row + slot for row in _SLOT_ROWS for slot in range(_TRUMP_BLOCK, NUM_SLOTS)] + [row + TRUMP for row in _SUIT_ROWS]
)
"""(T,) places of what is said of trumps."""
_LEVEL_CARD = np.array(
    [
        slot - LEVEL_SLOT if LEVEL_SLOT <= slot < LEVEL_SLOT + NUM_SUITS else _NO_LEVEL_CARD
        for _ in _SLOT_ROWS
        for slot in range(_TRUMP_BLOCK, NUM_SLOTS)
    ]
    + [_NO_LEVEL_CARD for _ in _SUIT_ROWS]
)
"""(T,) the suit whose level card each of them is about."""
_IS_FOURTH = np.array(
    [slot < LEVEL_SLOT for _ in _SLOT_ROWS for slot in range(_TRUMP_BLOCK, NUM_SLOTS)] + [False for _ in _SUIT_ROWS]
)
"""(T,) which of them are the fourth block's, no trumps if there are four plain suits."""
TABLE_PLACES = np.array(_TABLE_PLACES)

_SUIT_PARTS = [part for part in FEATURES if part.shape == (NUM_EFFECTIVE_SUITS,)]
_NAMES_PLACE = _FEATURE_FIELDS["names"][1]
_SUIT_CARDS_PLACE = _FEATURE_FIELDS["suit_cards"][1]


def _feature_places(part: Feature) -> range:
    start = _FEATURE_FIELDS[part.name][1]
    return range(start, start + part.size)


TOUCH_PLACES = np.array(
    [[_FEATURE_FIELDS[part.name][1] + suit for part in _SUIT_PARTS] for suit in range(NUM_EFFECTIVE_SUITS)]
)
"""(5, F) places in the features of what is said of each effective suit, the suit that is named among them."""
CANDIDATE_PLACES = np.array([place for part in FEATURES if part not in _SUIT_PARTS for place in _feature_places(part)])
"""(A,) places of all other features."""

NUM_SUIT_INPUTS = SUIT_PLACES.shape[1] + 1
NUM_TRUMP_INPUTS = len(TRUMP_PLACES)
NUM_TABLE_INPUTS = len(TABLE_PLACES)
NUM_CANDIDATE_INPUTS = len(CANDIDATE_PLACES)
NUM_TRUMP_CARDS = NUM_SLOTS - _TRUMP_BLOCK
NUM_SUIT_TOUCH = PLAIN_RANKS + TOUCH_PLACES.shape[1]
NUM_TRUMP_TOUCH = NUM_TRUMP_CARDS + TOUCH_PLACES.shape[1]


class Inputs(NamedTuple):
    """D decisions with C candidates, as the network reads them; all rows are int8.

    P is the number of plain suits of all decisions, T and U the number of touches of plain suits and of trumps.
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
    touches: NDArray[np.int8]
    """(T, NUM_SUIT_TOUCH) cards by rank, then what the features say of the suit."""
    touched_suits: NDArray[np.int64]
    """(T,) row of `suits` that is touched."""
    touching: NDArray[np.int64]
    """(T,) candidate that touches it, ascending."""
    trump_touches: NDArray[np.int8]
    """(U, NUM_TRUMP_TOUCH)."""
    trump_touching: NDArray[np.int64]
    """(U,) candidate that touches trumps, ascending."""


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
    suits, suit_owners = np.empty((NUM_SUITS * size, NUM_SUIT_INPUTS), np.int8), np.empty(NUM_SUITS * size, np.int64)
    trumps, owners = np.empty((size, NUM_TRUMP_INPUTS), np.int8), np.empty(total, np.int64)
    touches = np.empty((NUM_SUITS * total, NUM_SUIT_TOUCH), np.int8)
    touched, touching = np.empty(NUM_SUITS * total, np.int64), np.empty(NUM_SUITS * total, np.int64)
    trump_touches, trump_touching = np.empty((total, NUM_TRUMP_TOUCH), np.int8), np.empty(total, np.int64)
    table, rows = np.empty((size, NUM_TABLE_INPUTS), np.int8), np.empty((total, NUM_CANDIDATE_INPUTS), np.int8)
    num_suits, num_touches, num_trumps = _fill(
        observations, offsets, cards, features, suits, suit_owners, trumps, table, rows, owners, touches, touched,
        touching, trump_touches, trump_touching,
    )  # fmt: skip
    return Inputs(
        suits[:num_suits], suit_owners[:num_suits], trumps, table, rows, owners, touches[:num_touches],
        touched[:num_touches], touching[:num_touches], trump_touches[:num_trumps], trump_touching[:num_trumps],
    )  # fmt: skip


@jit
def _fill(
    observations: NDArray[Any],
    offsets: NDArray[Any],
    cards: NDArray[Any],
    features: NDArray[Any],
    suits: NDArray[Any],
    suit_owners: NDArray[Any],
    trumps: NDArray[Any],
    table: NDArray[Any],
    rows: NDArray[Any],
    owners: NDArray[Any],
    touches: NDArray[Any],
    touched: NDArray[Any],
    touching: NDArray[Any],
    trump_touches: NDArray[Any],
    trump_touching: NDArray[Any],
) -> tuple[int, int, int]:
    num_suits, num_touches, num_trumps = 0, 0, 0
    order, is_tied = np.empty(NUM_SUITS, np.int64), np.zeros(NUM_SUITS, np.bool_)
    for decision in range(observations.shape[0]):
        o = observations[decision]
        is_unnamed = o[_UNNAMED_PLACE] != 0
        has_four = is_unnamed or o[_NO_TRUMP_PLACE] != 0
        first, plain = num_suits, NUM_SUITS if has_four else _FOURTH
        for suit in range(plain):
            _write_suit(o, suit, is_unnamed, suits[num_suits])
            suit_owners[num_suits] = decision
            num_suits += 1
        _sort_level_cards(o, plain, order, is_tied)
        _write_trumps(o, has_four, order[:plain], trumps[decision])
        for place in range(NUM_TABLE_INPUTS):
            table[decision, place] = o[TABLE_PLACES[place]]
        for candidate in range(offsets[decision], offsets[decision + 1]):
            owners[candidate] = decision
            f, held = features[candidate], cards[candidate]
            for place in range(NUM_CANDIDATE_INPUTS):
                rows[candidate, place] = f[CANDIDATE_PLACES[place]]
            for suit in range(plain):
                if f[_SUIT_CARDS_PLACE + suit] or f[_NAMES_PLACE + suit]:
                    _write_suit_touch(f, held, suit, touches[num_touches])
                    touched[num_touches] = first + suit
                    touching[num_touches] = candidate
                    num_touches += 1
            if f[_SUIT_CARDS_PLACE + TRUMP] or f[_NAMES_PLACE + TRUMP]:
                _write_trump_touch(f, held, has_four, order[:plain], is_tied, trump_touches[num_trumps])
                trump_touching[num_trumps] = candidate
                num_trumps += 1
    return num_suits, num_touches, num_trumps


@jit
def _sort_level_cards(o: NDArray[Any], plain: int, order: NDArray[Any], is_tied: NDArray[Any]) -> None:
    """Order the plain suits by what is said of their level cards; note which are like the one before."""
    for suit in range(plain):
        place = suit
        while place > 0 and _is_before(o, LEVEL_SLOT + suit, LEVEL_SLOT + order[place - 1]):
            order[place] = order[place - 1]
            place -= 1
        order[place] = suit
    for place in range(1, plain):
        is_tied[place] = not _is_before(o, LEVEL_SLOT + order[place - 1], LEVEL_SLOT + order[place])


@jit
def _is_before(o: NDArray[Any], slot: int, other: int) -> bool:
    for row in SLOT_ROWS:
        if o[row + slot] != o[row + other]:
            return bool(o[row + slot] < o[row + other])
    return False


@jit
def _write_trumps(o: NDArray[Any], has_four: bool, order: NDArray[Any], row: NDArray[Any]) -> None:
    for place in range(NUM_TRUMP_INPUTS):
        seen, suit = TRUMP_PLACES[place], _LEVEL_CARD[place]
        if suit < order.size:
            seen += order[suit] - suit
        row[place] = 0 if has_four and _IS_FOURTH[place] else o[seen]


@jit
def _write_suit(o: NDArray[Any], suit: int, is_unnamed: bool, row: NDArray[Any]) -> None:
    for place in range(NUM_SUIT_INPUTS - 1):
        row[place] = o[SUIT_PLACES[suit, place]]
    row[NUM_SUIT_INPUTS - 1] = o[_BID_PLACE + suit] if is_unnamed else 0


@jit
def _write_suit_touch(f: NDArray[Any], held: NDArray[Any], suit: int, row: NDArray[Any]) -> None:
    for rank in range(PLAIN_RANKS):
        row[rank] = held[PLAIN_RANKS * suit + rank]
    _write_touch(f, suit, PLAIN_RANKS, row)


@jit
def _write_trump_touch(
    f: NDArray[Any], held: NDArray[Any], has_four: bool, order: NDArray[Any], is_tied: NDArray[Any], row: NDArray[Any]
) -> None:
    for place in range(NUM_TRUMP_CARDS):
        row[place] = 0 if has_four and place < PLAIN_RANKS else held[_TRUMP_BLOCK + place]
    for number in range(order.size):
        place, count = PLAIN_RANKS + number, held[LEVEL_SLOT + order[number]]
        while place > PLAIN_RANKS and is_tied[place - PLAIN_RANKS] and row[place - 1] > count:
            row[place] = row[place - 1]
            place -= 1
        row[place] = count
    _write_touch(f, TRUMP, NUM_TRUMP_CARDS, row)


@jit
def _write_touch(f: NDArray[Any], suit: int, start: int, row: NDArray[Any]) -> None:
    for place in range(TOUCH_PLACES.shape[1]):
        row[start + place] = f[TOUCH_PLACES[suit, place]]
