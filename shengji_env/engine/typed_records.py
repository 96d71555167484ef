"""The engine's records as type checkers and editors see them; at run time they are `numpy.record`.

What the fields mean stands at the dtypes, in `engine/state.py` and `engine/rule_record.py`; a test holds both equal.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Record:
    """What all records can do."""

    def __getitem__(self, name: str) -> Any:
        """Return a field by its name."""
        raise NotImplementedError

    def __array__(self) -> NDArray[np.void]:
        """Let it be assigned to an entry of an array."""
        raise NotImplementedError


class Result(Record):
    """RESULT_DTYPE."""

    attackers_points: int
    kitty_multiplier: int
    levels_nominal: int
    round_index: int
    kitty_points: int
    winner: int
    levels: int
    levels_lost: int
    declarer: int
    next_declarer: int
    new_levels: NDArray[np.int8]
    match_over: int
    match_winner: int


class State(Record):
    """STATE_DTYPE."""

    attackers_points: int
    result: Result
    round_index: int
    components: NDArray[np.int32]
    choices: NDArray[np.int32]
    match_round: int
    drawn: int
    trick_points: int
    phase: int
    seat: int
    trump: int
    level_rank: int
    levels: NDArray[np.int8]
    declarer: int
    had_declarer: int
    first_drawer: int
    deal_given: int
    redeals: int
    rebellions: int
    circle_left: int
    bid_count: int
    bid_kind: int
    bid_seat: int
    first_bidder: int
    num_takers: int
    takers: NDArray[np.int8]
    leader: int
    position: int
    lead_suit: int
    lead_size: int
    num_components: int
    num_choices: int
    num_owed: int
    must_match: int
    taken_size: int
    last_slot: int
    winning: int
    winning_suit: int
    winning_top: int
    tricks: int
    hands: NDArray[np.int8]
    played: NDArray[np.int8]
    trick: NDArray[np.int8]
    known: NDArray[np.int8]
    taken: NDArray[np.int8]
    buried: NDArray[np.int8]
    turned: NDArray[np.int8]
    slot_copies: NDArray[np.int8]
    slot_points: NDArray[np.int8]
    voids: NDArray[np.int8]
    owed_width: NDArray[np.int8]
    owed_length: NDArray[np.int8]
    winning_tops: NDArray[np.int8]
    passed_on: NDArray[np.int8]
    deal: NDArray[np.int8]


class Rules(Record):
    """RULES_DTYPE."""

    decks: int
    kitty: int
    bidding: int
    no_trump_bids: int
    joker_bids: int
    no_bid: int
    max_redeals: int
    throws: int
    failed_throw: int
    throw_penalty: int
    follow_priority: int
    kitty_multiplier: int
    kitty_shape: int
    last_trick_points: int
    result_table: int
    match_end: int
    match_rounds: int
    must_defend: int
    cards: int
    bid_suits: int
    overturn: int
    first_declarer: int
    rebellion: int
    rebellion_points: int
    rebellion_trumps: int
    max_rebellions: int
    kitty_retake: int
    throw_contest: int
    last_trick_demotion: int
    bid_ladder: int
    throw_penalty_per: int
    hand: int
    total: int
    points: int
    declarers_below: NDArray[np.int16]
    declarers_levels: NDArray[np.int16]
    num_declarers_entries: int
    attackers_from: NDArray[np.int16]
    attackers_levels: NDArray[np.int16]
    num_attackers_entries: int
    attackers_step: int
    last_trick_wins: int
    copies: NDArray[np.int8]
    features: NDArray[np.int8]


class Packing(Record):
    """PACKING_DTYPE."""

    positions: NDArray[np.int16]
    available: NDArray[np.int8]
    fixed: NDArray[np.int8]
    piece_width: NDArray[np.int8]
    piece_length: NDArray[np.int8]
    start: NDArray[np.int8]


class Workspace(Record):
    """WORKSPACE_DTYPE."""

    codes: NDArray[np.int32]
    segment: NDArray[np.int32]
    best: NDArray[np.int32]
    packing: Packing
    cell_slot: NDArray[np.int8]
    cell_order: NDArray[np.int8]
    cell_split: NDArray[np.int8]
    open_width: NDArray[np.int8]
    open_length: NDArray[np.int8]
    open_top: NDArray[np.int8]
    open_slot: NDArray[np.int8]
    next_width: NDArray[np.int8]
    next_length: NDArray[np.int8]
    next_top: NDArray[np.int8]
    next_slot: NDArray[np.int8]
    counted: NDArray[np.int8]
