"""Openings of a state from outside, checked and rebuilt: deal, bids, names and rebellions, until the kitty is taken up.

What the round begins with is checked first (`check_start`); `rebuild_opening` then draws the cards and names trumps as
the state says. The bids before the standing one are not kept, so it is asked only whether there can have been any: the
first bidder's, if the standing bid is another seat's, must be weaker than that. With an overbid, the first bid is not
kept either: the first taker names the trumps of the last overbid.

Source: docs/rules.md §2–§5.
"""

from shengji_env.engine.bids import (
    LITTLE,
    NUM_KINDS,
    bid_level,
    has_bid,
    is_legal_bid,
    slot_of_kind,
    strength,
    trump_of_kind,
)
from shengji_env.engine.burials import are_takers, make_standing
from shengji_env.engine.cards import NUM_CARDS, NUM_RANKS
from shengji_env.engine.clearing import clear_round
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.flaws import BAD_BIDDING, BAD_DEAL, BAD_PHASE, BAD_START, BAD_TRUMP, SOUND
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.masks import legal_names
from shengji_env.engine.opening import DRAWING, asks_drawer, begin_deal, draw_cards, end_bidding, name_trumps
from shengji_env.engine.rebellion import pass_rebellion
from shengji_env.engine.rows import fill_row
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import LEVEL_SLOT, NO_TRUMP, slot_of_card
from shengji_env.engine.state import NOBODY, NUM_TEAMS, UNNAMED, Phase, Rules, State, Workspace

_OVERBID = code_of("kitty_retake", "overbid")
_NEW_DECLARER, _NO_DECLARER = (code_of("rebellion", word) for word in ("new_declarer", "no_declarer"))
_FIRST_BID = code_of("first_declarer", "first_bid")
_NO_REBELLION = code_of("rebellion", "none")
_SEQUENTIAL, _FIXED, _DRAWING = (code_of("bidding", word) for word in ("sequential", "fixed", "drawing"))


@jit
def is_named(s: State) -> bool:
    """Return whether trumps are named; with a bid to be made, it is an overbid."""
    return s.phase >= Phase.BURY or (s.phase == Phase.BID and s.trump != UNNAMED)


@jit
def check_start(t: State, r: Rules, w: Workspace) -> int:
    """Check what a round begins with; ``t.declarer`` is whoever was declarer then."""
    for team in range(NUM_TEAMS):
        if not 0 <= t.levels[team] < NUM_RANKS:
            return BAD_START
    if not 0 <= t.first_drawer < NUM_SEATS or t.declarer != (t.first_drawer if t.had_declarer else NOBODY):
        return BAD_START
    if not 0 <= t.had_declarer <= 1 or not 0 <= t.deal_given <= 1 or t.match_round < 0 or t.round_index < 0:
        return BAD_START
    if not _are_redeals(t, r):
        return BAD_START
    fill_row(w.counted, 0)
    for index in range(r.total):
        card = t.deal[index]
        if not 0 <= card < NUM_CARDS or w.counted[card] == r.copies[card]:
            return BAD_DEAL
        w.counted[card] += 1
    return SOUND


@jit
def _are_redeals(t: State, r: Rules) -> bool:
    """Return whether the cards may have been dealt again so often, after rebellions and because nobody bid."""
    is_fixed = r.bidding == _FIXED
    if not 0 <= t.rebellions <= (0 if is_fixed or r.rebellion == _NO_REBELLION else r.max_rebellions):
        return False
    is_rebel = t.rebellions > 0 and r.rebellion == _NEW_DECLARER
    if is_rebel and not t.had_declarer:
        return False
    if t.rebellions > 0 and r.rebellion == _NO_DECLARER and t.had_declarer:
        return False
    is_dealt_once = is_fixed or (t.had_declarer and not is_rebel)
    return 0 <= t.redeals - t.rebellions <= (0 if is_dealt_once else r.max_redeals)


@jit
def may_name(r: Rules, trump: int) -> bool:
    """Return whether these trumps may be named without a bid: a suit that is dealt, or no trump."""
    return 0 <= trump <= NO_TRUMP and (legal_names(r) >> int(trump)) & 1 != 0


@jit
def rebuild_opening(s: State, r: Rules, t: State) -> int:
    """Deal and bid as `s` says: as far as it has come, at most until the kitty has last been taken up or buried."""
    clear_round(t)
    t.deal_given = 1
    begin_deal(t, r, SAME_CARDS)
    t.deal_given = s.deal_given
    if s.phase == Phase.BID and not is_named(s):
        return _rebuild_bid(s, r, t)
    draw_cards(t, NUM_SEATS * r.hand)
    if r.bidding == _FIXED:
        if not t.had_declarer:
            t.declarer = t.first_drawer
        return _name(s, r, t) if s.phase > Phase.NAME else BAD_PHASE
    t.circle_left = 0
    if s.num_takers > 1:
        return _rebuild_overbid(s, r, t)
    if not _take_bid(s, r, t):
        return BAD_BIDDING
    end_bidding(t, r)
    if t.phase == Phase.NAME and s.phase > Phase.NAME:
        return _name(s, r, t)
    _pass_rebellions(s, r, t)
    return SOUND if t.trump == s.trump and (t.phase == Phase.NAME) == (s.phase == Phase.NAME) else BAD_TRUMP


@jit
def _name(s: State, r: Rules, t: State) -> int:
    if not may_name(r, s.trump):
        return BAD_TRUMP
    name_trumps(t, r, s.trump)
    _pass_rebellions(s, r, t)
    return SOUND


@jit
def _pass_rebellions(s: State, r: Rules, t: State) -> None:
    """Let attackers with weak hands pass until the one that is asked in `s`."""
    while t.phase == Phase.REBEL and (s.phase != Phase.REBEL or s.seat != t.seat):
        pass_rebellion(t, r)


@jit
def _rebuild_overbid(s: State, r: Rules, t: State) -> int:
    """Let the first taker take up the kitty, with the trumps of the last overbid: the first bid is not kept."""
    is_overbid = r.kitty_retake == _OVERBID and s.phase != Phase.NAME and s.phase != Phase.REBEL
    if not is_overbid or not are_takers(s) or s.bid_seat != last_taker(s) or not 0 <= s.bid_kind < NUM_KINDS:
        return BAD_BIDDING
    declarer = s.takers[0]
    if not _has_opened(s, r, t) or (t.had_declarer and declarer != t.declarer) or declarer != s.declarer:
        return BAD_BIDDING
    if not t.had_declarer and (r.first_declarer == _FIRST_BID) and declarer != s.first_bidder:
        return BAD_BIDDING
    if not t.had_declarer and not has_bid(t, r, declarer):
        return BAD_BIDDING
    t.declarer = declarer
    name_trumps(t, r, trump_of_kind(s.bid_kind))
    _pass_rebellions(s, r, t)
    return SOUND if t.trump == s.trump else BAD_TRUMP


@jit
def _has_opened(s: State, r: Rules, t: State) -> bool:
    """Make the first bidder of `s` that of `t`, where nobody has bid; return whether it has a bid."""
    if not 0 <= s.first_bidder < NUM_SEATS:
        return False
    t.first_bidder = s.first_bidder
    return bool(has_bid(t, r, s.first_bidder))


@jit
def _take_bid(s: State, r: Rules, t: State) -> bool:
    """Make the standing bid, if there is one; return whether it is legal."""
    if s.bid_count == 0:
        return True
    if not _has_opened(s, r, t) or (s.first_bidder != s.bid_seat and not _is_overturned(s, r, t)):
        return False
    return bool(make_standing(s, r, t))


@jit
def _is_overturned(s: State, r: Rules, t: State) -> bool:
    """Return whether the first bidder has a bid that is weaker than the standing one, and may be bid over."""
    for kind in range(NUM_KINDS):
        count = 1 if kind < LITTLE else 2
        is_weaker = strength(r, count, kind) < strength(r, s.bid_count, s.bid_kind)
        if r.overturn and is_weaker and is_legal_bid(t, r, s.first_bidder, count, kind):
            return True
    return False


@jit
def _rebuild_bid(s: State, r: Rules, t: State) -> int:
    """Draw and bid as far as `s` has come."""
    dealt = NUM_SEATS * r.hand
    is_drawing = s.circle_left == DRAWING and asks_drawer(r) and 1 <= s.drawn <= dealt
    is_circle = 0 <= s.circle_left < NUM_SEATS and r.bidding != _FIXED and r.bidding != _DRAWING and s.drawn == dealt
    if not is_drawing and not is_circle:
        return BAD_BIDDING
    draw_cards(t, s.drawn)
    t.circle_left = s.circle_left
    t.phase = Phase.BID
    if not _take_bid(s, r, t) or not _is_asked(s, r, t):
        return BAD_BIDDING
    t.seat = s.seat
    return SOUND if has_bid(t, r, s.seat) and _take_shown(s, t) else BAD_BIDDING


@jit
def _is_asked(s: State, r: Rules, t: State) -> bool:
    """Return whether it can be this seat's turn: the last drawer's, or the next in a circle from where that began."""
    if s.circle_left == DRAWING:
        return s.seat == (t.first_drawer + t.drawn - 1) % NUM_SEATS
    start = t.first_drawer
    if r.bidding == _SEQUENTIAL and t.had_declarer:
        start = (t.declarer + 2) % NUM_SEATS
    asked = NUM_SEATS - 1 - s.circle_left
    return s.seat == (start + asked) % NUM_SEATS or (s.bid_count > 0 and s.seat == (s.bid_seat + 1 + asked) % NUM_SEATS)


@jit
def _take_shown(s: State, t: State) -> bool:
    """Copy the cards shown by bids; return whether the seats hold them and may bid with them."""
    for seat in range(NUM_SEATS):
        level = bid_level(t, seat)
        for card in range(NUM_CARDS):
            shown = s.known[seat, card]
            slot = slot_of_card(card, NO_TRUMP, level)
            stands = t.bid_count > 0 and seat == t.bid_seat and slot == slot_of_kind(t.bid_kind)
            most = min(t.hands[seat, slot], t.bid_count) if slot >= LEVEL_SLOT else 0
            if not (t.bid_count if stands else 0) <= shown <= most:
                return False
            t.known[seat, card] = shown
    return True
