"""Compiled code: the rows of a single action: a bid, a pass, a name, a forced component, a rebellion."""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NAME, PASS
from shengji_env.engine.bids import count_of_action, kind_of_action, trump_of_kind
from shengji_env.engine.compile import jit
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rows import ALL_SLOTS, count_cards_at, num_slots, slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import (
    LEVEL_SLOT,
    LITTLE_JOKER_SLOT,
    NO_TRUMP,
    NUM_SLOTS,
    PLAIN_RANKS,
    TRUMP,
    suit_of_slot,
    suit_slots,
    suit_start,
)
from shengji_env.engine.state import UNNAMED, Phase, Rules, State
from shengji_env.players.networks.selfplay.scaled_rows import list_scaled_bid, list_scaled_trumps
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    ACES,
    ACTION_INPUTS,
    BID_COUNTS,
    BID_TRUMPS,
    DECLARERS,
    FIRST_ACTION_ROW,
    HAND_SIZES,
    JOKERS,
    OVERBID_COUNTS,
    OVERBID_JOKERS,
    OVERBID_TRUMPS,
    SET_POINTS,
    first_rows,
)
from shengji_env.players.networks.selfplay.sight import RANKS
from shengji_env.players.suit_blocks import block_of_suit

_FIRST = first_rows(ACTION_INPUTS, FIRST_ACTION_ROW)
_TRUMPS, _BIDDER, _JOKERS, _ACES, _SIZE, _PHASE, _FORCED = (
    _FIRST[name]
    for name in ("bid_trumps", "bid_bidder", "bid_jokers", "bid_aces", "bid_size", "action_phase", "action_forced")
)
_SEATS, _ASKED, _OVERBID, _HELD, _TOPS_HELD, _ACES_HELD = (
    _FIRST[f"overbid_{name}"] for name in ("seats", "asked", "cards", "trumps", "jokers", "aces")
)
NO_BIDDER = NUM_SEATS
"""Who holds the standing bid, if there is none."""
_TOPS = ALL_SLOTS & ~((1 << LEVEL_SLOT) - 1)
_LITTLE, _BIG = 1 << LITTLE_JOKER_SLOT, 1 << (NUM_SLOTS - 1)


@jit
def list_action(s: State, r: Rules, action: int, rows: NDArray[np.int16]) -> int:
    """List the rows of a single action; return how many these are."""
    size = min(count_cards_at(s.hands[s.seat], ALL_SLOTS) // 2, HAND_SIZES - 1)
    if s.phase == Phase.FORCED:
        suit = suit_of_slot(action, s.trump)
        rank = suit // TRUMP * RANKS + action - suit_start(suit, s.trump)
        rows[0] = _FORCED + rank * SET_POINTS + int(s.slot_points[action]) // 5
        return 1
    is_no = action == PASS
    rows[0] = _PHASE + int(s.phase) * HAND_SIZES + (0 if is_no else size)
    if s.phase == Phase.REBEL:
        return 1
    trump, count, bidder = _what_stands(s, action)
    declarer = 1 + int(s.declarer - s.seat) % NUM_SEATS if s.had_declarer else 0
    is_no_trump = 1 if trump == NO_TRUMP else 0
    rows[1] = _BIDDER + ((bidder * DECLARERS + declarer) * 2 + is_no_trump) * BID_COUNTS + min(count, BID_COUNTS - 1)
    rows[2] = _SIZE + (bidder * 2 + (s.circle_left >= 0)) * HAND_SIZES + size
    number = list_scaled_bid(s, r, (count, bidder, is_no_trump), rows, 3)
    return number if bidder == NO_BIDDER else _list_trumps(s, r, action, trump, size, rows, number)


@jit
def _what_stands(s: State, action: int) -> tuple[int, int, int]:
    """Return what would be trumps after an action, by how many cards, and who would hold the bid."""
    if action == PASS:
        if s.bid_count == 0:
            return 0, 0, NO_BIDDER
        return int(trump_of_kind(s.bid_kind)), int(s.bid_count), int((s.bid_seat - s.seat) % NUM_SEATS)
    if action >= NAME:
        return action - NAME, 0, 0
    return int(trump_of_kind(kind_of_action(action))), int(count_of_action(action)), 0


@jit
def _list_trumps(s: State, r: Rules, action: int, trump: int, size: int, rows: NDArray[np.int16], number: int) -> int:
    """List what the hand would have if these were trumps."""
    hand, block, named = s.hands[s.seat], _trumps_of(s, trump), _block(s, trump)
    is_no_trump = 1 if trump == NO_TRUMP else 0
    trumps, jokers = count_cards_at(hand, block), count_cards_at(hand, _LITTLE | _BIG)
    pairs = num_slots(slots_with(hand, 2) & block)
    aces = 0
    for suit in range(NO_TRUMP):
        if suit != named:
            aces += int(hand[(suit + 1) * PLAIN_RANKS - 1])
    aces = min(aces, ACES - 1)
    number = list_scaled_trumps(s, r, (trumps, jokers, pairs), is_no_trump, rows, number)
    if s.phase == Phase.BID and s.trump != UNNAMED:
        number = _list_overbid(s, action, (trumps, jokers, pairs, aces), is_no_trump, rows, number)
    trumps, jokers, pairs = min(trumps, BID_TRUMPS - 1), min(jokers, JOKERS - 1), min(pairs, JOKERS - 1)
    rows[number] = _TRUMPS + (trumps * HAND_SIZES + size) * 2 + is_no_trump
    rows[number + 1] = _JOKERS + (jokers * JOKERS + pairs) * 2 + is_no_trump
    rows[number + 2] = _ACES + aces * 2 + is_no_trump
    return number + 3


@jit
def _list_overbid(
    s: State, action: int, held: tuple[int, int, int, int], is_no_trump: int, rows: NDArray[np.int16], number: int
) -> int:
    """List an overbid, or a pass in its place: who declares, who has buried, how many are asked after it."""
    trumps, jokers, pairs, aces = held
    is_no = 1 if action == PASS else 0
    count = s.bid_count if action == PASS else count_of_action(action)
    declarer, burier = int(s.declarer - s.seat) % NUM_SEATS, int(last_taker(s) - s.seat) % NUM_SEATS
    side = is_no * 2 + declarer % 2
    jokers, pairs = min(jokers, OVERBID_JOKERS - 1), min(pairs, OVERBID_JOKERS - 1)
    rows[number] = _SEATS + (is_no * NUM_SEATS + declarer) * NUM_SEATS + burier
    rows[number + 1] = _ASKED + (is_no * NUM_SEATS + declarer) * NUM_SEATS + int(s.circle_left)
    rows[number + 2] = _OVERBID + (side * 2 + is_no_trump) * OVERBID_COUNTS + min(int(count), OVERBID_COUNTS - 1)
    rows[number + 3] = _HELD + (side * 2 + is_no_trump) * OVERBID_TRUMPS + min(trumps, OVERBID_TRUMPS - 1)
    rows[number + 4] = _TOPS_HELD + (side * OVERBID_JOKERS + jokers) * OVERBID_JOKERS + pairs
    rows[number + 5] = _ACES_HELD + (is_no * 2 + is_no_trump) * ACES + aces
    return number + 6


@jit
def _trumps_of(s: State, trump: int) -> int:
    """Return the slots of cards that would be trumps if `trump` were."""
    return int(_TOPS if trump == NO_TRUMP else _TOPS | suit_slots(_block(s, trump), NO_TRUMP))


@jit
def _block(s: State, trump: int) -> int:
    """Return the block of slots of the cards of what would be trumps."""
    return int(block_of_suit(trump, NO_TRUMP if s.trump == UNNAMED else int(s.trump)))
