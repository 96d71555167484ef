"""Options as words and as numbers: the values that they may have, and the record that compiled code reads.

An option whose values are words has a `Literal` here; a value's number in compiled code is the word's place in it. The
result tables are here too: the points at which levels are won.

Source: docs/rules.md §12, §14.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, get_args

import numpy as np

from shengji_env.engine.compile import record_type

MAX_ENTRIES = 4

Bidding = Literal["streaming", "sequential", "fixed"]
JokerBids = Literal["ranked", "equal"]
NoBid = Literal["flip_kitty", "partner_names"]
FailedThrow = Literal["next_seat_chooses", "smallest"]
FollowPriority = Literal["width_first", "triples_then_tractors", "tractors_first"]
KittyMultiplier = Literal["exponential", "pattern", "double", "none"]
KittyShape = Literal["winner", "lead"]
ResultTableName = Literal["one_deck", "one_deck_45", "two_deck", "competition", "three_deck", "four_deck"]
MatchEnd = Literal["reach_ace", "pass_ace", "rounds"]

CHOICES: dict[str, tuple[str, ...]] = {
    "bidding": get_args(Bidding),
    "joker_bids": get_args(JokerBids),
    "no_bid": get_args(NoBid),
    "failed_throw": get_args(FailedThrow),
    "follow_priority": get_args(FollowPriority),
    "kitty_multiplier": get_args(KittyMultiplier),
    "kitty_shape": get_args(KittyShape),
    "result_table": get_args(ResultTableName),
    "match_end": get_args(MatchEnd),
}
"""Values of the options that are words; an option's number in compiled code is its place here."""


class BiddingCode(IntEnum):
    """Numbers of `bidding` in compiled code."""

    STREAMING = 0
    SEQUENTIAL = 1
    FIXED = 2


class PriorityCode(IntEnum):
    """Numbers of `follow_priority` in compiled code."""

    WIDTH_FIRST = 0
    TRIPLES_THEN_TRACTORS = 1
    TRACTORS_FIRST = 2


class MultiplierCode(IntEnum):
    """Numbers of `kitty_multiplier` in compiled code."""

    EXPONENTIAL = 0
    PATTERN = 1
    DOUBLE = 2
    NONE = 3


class MatchEndCode(IntEnum):
    """Numbers of `match_end` in compiled code."""

    REACH_ACE = 0
    PASS_ACE = 1
    ROUNDS = 2


SMALLEST = CHOICES["failed_throw"].index("smallest")
PARTNER_NAMES = CHOICES["no_bid"].index("partner_names")
EQUAL_JOKERS = CHOICES["joker_bids"].index("equal")
SHAPE_OF_LEAD = CHOICES["kitty_shape"].index("lead")


@dataclass(frozen=True)
class ResultTable:
    """How attackers' points become levels (§12).

    `declarers` are (bound, levels): points below the bound, bounds ascending. `attackers` are (threshold, levels):
    points at or above; past the last threshold each `step` points give one level more (0: none). The first threshold
    is where the attackers take over.
    """

    declarers: tuple[tuple[int, int], ...]
    attackers: tuple[tuple[int, int], ...]
    step: int
    last_trick_wins: bool = False
    """The attackers also win by the last trick, and rise by one for each of the two (A2); exactly 5 short is a draw."""

    @property
    def threshold(self) -> int:
        """Points at which the attackers take over."""
        return self.attackers[0][0]


RESULT_TABLES: dict[str, ResultTable] = {
    "one_deck": ResultTable(((1, 2), (40, 1)), ((40, 0), (80, 1), (100, 2), (120, 3)), 20),
    "one_deck_45": ResultTable(((45, 1),), ((45, 1),), 0, last_trick_wins=True),
    "two_deck": ResultTable(((1, 3), (40, 2), (80, 1)), ((80, 1), (120, 2)), 40),
    "competition": ResultTable(((1, 3), (40, 2), (80, 1)), ((80, 0), (120, 1)), 40),
    "three_deck": ResultTable(((1, 3), (60, 2), (120, 1)), ((120, 0), (180, 1), (240, 2)), 60),
    "four_deck": ResultTable(((1, 3), (80, 2), (160, 1)), ((160, 0), (240, 1)), 80),
}
DRAW_MARGIN = 5

RULES_DTYPE = record_type(
    [
        ("decks", np.int16),
        ("kitty", np.int16),
        ("hand", np.int16),
        ("bidding", np.int16),
        ("no_trump_bids", np.int16),
        ("joker_bids", np.int16),
        ("no_bid", np.int16),
        ("max_redeals", np.int16),
        ("throws", np.int16),
        ("failed_throw", np.int16),
        ("throw_penalty", np.int16),
        ("follow_priority", np.int16),
        ("kitty_multiplier", np.int16),
        ("kitty_shape", np.int16),
        ("last_trick_points", np.int16),
        ("result_table", np.int16),
        ("match_end", np.int16),
        ("match_rounds", np.int16),
        ("declarers_below", np.int16, (MAX_ENTRIES,)),
        ("declarers_levels", np.int16, (MAX_ENTRIES,)),
        ("num_declarers_entries", np.int16),
        ("attackers_from", np.int16, (MAX_ENTRIES,)),
        ("attackers_levels", np.int16, (MAX_ENTRIES,)),
        ("num_attackers_entries", np.int16),
        ("attackers_step", np.int16),
        ("last_trick_wins", np.int16),
    ]
)
