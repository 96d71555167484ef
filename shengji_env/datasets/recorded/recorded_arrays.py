"""What compiled code is given of recorded rounds: their starts, their decisions in order, and all cards of these."""

import numpy as np

from shengji_env.engine.cards import MAX_TOTAL
from shengji_env.engine.compile import record_type
from shengji_env.engine.state import NUM_TEAMS

START_DTYPE = record_type(
    [
        ("deal", np.int8, (MAX_TOTAL,)),  # card ids in the order drawn, the kitty last; zero beyond
        ("levels", np.int8, (NUM_TEAMS,)),  # each team's rank 0..12
        ("declarer", np.int8),  # seat 0..3; -1: it is bid for
        ("first_drawer", np.int8),  # seat 0..3
        ("trump", np.int8),  # what is trumps with fixed bidding, 0..4; -1 with any other
        ("redeals", np.int8),  # how many deals of the round came before this one
        ("rebellions", np.int8),  # how many of these were abandoned
        ("match_round", np.int16),  # which round of its match it is, from 0
        ("round_index", np.int32),  # which round of its table it is, from 0
        ("num_decisions", np.int32),  # decisions of the round, whole plays
        ("kept_seats", np.int8),  # whose decisions are written: bit i is seat i
    ]
)
"""How a round begins."""

RECORDED_DECISION_DTYPE = record_type(
    [
        ("phase", np.int8),  # a `Phase`
        ("seat", np.int8),  # seat 0..3 that decides
        ("drawn", np.int16),  # cards drawn so far, while bids are made
        ("action", np.int8),  # the bid, pass or name; `engine.play.CARDS` if cards are taken
        ("rank", np.int8),  # rank of the level cards that a bid shows; -1 for none
        ("num_cards", np.int16),  # cards taken
        ("is_substituted", np.int8),  # 1: somebody else decided in the seat's place (`by`); it is never written
    ]
)
"""A decision of a record."""
