"""Compiled code: rows in the scale of the rules, where other rows count as far as two decks reach.

Eighty points are a win with two decks, and half a win with four. These rows say where the attackers' points stand among
the points at which levels are won, and what a trick or a burial is of that. With three decks or more, others count on
where the rows of cards in a suit, or of bids, stop.
"""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import ALL_SLOTS, count_cards_at, lowest_slot, slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import TRUMP, suit_slots
from shengji_env.engine.state import Rules, State
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    BIDDERS,
    CARD_GROUPS,
    CROSSED,
    FIRST_SCALED_ROW,
    HAND_SHARES,
    LONG_BIDS,
    LONG_JOKERS,
    LONG_LENGTHS,
    LONG_OUTS,
    LONG_TRUMPS,
    NUM_SCALED_ROWS,
    ODDS,
    PARTS,
    POINTS_LEFT,
    RESULTS,
    SCALED_ACTION_INPUTS,
    SCALED_INPUTS,
    STAKE_PARTS,
    USUAL_ODDS,
    WON,
    first_rows,
)
from shengji_env.players.networks.selfplay.sight import Sight

_FIRST = first_rows(SCALED_INPUTS, FIRST_SCALED_ROW)
_SCORE, _LEFT, _HAND = _FIRST["score"], _FIRST["points_left"], _FIRST["hand"]
_LENGTH, _OUT, _STAKE, _BURIED = (_FIRST[name] for name in ("length", "out", "stake", "buried"))
_ACTIONS = first_rows(SCALED_ACTION_INPUTS, FIRST_SCALED_ROW + CARD_GROUPS * NUM_SCALED_ROWS)
_TRUMPS, _JOKERS, _BID, _SIZE, _ODDS = (
    _ACTIONS[name] for name in ("bid_trumps", "bid_jokers", "bid", "bid_size", "bid_odds")
)
FEW_DECKS = 2
"""Decks for which the other rows suffice."""


@jit
def unit_of(r: Rules) -> int:
    """Return the points that count as a level: half of what the attackers need."""
    return max(int(r.attackers_from[0]) // 2, 1)


@jit
def find_result(r: Rules, points: int) -> tuple[int, int, int]:
    """Return the number of the result that attackers' points stand for, from which points on, and up to which.

    The last one may have no end; then half of what the attackers need stands for it.
    """
    low, high = 0, int(r.attackers_from[0])
    if points < high:
        entries = int(r.num_declarers_entries)
        for entry in range(entries):
            if points < r.declarers_below[entry]:
                return max(WON - entries + entry, 0), low, int(r.declarers_below[entry])
            low = int(r.declarers_below[entry])
        return WON - 1, low, high
    last = int(r.num_attackers_entries) - 1
    for entry in range(last):
        if points < r.attackers_from[entry + 1]:
            return min(WON + entry, RESULTS - 1), int(r.attackers_from[entry]), int(r.attackers_from[entry + 1])
    low, step = int(r.attackers_from[last]), int(r.attackers_step)
    if step == 0:
        return min(WON + last, RESULTS - 1), low, low + unit_of(r)
    beyond = (points - low) // step
    return min(WON + last + beyond, RESULTS - 1), low + beyond * step, low + (beyond + 1) * step


@jit
def standing_of(s: State, r: Rules) -> int:
    """Return where the attackers' points stand: PARTS numbers for each result."""
    points = int(s.attackers_points)
    result, low, high = find_result(r, points)
    return int(result * PARTS + min(max(points - low, 0) * PARTS // (high - low), PARTS - 1))


@jit
def list_scaled_table(s: State, r: Rules, sight: Sight, group: int, rows: NDArray[np.int16], number: int) -> int:
    """List the rows of the table, which all choices have in common; return how many rows there are now."""
    first = group * NUM_SCALED_ROWS
    declarer = int(s.declarer - s.seat) % NUM_SEATS
    rows[number] = first + _SCORE + standing_of(s, r) * NUM_SEATS + declarer
    left = min(_points_left(s, sight) * PARTS // unit_of(r), POINTS_LEFT - 1)
    rows[number + 1] = first + _LEFT + declarer % 2 * POINTS_LEFT + left
    number += 2
    if r.decks <= FEW_DECKS:
        return number
    rows[number] = first + _HAND + (int(r.decks) - FEW_DECKS - 1) * HAND_SHARES + _share(s, r)
    return number + 1


@jit
def list_scaled_suit(
    s: State, r: Rules, sight: Sight, group: int, suit: int, is_choice: int, rows: NDArray[np.int16], number: int
) -> int:
    """List the cards held and out of a suit, of the hand or of a choice; return how many rows there are now."""
    if r.decks <= FEW_DECKS:
        return number
    first = group * NUM_SCALED_ROWS
    kind = (is_choice * 2 + int(r.decks) - FEW_DECKS - 1) * 2 + suit // TRUMP
    block = suit_slots(suit, s.trump)
    length, out = count_cards_at(s.hands[s.seat], block), count_cards_at(sight.out, block)
    rows[number] = first + _LENGTH + kind * LONG_LENGTHS + min(length, LONG_LENGTHS - 1)
    rows[number + 1] = first + _OUT + kind * LONG_OUTS + min(out // 2, LONG_OUTS - 1)
    return number + 2


@jit
def _points_left(s: State, sight: Sight) -> int:
    """Return the points of all cards that the seat holds or has not seen."""
    points = 0
    slots = slots_with(s.slot_points, 1)
    hand = s.hands[s.seat]
    while slots:
        slot = lowest_slot(slots)
        slots &= slots - 1
        points += (int(hand[slot]) + int(sight.out[slot])) * int(s.slot_points[slot])
    return points


@jit
def list_scaled_stake(
    s: State, r: Rules, group: int, status: int, points: int, rows: NDArray[np.int16], number: int
) -> int:
    """List what the points of a trick, with a follow, are to the result; return how many rows there are now."""
    before, _, _ = find_result(r, int(s.attackers_points))
    after, _, _ = find_result(r, int(s.attackers_points) + points)
    crossed = min(after - before, CROSSED - 1)
    side = int(s.declarer - s.seat) % 2
    stake = min(points * PARTS // unit_of(r), STAKE_PARTS - 1)
    row = ((status * 2 + side) * STAKE_PARTS + stake) * CROSSED + crossed
    rows[number] = group * NUM_SCALED_ROWS + _STAKE + row
    return number + 1


@jit
def list_scaled_burial(r: Rules, group: int, points: int, rows: NDArray[np.int16], number: int) -> int:
    """List what the points of a burial are to the result; return how many rows there are now."""
    rows[number] = group * NUM_SCALED_ROWS + _BURIED + min(points * PARTS // unit_of(r), STAKE_PARTS - 1)
    return number + 1


@jit
def list_scaled_bid(s: State, r: Rules, bid: tuple[int, int, int], rows: NDArray[np.int16], number: int) -> int:
    """List the bid that would stand, its odds, and the hand's size; return how many rows there are now.

    Args:
        s: the table.
        r: its rules.
        bid: its cards, who holds it, and whether it is for no trump.
        rows: written.
        number: of the rows that stand there.
    """
    count, bidder, is_no_trump = bid
    size = _share(s, r)
    odds = min(int(r.points) * 2 // max(int(r.attackers_from[0]), 1), ODDS - 1)
    if odds != USUAL_ODDS:
        rows[number] = _ODDS + (bidder * ODDS + odds) * HAND_SHARES + size
        number += 1
    if r.decks <= FEW_DECKS:
        return number
    many = int(r.decks) - FEW_DECKS - 1
    rows[number] = _BID + ((many * BIDDERS + bidder) * 2 + is_no_trump) * LONG_BIDS + min(count, LONG_BIDS - 1)
    rows[number + 1] = _SIZE + (many * BIDDERS + bidder) * HAND_SHARES + size
    return number + 2


@jit
def list_scaled_trumps(
    s: State, r: Rules, held: tuple[int, int, int], is_no_trump: int, rows: NDArray[np.int16], number: int
) -> int:
    """List what the hand would have of trumps, cards, jokers and pairs; return how many rows there are now."""
    if r.decks <= FEW_DECKS:
        return number
    trumps, jokers, pairs = held
    many = int(r.decks) - FEW_DECKS - 1
    trumps = min(trumps // 2, LONG_TRUMPS - 1)
    rows[number] = _TRUMPS + ((many * LONG_TRUMPS + trumps) * HAND_SHARES + _share(s, r)) * 2 + is_no_trump
    jokers, pairs = min(jokers, LONG_JOKERS - 1), min(pairs, LONG_JOKERS - 1)
    rows[number + 1] = _JOKERS + ((many * LONG_JOKERS + jokers) * LONG_JOKERS + pairs) * 2 + is_no_trump
    return number + 2


@jit
def _share(s: State, r: Rules) -> int:
    """Return how much of its hand the seat has been dealt."""
    size = count_cards_at(s.hands[s.seat], ALL_SLOTS)
    return int(min(size * HAND_SHARES // (int(r.hand) + 1), HAND_SHARES - 1))
