"""Burials of a state from outside, rebuilt: who took up the kitty, and what each taker buried.

What a seat buried last is kept (`buried`, `passed_on`), what it buried before that is not. So as long as no seat has
buried twice, every hand follows from the deal and these rows. Otherwise the hands of the seats that never took up the
kitty follow still; the takers' hands are taken from the state if they have the right sizes and hold, with what is
buried, exactly the cards that were dealt to the takers and to the kitty.

Source: docs/rules.md §5.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.bids import LITTLE, NUM_KINDS, bid_slot, is_legal_bid
from shengji_env.engine.cards import MAX_DECKS
from shengji_env.engine.compile import jit
from shengji_env.engine.kitty import bury_taken, last_taker, take_over
from shengji_env.engine.rows import fill_row
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import MAX_TAKERS, Phase, Rules, State, Workspace

_CALL_SNATCH = code_of("bid_ladder", "call_snatch")


@jit
def are_takers(s: State) -> bool:
    """Return whether the seats that took up the kitty are seats, no seat twice running."""
    if not 0 <= s.num_takers <= MAX_TAKERS:
        return False
    for index in range(s.num_takers):
        if not 0 <= s.takers[index] < NUM_SEATS or (index > 0 and s.takers[index] == s.takers[index - 1]):
            return False
    return True


@jit
def take_burials(s: State, r: Rules, w: Workspace, t: State) -> bool:
    """Bury in `t`, whose declarer has taken up the kitty, as `s` says, up to what lies in the kitty now.

    In `t` trumps are those of `s` already. Return whether that is possible.
    """
    if not _has_buried_twice(s):
        return _bury_in_turn(s, r, t)
    for index in range(s.num_takers):
        t.takers[index] = s.takers[index]
    t.num_takers = s.num_takers
    t.seat = last_taker(s)
    return _take_hands(s, r, w, t)


@jit
def make_standing(s: State, r: Rules, t: State) -> bool:
    """Make the standing bid of `s` that of `t`, as if it were the first, or a snatch; return whether that is legal."""
    t.bid_count = max(s.bid_count - 1, 0) if r.bid_ladder == _CALL_SNATCH else 0
    t.bid_seat = s.bid_seat
    is_bid = 0 <= s.bid_seat < NUM_SEATS and 0 <= s.bid_kind < NUM_KINDS and 1 <= s.bid_count <= MAX_DECKS
    if not is_bid or not is_legal_bid(t, r, s.bid_seat, s.bid_count, s.bid_kind):
        return False
    t.bid_count = s.bid_count
    t.bid_kind = s.bid_kind
    t.bid_seat = s.bid_seat
    return True


@jit
def _num_burials(s: State) -> int:
    return int(s.num_takers) - (1 if s.phase == Phase.BURY else 0)


@jit
def _has_buried_twice(s: State) -> bool:
    """Return whether a seat has, so that what it buried first is not kept."""
    for index in range(_num_burials(s)):
        for other in range(index):
            if s.takers[index] == s.takers[other]:
                return True
    return False


@jit
def _bury_in_turn(s: State, r: Rules, t: State) -> bool:
    for index in range(_num_burials(s)):
        is_last = index == s.num_takers - 1
        is_held = _take_row(s.buried, r, t) if is_last else _take_row(s.passed_on[s.takers[index]], r, t)
        if not is_held:
            return False
        bury_taken(t)
        if not is_last:
            # The standing bid is the last overbid; those before it are not kept.
            if index == s.num_takers - 2 and not make_standing(s, r, t):
                return False
            take_over(t, r, s.takers[index + 1], s.trump)
    return True


@jit
def _take_row(row: NDArray[Any], r: Rules, t: State) -> bool:
    """Take cards from the hand of the seat to move; return whether they are as many as the kitty, and it holds them."""
    total = 0
    for slot in range(NUM_SLOTS):
        count = int(row[slot])
        if not 0 <= count <= t.hands[t.seat, slot]:
            return False
        t.taken[slot] = count
        total += count
    return total == r.kitty


@jit
def _take_hands(s: State, r: Rules, w: Workspace, t: State) -> bool:
    """Copy the takers' hands, what is buried and what was; return whether cards and sizes are right."""
    fill_row(w.counted, 0)
    for seat in range(NUM_SEATS):
        if _took(s, seat):
            for slot in range(NUM_SLOTS):
                w.counted[slot] += t.hands[seat, slot]
    if not _is_bid_from(w.counted, s, r, t) or not _copy_rows(s, r, w, t):
        return False
    left = 0
    for slot in range(NUM_SLOTS):
        if w.counted[slot] < 0:
            return False
        left += w.counted[slot]
    return left == 0


@jit
def _is_bid_from(cards: NDArray[Any], s: State, r: Rules, t: State) -> bool:
    """Make the standing bid of `s` that of `t`; return whether it can be made with some of these cards."""
    if not 0 <= s.bid_kind < NUM_KINDS or not 1 <= s.bid_count <= cards[bid_slot(t, s.bid_kind)]:
        return False
    t.bid_count = s.bid_count
    t.bid_kind = s.bid_kind
    t.bid_seat = last_taker(s)
    return s.bid_kind < LITTLE or (s.bid_count > 1 and r.no_trump_bids != 0)


@jit
def _copy_rows(s: State, r: Rules, w: Workspace, t: State) -> bool:
    """Copy the rows, and take what is held and buried from ``w.counted``; return whether the sizes are right."""
    for seat in range(NUM_SEATS):
        if _took(s, seat) and not _copy_seat(s, r, w, t, seat):
            return False
    buried = 0
    for slot in range(NUM_SLOTS):
        if s.buried[slot] < 0:
            return False
        t.buried[slot] = s.buried[slot]
        w.counted[slot] -= s.buried[slot]
        buried += int(s.buried[slot])
    return buried == (0 if s.phase == Phase.BURY else r.kitty)


@jit
def _copy_seat(s: State, r: Rules, w: Workspace, t: State, seat: int) -> bool:
    size = 0
    passed = 0
    for slot in range(NUM_SLOTS):
        count = int(s.hands[seat, slot]) + int(s.played[seat, slot])
        if count < 0 or not 0 <= s.passed_on[seat, slot] <= t.slot_copies[slot]:
            return False
        t.hands[seat, slot] = count
        t.passed_on[seat, slot] = s.passed_on[seat, slot]
        w.counted[slot] -= count
        size += count
        passed += int(s.passed_on[seat, slot])
    holds_kitty = s.phase == Phase.BURY and seat == last_taker(s)
    has_passed = False
    for index in range(_num_burials(s)):
        if s.takers[index] == seat:
            has_passed = seat != last_taker(s) or holds_kitty
    return size == r.hand + (r.kitty if holds_kitty else 0) and passed == (r.kitty if has_passed else 0)


@jit
def _took(s: State, seat: int) -> bool:
    for index in range(s.num_takers):
        if s.takers[index] == seat:
            return True
    return False
