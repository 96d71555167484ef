"""The whole state of a table as one fixed-size value, and the workspace beside it.

`STATE_DTYPE` is everything that is true of a table: copying one record copies the table. It holds no random state:
deals are a function of (seed, table, round, redeal), and the seed lives outside. `WORKSPACE_DTYPE` is scratch memory
for compiled code, which allocates nothing; its content means nothing between calls.

The engine's functions take ``s`` (a state), ``r`` (a rules record, `RuleSet.record`) and ``w`` (a workspace). Count
vectors are in slots (`slots.py`): while bids are made in those of no trump with the level rank that the seat's own
team bids, afterwards in the round's.
"""

from enum import IntEnum
from typing import TypeAlias

import numpy as np

from shengji_env.engine.cards import MAX_TOTAL
from shengji_env.engine.compile import record_type
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS

MAX_PLAY = 56
NOBODY = -1
UNNAMED = -1
NUM_TEAMS = 2

State: TypeAlias = np.record
Rules: TypeAlias = np.record
Workspace: TypeAlias = np.record


class Phase(IntEnum):
    """What the seat to move has to decide."""

    BID = 0
    NAME = 1
    BURY = 2
    LEAD = 3
    FORCED = 4
    FOLLOW = 5
    OVER = 6


class Winner(IntEnum):
    """Which side won a round."""

    DECLARERS = 0
    ATTACKERS = 1
    DRAW = 2


RESULT_DTYPE = record_type(
    [
        ("attackers_points", np.int64),
        ("kitty_points", np.int16),
        ("kitty_multiplier", np.int32),
        ("winner", np.int8),
        ("levels", np.int8),
        ("levels_nominal", np.int32),
        ("declarer", np.int8),
        ("next_declarer", np.int8),
        ("new_levels", np.int8, (NUM_TEAMS,)),
        ("match_over", np.int8),
        ("match_winner", np.int8),
        ("round_index", np.int32),
    ]
)
"""What a round came to. `winner` is a `Winner`; `declarer` and `next_declarer` are seats, -1 for nobody; `levels` is
what the winners really rose, `levels_nominal` the table's figure; `match_winner` a team, -1 for a tie or while the
match goes on."""

STATE_DTYPE = record_type(
    [
        ("phase", np.int8),
        ("seat", np.int8),
        ("trump", np.int8),
        ("level_rank", np.int8),
        ("levels", np.int8, (NUM_TEAMS,)),
        ("declarer", np.int8),
        ("had_declarer", np.int8),
        ("first_drawer", np.int8),
        ("deal_given", np.int8),
        ("redeals", np.int8),
        ("match_round", np.int16),
        ("round_index", np.int32),
        ("drawn", np.int16),
        ("circle_left", np.int8),
        ("bid_count", np.int8),
        ("bid_kind", np.int8),
        ("bid_seat", np.int8),
        ("leader", np.int8),
        ("position", np.int8),
        ("lead_suit", np.int8),
        ("lead_size", np.int8),
        ("num_components", np.int8),
        ("num_choices", np.int8),
        ("num_owed", np.int8),
        ("must_match", np.int8),
        ("taken_size", np.int8),
        ("last_slot", np.int8),
        ("winning", np.int8),
        ("winning_suit", np.int8),
        ("winning_top", np.int8),
        ("tricks", np.int8),
        ("trick_points", np.int16),
        ("attackers_points", np.int64),
        ("deal", np.int8, (MAX_TOTAL,)),
        ("hands", np.int8, (NUM_SEATS, NUM_SLOTS)),
        ("played", np.int8, (NUM_SEATS, NUM_SLOTS)),
        ("trick", np.int8, (NUM_SEATS, NUM_SLOTS)),
        ("known", np.int8, (NUM_SEATS, NUM_SLOTS)),
        ("taken", np.int8, (NUM_SLOTS,)),
        ("buried", np.int8, (NUM_SLOTS,)),
        ("turned", np.int8, (NUM_SLOTS,)),
        ("slot_points", np.int8, (NUM_SLOTS,)),
        ("voids", np.int8, (NUM_SEATS, NUM_EFFECTIVE_SUITS)),
        ("components", np.int32, (MAX_PLAY,)),
        ("choices", np.int32, (MAX_PLAY,)),
        ("owed_width", np.int8, (MAX_PLAY,)),
        ("owed_length", np.int8, (MAX_PLAY,)),
        ("result", RESULT_DTYPE),
    ]
)
"""One table. `levels` and `level_rank` are ranks 0..12. `bid_kind` is a suit 0..3, 4 little or 5 big jokers.
`known[seat]` are cards that all know that seat to hold, in card ids until trumps are named, in slots after.
`components` are the led components (`components.py`), `choices` those of a failed throw, `owed_*` the demand on the
follower, singles left out; `must_match` says that the follower holds more cards of the led suit than it plays.
`taken` are the cards of the decision under way, still counted in `hands`. `slot_points` are the points of a card of
each slot once trumps are named."""

WORKSPACE_DTYPE = record_type(
    [
        ("codes", np.int32, (MAX_PLAY,)),
        ("segment", np.int32, (MAX_PLAY,)),
        ("best", np.int32, (MAX_PLAY,)),
        ("cell_slot", np.int8, (NUM_SLOTS,)),
        ("cell_order", np.int8, (NUM_SLOTS,)),
        ("cell_split", np.int8, (NUM_SLOTS,)),
        ("open_width", np.int8, (NUM_SLOTS,)),
        ("open_length", np.int8, (NUM_SLOTS,)),
        ("open_top", np.int8, (NUM_SLOTS,)),
        ("open_slot", np.int8, (NUM_SLOTS,)),
        ("next_width", np.int8, (NUM_SLOTS,)),
        ("next_length", np.int8, (NUM_SLOTS,)),
        ("next_top", np.int8, (NUM_SLOTS,)),
        ("next_slot", np.int8, (NUM_SLOTS,)),
        ("available", np.int8, (NUM_SLOTS,)),
        ("fixed", np.int8, (NUM_SLOTS,)),
        ("start", np.int8, (NUM_SLOTS,)),
        ("piece_width", np.int8, (MAX_PLAY,)),
        ("piece_length", np.int8, (MAX_PLAY,)),
        ("place", np.int16, (MAX_PLAY,)),
    ]
)
