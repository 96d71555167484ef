"""The whole truth about a table as one int8 vector, for centralised critics: what `state()` returns.

`TRUTH_LAYOUT` is the one definition. Seats are absolute. Counts of cards are in slot order: the round's slots, or while
bids are made those of no trump with the level rank with which the seat to move bids. Only the order of the cards still
to be drawn is left out.

Source: docs/environments/observation.md.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.bids import bid_level
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, card_of_slot
from shengji_env.engine.state import UNNAMED, Rules, State
from shengji_env.tables.holdings import add_coming, add_hand, add_kitty
from shengji_env.tables.observation import LAYOUT, OBSERVATION_DTYPE, Segment
from shengji_env.tables.observing import write_observation

Truth: TypeAlias = np.record

HIDDEN: tuple[Segment, ...] = (
    Segment(
        "hands", (NUM_SEATS, NUM_SLOTS), "cards that each seat holds, those taken for the decision under way included"
    ),
    Segment("coming", (NUM_SEATS, NUM_SLOTS), "cards that each seat is still going to draw"),
    Segment("kitty", (NUM_SLOTS,), "the kitty, until the declarer takes it up"),
    Segment("buried", (NUM_SLOTS,), "what is buried in the kitty; zero while a seat holds it"),
    Segment("passed_on", (NUM_SEATS, NUM_SLOTS), "what each seat has buried, and another has taken up since"),
    Segment("known", (NUM_SEATS, NUM_SLOTS), "cards that all know each seat to hold"),
    Segment("played", (NUM_SEATS, NUM_SLOTS), "played so far by each seat, the current trick included"),
    Segment("trick", (NUM_SEATS, NUM_SLOTS), "in the current trick by each seat"),
    Segment("seat", (NUM_SEATS,), "the seat to move, one-hot; zero when the round is over"),
)
"""Segments that no observation has in this form."""
_OF_MOVER = ("taken", "card_points", "must_match", "demand", "level_rank")
"""Segments of the observation of the seat to move that are true for all."""
_OF_SEATS = (
    "turned", "phase", "leader", "winning", "lead_suit", "lead_size", "lead_shape", "declarer", "burier", "trump",
    "levels", "bid_count", "bid_kind", "bidder", "first_bidder", "drawn", "all_drawn", "redeals", "rebellions",
    "attackers_points", "trick_points", "tricks", "voids", "match_round", "rules",
)  # fmt: skip
"""Segments of seat 0's observation, in which seats and teams are absolute, since they are relative to seat 0."""

_SEGMENTS = {segment.name: segment for segment in LAYOUT}
TRUTH_LAYOUT: tuple[Segment, ...] = (*HIDDEN, *(_SEGMENTS[name] for name in (*_OF_MOVER, *_OF_SEATS)))
"""The truth's segments in order; those taken from the observation mean the same there, with seat 0 as self."""

TRUTH_DTYPE = np.dtype((np.record, [(segment.name, np.int8, segment.shape) for segment in TRUTH_LAYOUT]))
TRUTH_SIZE = sum(segment.size for segment in TRUTH_LAYOUT)


def view_truth(truth: NDArray[np.int8]) -> NDArray[np.void]:
    """Return the truth's segments by name: a view, shape (...,), of a C-contiguous array of shape (..., TRUTH_SIZE)."""
    return truth.view(TRUTH_DTYPE)[..., 0]


def _copies(names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return offset in the observation, offset in the truth and size of some segments, shape (n, 3)."""
    sources: Any = OBSERVATION_DTYPE.fields
    targets: Any = TRUTH_DTYPE.fields
    return np.array([(sources[name][1], targets[name][1], _SEGMENTS[name].size) for name in names], np.int64)


_COPIES_OF_MOVER = _copies(_OF_MOVER)
_COPIES_OF_SEATS = _copies(_OF_SEATS)


def write_truth(
    states: NDArray[Any], shared: NDArray[Any], observations: NDArray[Any], truth: NDArray[np.int8]
) -> None:
    """Write the truth about table 0 of some states into `truth`, shape (TRUTH_SIZE,); `observations` is overwritten."""
    seen = _Both(observations, observations.view(np.int8))
    _write(states, shared, seen, _Both(truth.view(TRUTH_DTYPE), truth))


class _Both(NamedTuple):
    """One array as a record of segments, and as its numbers."""

    records: NDArray[Any]
    numbers: NDArray[Any]


@jit
def _write(states: NDArray[Any], shared: NDArray[Any], seen: _Both, truth: _Both) -> None:
    s = states[0]
    r = shared[0].rules
    mover = max(s.seat, 0)
    write_observation(s, r, mover, seen.records[0])
    _copy(seen.numbers, truth.numbers, _COPIES_OF_MOVER)
    write_observation(s, r, 0, seen.records[0])
    _copy(seen.numbers, truth.numbers, _COPIES_OF_SEATS)
    _write_cards(s, r, mover, truth.records[0])


@jit
def _copy(observation: NDArray[Any], truth: NDArray[Any], copies: NDArray[Any]) -> None:
    for row in range(copies.shape[0]):
        for index in range(copies[row, 2]):
            truth[copies[row, 1] + index] = observation[copies[row, 0] + index]


@jit
def _write_cards(s: State, r: Rules, mover: int, truth: Truth) -> None:
    level = bid_level(s, mover)
    for slot in range(NUM_SLOTS):
        truth.kitty[slot] = 0
        truth.buried[slot] = s.buried[slot]
    add_kitty(s, r, level, truth.kitty)
    for seat in range(NUM_SEATS):
        truth.seat[seat] = 1 if s.seat == seat else 0
        for slot in range(NUM_SLOTS):
            truth.hands[seat, slot] = 0
            truth.coming[seat, slot] = 0
            # While bids are made, shown cards are kept by card id.
            shown = card_of_slot(slot, NO_TRUMP, level) if s.trump == UNNAMED else slot
            truth.known[seat, slot] = s.known[seat, shown]
            truth.played[seat, slot] = s.played[seat, slot]
            truth.trick[seat, slot] = s.trick[seat, slot]
            truth.passed_on[seat, slot] = s.passed_on[seat, slot]
        add_hand(s, seat, level, truth.hands[seat])
        add_coming(s, r, seat, level, truth.coming[seat])
