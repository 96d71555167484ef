"""What a seat sees: one int8 vector, made of named segments.

`LAYOUT` is the one definition: the size, the record that compiled code writes (`observing.py`), the views and the
manual's table all come from it. Seats are relative to the seat that observes (0 self, 1 next, 2 partner, 3
previous); counts of cards are in slot order (`engine/slots.py`). Nothing in it depends on what the seat may not know.

Source: docs/environments/observation.md.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.bids import NUM_KINDS
from shengji_env.engine.cards import NUM_RANKS
from shengji_env.engine.rule_record import NUM_RULE_FEATURES
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_EFFECTIVE_SUITS, NUM_SLOTS
from shengji_env.engine.state import NUM_TEAMS, Phase

ObservationRecord: TypeAlias = np.record

LAYOUT_VERSION = 3
NUM_WIDTHS = 4
NUM_LENGTHS = 4
"""Shapes are counted by width 1..4 and length 1, 2, 3, 4 and more."""
POINTS_UNIT = 5
NUM_OTHER_SEATS = NUM_SEATS - 1


@dataclass(frozen=True)
class Segment:
    """One named part of the observation: its shape (int8) and what it means."""

    name: str
    shape: tuple[int, ...]
    doc: str

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape))


LAYOUT: tuple[Segment, ...] = (
    Segment("hand", (NUM_SLOTS,), "own cards that are not taken for the decision under way"),
    Segment("taken", (NUM_SLOTS,), "cards taken so far in the decision under way (own decisions only)"),
    Segment("played", (NUM_SEATS, NUM_SLOTS), "played so far by each seat, the current trick included"),
    Segment(
        "trick",
        (NUM_SEATS, NUM_SLOTS),
        "in the current trick by each seat; in FORCED the leader's is the throw that failed",
    ),
    Segment(
        "known",
        (NUM_OTHER_SEATS, NUM_SLOTS),
        "known to be held by next, partner, previous: shown by bids or failed throws",
    ),
    Segment("turned", (NUM_SLOTS,), "turned up from the kitty"),
    Segment("buried", (NUM_SLOTS,), "what lies in the kitty, for the seat that buried it"),
    Segment("passed_on", (NUM_SLOTS,), "buried by the seat, and taken up by another since"),
    Segment(
        "unseen",
        (NUM_SLOTS,),
        "copies that the seat cannot place: not own, not played, not known, not buried by itself",
    ),
    Segment("card_points", (NUM_SLOTS,), "points of one card of each slot, in units of 5"),
    Segment(
        "standing", (NUM_SLOTS,), "1 where no higher card of the effective suit is unseen or known with another seat"
    ),
    Segment(
        "beats",
        (NUM_SLOTS,),
        "1 where one card of the slot is above the top of the play that is winning; shapes and voids aside",
    ),
    Segment("phase", (len(Phase),), "phase of the decision, one-hot: BID NAME BURY LEAD FORCED FOLLOW OVER REBEL"),
    Segment("to_move", (1,), "1 if the seat is to move"),
    Segment("position", (NUM_SEATS,), "own position in the trick's turn order, one-hot; zero while there is no leader"),
    Segment("leader", (NUM_SEATS,), "who leads the trick, one-hot"),
    Segment("winning", (NUM_SEATS,), "who is winning the trick, one-hot"),
    Segment("lead_suit", (NUM_EFFECTIVE_SUITS,), "effective suit led, one-hot: plain blocks in slot order, trumps"),
    Segment("lead_size", (1,), "number of cards led"),
    Segment("lead_shape", (NUM_WIDTHS, NUM_LENGTHS), "number of led components by width 1..4 and length 1, 2, 3, 4+"),
    Segment("must_match", (1,), "1 if the seat holds more cards of the led suit than it must play"),
    Segment(
        "demand", (NUM_WIDTHS, NUM_LENGTHS), "what the hand owes in components wider than one, by width and length"
    ),
    Segment("declarer", (NUM_SEATS + 1,), "who is declarer, one-hot; the last: nobody yet"),
    Segment(
        "burier",
        (NUM_SEATS + 1,),
        "who took up the kitty last, one-hot; the last: nobody yet; zero without `kitty_retake`",
    ),
    Segment("trump", (NO_TRUMP + 2,), "trump suit, one-hot: C D H S, no trump, not yet named"),
    Segment("level_rank", (NUM_RANKS,), "level rank, one-hot: the round's, or the one that the own team bids with"),
    Segment("levels", (NUM_TEAMS, NUM_RANKS), "level of the own and of the other team, one-hot each"),
    Segment("bid_count", (1,), "cards that the standing bid shows"),
    Segment("bid_kind", (NUM_KINDS,), "kind of the standing bid, one-hot: C D H S, little, big jokers"),
    Segment("bidder", (NUM_SEATS,), "who holds the standing bid, one-hot"),
    Segment(
        "first_bidder",
        (NUM_SEATS,),
        "who made the deal's first bid, one-hot; zero unless `first_declarer` is first_bid",
    ),
    Segment("drawn", (1,), "cards drawn by each seat, rounded down"),
    Segment("all_drawn", (1,), "1 once the last card is drawn"),
    Segment("redeals", (1,), "times that the round was dealt again"),
    Segment("rebellions", (1,), "how many of these times a rebellion brought about"),
    Segment("attackers_points", (1,), "attackers' points so far, in units of 5"),
    Segment("trick_points", (1,), "points in the current trick, in units of 5"),
    Segment("buried_points", (1,), "points buried, in units of 5, for the seat that buried"),
    Segment("tricks", (1,), "tricks finished"),
    Segment("cards_left", (1,), "cards in the own hand, those taken included"),
    Segment("voids", (NUM_SEATS, NUM_EFFECTIVE_SUITS), "effective suits in which each seat has shown itself void"),
    Segment("match_round", (1,), "rounds of the match finished, at most 127"),
    Segment("rules", (NUM_RULE_FEATURES,), "features of the rule set, listed below"),
)
"""The observation's segments in order."""

OBSERVATION_DTYPE = np.dtype((np.record, [(segment.name, np.int8, segment.shape) for segment in LAYOUT]))
OBSERVATION_SIZE = sum(segment.size for segment in LAYOUT)


def view(observation: NDArray[np.int8]) -> NDArray[np.void]:
    """Return the segments by name: a view, shape (...,), of a C-contiguous array of shape (..., OBSERVATION_SIZE)."""
    return observation.view(OBSERVATION_DTYPE)[..., 0]
