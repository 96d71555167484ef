"""The whole state of a table as one fixed-size value, and the workspace of compiled code.

`STATE_DTYPE` holds everything about a table: copying one record copies the table. It holds no random state: deals are a
function of (seed, table, round, redeal), and the seed is kept outside. `WORKSPACE_DTYPE` is scratch memory for compiled
code, which allocates nothing; its content means nothing between calls.

The engine's functions take ``s`` (a state), ``r`` (a rules record, `RuleSet.record`) and ``w`` (a workspace). Count
vectors are in slots (`slots.py`): while bids are made, those of no trump with the level rank with which the seat's own
team bids; afterwards the round's.
"""

from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from shengji_env.engine.cards import MAX_TOTAL
from shengji_env.engine.compile import record_type
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS

MAX_PLAY = 56
MAX_TAKERS = 22
"""How often a kitty can be taken up at most: bids of 1 to 4 cards have 4 + 3 · 6 different strengths (§4)."""
NOBODY = -1
UNNAMED = -1
NUM_TEAMS = 2

if TYPE_CHECKING:
    from shengji_env.engine import typed_records

    State: TypeAlias = typed_records.State
    Rules: TypeAlias = typed_records.Rules
    Workspace: TypeAlias = typed_records.Workspace
    Packing: TypeAlias = typed_records.Packing
    Result: TypeAlias = typed_records.Result
else:
    State = Rules = Workspace = Packing = Result = np.record


class Phase(IntEnum):
    """What the seat to move has to decide."""

    BID = 0
    NAME = 1
    BURY = 2
    LEAD = 3
    FORCED = 4
    FOLLOW = 5
    OVER = 6
    REBEL = 7


class Winner(IntEnum):
    """Which side won a round."""

    DECLARERS = 0
    ATTACKERS = 1
    DRAW = 2


RESULT_DTYPE = record_type(
    [
        ("attackers_points", np.int64),  # final, with kitty and penalties; these may make it negative
        ("kitty_points", np.int16),  # points buried, 0 or more
        ("kitty_multiplier", np.int32),  # what they were multiplied by; 0: the attackers did not take the last trick
        ("winner", np.int8),  # a `Winner`: which side won
        ("levels", np.int8),  # levels by which the winners really rose, 0..13: a level never passes A, but a match does
        ("levels_lost", np.int8),  # levels by which the declarers fell, 0..12, whoever won
        ("levels_nominal", np.int32),  # levels by the result table, 0 or more
        ("declarer", np.int8),  # seat 0..3 that declared
        ("next_declarer", np.int8),  # seat that declares next; -1: it is bid for
        ("new_levels", np.int8, (NUM_TEAMS,)),  # each team's rank 0..12 after the round
        ("match_over", np.int8),  # 1 if the match ends with this round
        ("match_winner", np.int8),  # team 0 or 1; -1: a tie, or the match is not over
        ("round_index", np.int32),  # which round of the table it was, from 0
    ]
)
"""The result of a round."""

STATE_DTYPE = record_type(
    [
        ("phase", np.int8),  # a `Phase`
        ("seat", np.int8),  # seat 0..3 to move; -1 once the round is over
        ("trump", np.int8),  # trump suit 0..3, 4 for no trump; -1 until trumps are named
        ("level_rank", np.int8),  # rank 0..12 of the level cards; -1 until it is known
        ("levels", np.int8, (NUM_TEAMS,)),  # rank 0..12 that each team is at; seats 0 and 2 are team 0
        ("declarer", np.int8),  # seat 0..3; -1 while nobody is; once the round is over, the next one
        ("had_declarer", np.int8),  # 1 if the declarer was known before the bidding
        ("first_drawer", np.int8),  # seat 0..3 that drew the first card
        ("deal_given", np.int8),  # 1 if `deal` was given, and is used for redeals too
        ("redeals", np.int8),  # times that the cards were dealt again, 0..120
        ("rebellions", np.int8),  # how many of these redeals a rebellion brought about, 0..20
        ("match_round", np.int16),  # which round of its match it is, from 0
        ("round_index", np.int32),  # which round of the table it is, from 0; deals are a function of it
        ("drawn", np.int16),  # cards drawn so far by all seats together
        ("circle_left", np.int8),  # seats still to be asked in a circle, 0..4; -1 while cards are drawn
        ("bid_count", np.int8),  # cards that the standing bid shows, 0..4; 0: nobody has bid
        ("bid_kind", np.int8),  # suit 0..3 of the standing bid, 4 for little or 5 for big jokers
        ("bid_seat", np.int8),  # seat 0..3 that holds it; -1 for nobody
        ("first_bidder", np.int8),  # seat 0..3 that made the deal's first bid; -1 for nobody
        ("num_takers", np.int8),  # how often the kitty has been taken up, 0..22
        ("takers", np.int8, (MAX_TAKERS,)),  # seats that took it up, in order; -1 beyond
        ("leader", np.int8),  # seat 0..3 that leads; -1 before the first trick
        ("position", np.int8),  # plays made in the trick, 0..3: the seat to move is leader + position
        ("lead_suit", np.int8),  # effective suit 0..4 that was led; it means nothing while `lead_size` is 0
        ("lead_size", np.int8),  # cards led; 0 until the lead is made
        ("num_components", np.int8),  # components led, entries of `components`
        ("num_choices", np.int8),  # beaten components of a failed throw, entries of `choices`; 0: it stands
        ("num_owed", np.int8),  # pieces wider than one card that the follower owes: entries of `owed_width`
        ("must_match", np.int8),  # 1 if the follower holds more cards of the led suit than it has to play
        ("taken_size", np.int8),  # how many cards `taken` counts
        ("last_slot", np.int8),  # slot of the last card taken, 0 for none; in FORCED that of the throw
        ("winning", np.int8),  # seat whose play is winning; -1 before the lead
        ("winning_suit", np.int8),  # effective suit 0..4 of the winning play
        ("winning_top", np.int8),  # top order of its principal component
        ("tricks", np.int8),  # tricks finished
        ("trick_points", np.int16),  # points lying in the trick
        ("attackers_points", np.int64),  # points that the attackers have, penalties for failed throws included
        ("hands", np.int8, (NUM_SEATS, NUM_SLOTS)),  # what each seat holds
        ("played", np.int8, (NUM_SEATS, NUM_SLOTS)),  # what each seat has played, the current trick included
        ("trick", np.int8, (NUM_SEATS, NUM_SLOTS)),  # the current trick; in FORCED the leader's failed throw
        ("known", np.int8, (NUM_SEATS, NUM_SLOTS)),  # cards known to all to be held; by card id until trumps are named
        ("taken", np.int8, (NUM_SLOTS,)),  # cards taken for the decision under way, by slot; still counted in `hands`
        ("buried", np.int8, (NUM_SLOTS,)),  # what lies in the kitty; zero while it is not buried
        ("turned", np.int8, (NUM_SLOTS,)),  # what was turned up from the kitty
        ("slot_copies", np.int8, (NUM_SLOTS,)),  # how often a card of each slot is dealt, once trumps are named
        ("slot_points", np.int8, (NUM_SLOTS,)),  # points of a card of each slot, once trumps are named
        ("voids", np.int8, (NUM_SEATS, NUM_EFFECTIVE_SUITS)),  # 1: has shown itself void in the effective suit
        ("owed_width", np.int8, (MAX_PLAY,)),  # widths 2..4 of the pieces owed, in the order of choice
        ("owed_length", np.int8, (MAX_PLAY,)),  # their lengths in orders, 1 or more
        ("components", np.int32, (MAX_PLAY,)),  # codes of the led components (`components.py`), high to low
        ("choices", np.int32, (MAX_PLAY,)),  # codes of the beaten components, high to low
        ("winning_tops", np.int8, (MAX_PLAY,)),  # with `throw_contest=all`: tops of a ruff, as in `components`
        ("passed_on", np.int8, (NUM_SEATS, NUM_SLOTS)),  # what each seat has buried, if another has taken it up since
        ("deal", np.int8, (MAX_TOTAL,)),  # card ids 0..53 in the order drawn, the kitty last; zero beyond
        ("result", RESULT_DTYPE),  # of the round that has just ended; until then of an earlier one
    ]
)
"""One table. What few steps need stands last: it is not fetched in advance (`tables/prefetch.py`)."""

PACKING_DTYPE = record_type(
    [
        ("available", np.int8, (NUM_SLOTS,)),  # cards that the pieces may be taken from
        ("fixed", np.int8, (NUM_SLOTS,)),  # those of them that are already taken
        ("piece_width", np.int8, (MAX_PLAY,)),  # widths 2..4 of the pieces, high to low
        ("piece_length", np.int8, (MAX_PLAY,)),  # their lengths, in orders
        ("start", np.int8, (NUM_SLOTS,)),  # scratch: `available` as it was given
        ("positions", np.int16, (MAX_PLAY,)),  # scratch: where each piece lies, 4 · lowest order + which equal slot
    ]
)
"""The question that `packing.can_pack` answers, and its scratch memory."""

WORKSPACE_DTYPE = record_type(
    [
        ("codes", np.int32, (MAX_PLAY,)),  # result of `decompose`: codes of the components, ascending
        ("segment", np.int32, (MAX_PLAY,)),  # codes of one way to split a run of adjacent orders
        ("best", np.int32, (MAX_PLAY,)),  # codes of the best way so far
        ("cell_slot", np.int8, (NUM_SLOTS,)),  # slots of the run that hold cards, orders descending
        ("cell_order", np.int8, (NUM_SLOTS,)),  # their orders
        ("cell_split", np.int8, (NUM_SLOTS,)),  # width 1..4 of the first piece that each slot's cards are split into
        ("open_width", np.int8, (NUM_SLOTS,)),  # runs that the next order may extend: their width; 0: extended
        ("open_length", np.int8, (NUM_SLOTS,)),  # their lengths, in orders
        ("open_top", np.int8, (NUM_SLOTS,)),  # their highest orders
        ("open_slot", np.int8, (NUM_SLOTS,)),  # slots that they take at the level order; 0 for none
        ("next_width", np.int8, (NUM_SLOTS,)),  # the same of the order under way: width
        ("next_length", np.int8, (NUM_SLOTS,)),  # length
        ("next_top", np.int8, (NUM_SLOTS,)),  # highest order
        ("next_slot", np.int8, (NUM_SLOTS,)),  # slot at the level order
        ("packing", PACKING_DTYPE),
        ("counted", np.int8, (NUM_SLOTS,)),  # cards counted while a given state is checked
    ]
)
"""Scratch memory of a thread. Results are marked; everything else is used only inside one call."""
