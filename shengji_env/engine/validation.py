"""Validation: whether a state that comes from outside is one that a round can be in.

A state is **rebuilt** by the functions that play rounds: cards are drawn, trumps named and cards buried as the state
says; then the trick and the decision under way are played again, with each action checked against the mask. What
cannot be derived is checked before it is used:

| taken from the state | what is checked |
|---|---|
| levels, declarer, first drawer, deal, redeals, round numbers | ranges; each card as often as it is dealt |
| number of cards drawn, standing bid, who is asked | the course of the bidding; the bidder holds the cards |
| buried cards, cards played before this trick | they were held; as many as the kitty; equally many from each seat |
| attackers' points | between none and all that have been played, penalties aside |
| known cards, voids | known cards are in the hand; cards of a void suit are not |
| first bidder, rebellions, seats that took up the kitty | ranges; who can have bid, who buries |
| what each taker of the kitty buried last | as far as these are all burials, it was held (`burials.py`) |

Everything else must come out equal, byte by byte. Fields that mean nothing at the moment (lists beyond their length,
the suit and the winner of the trick before) may hold anything, since nothing reads them. A round whose actions are
known is simply played again as a whole (`replay`).

Source: docs/rules.md §2–§10.
"""

from typing import Any

from numpy.typing import NDArray

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
from shengji_env.engine.burials import are_takers, make_standing, take_burials
from shengji_env.engine.cards import NUM_CARDS, NUM_RANKS
from shengji_env.engine.clearing import begin_trick, clear_round
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.game import begin_given
from shengji_env.engine.kitty import ask_overbids, last_taker
from shengji_env.engine.masks import legal_names
from shengji_env.engine.opening import DRAWING, begin_deal, draw_cards, end_bidding, name_trumps
from shengji_env.engine.play import ILLEGAL, make_legal, take_cards, take_play
from shengji_env.engine.rebellion import pass_rebellion
from shengji_env.engine.rows import fill_row, slots_with
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import LEVEL_SLOT, NO_TRUMP, NUM_EFFECTIVE_SUITS, NUM_SLOTS, slot_of_card, suit_slots
from shengji_env.engine.state import MAX_PLAY, NOBODY, NUM_TEAMS, UNNAMED, Phase, Rules, State, Winner, Workspace

FLAWS = (
    "",
    "its phase is not one in which a seat decides",
    "its levels, declarer, first drawer, redeals or round numbers are impossible at the start of a round",
    "its deal does not hold each card as often as it is dealt",
    "its bidding is impossible",
    "its trumps cannot be named under these rules",
    "its buried cards are not as many as the kitty, or not from the hands of those who took it up",
    "its played cards are not whole tricks from the hands",
    "its attackers' points cannot have been won",
    "its known cards are not in the hands",
    "its voids name suits that are still held",
    "its decision under way or its trick cannot be played",
)
"""What `rebuild` may find wrong, by its number."""
(
    SOUND, BAD_PHASE, BAD_START, BAD_DEAL, BAD_BIDDING, BAD_TRUMP, BAD_BURIED, BAD_PLAYED, BAD_POINTS, BAD_KNOWN,
    BAD_VOIDS, BAD_PLAY,
) = range(len(FLAWS))  # fmt: skip
_POINTS_STEP = 5
_OVERBID = code_of("kitty_retake", "overbid")
_NEW_DECLARER = code_of("rebellion", "new_declarer")
_FIRST_BID = code_of("first_declarer", "first_bid")
_NO_REBELLION = code_of("rebellion", "none")
_STREAMING, _SEQUENTIAL, _FIXED = (code_of("bidding", word) for word in ("streaming", "sequential", "fixed"))


@jit
def rebuild(s: State, r: Rules, w: Workspace, t: State) -> int:
    """Rebuild the state `s` of a round under way in `t`, which is a copy of it.

    Returns:
        The index in FLAWS of what is wrong. If that is SOUND, `s` is valid exactly if `t` still equals it.
    """
    if not Phase.BID <= s.phase <= Phase.REBEL or s.phase == Phase.OVER:
        return BAD_PHASE
    t.declarer = s.declarer if s.had_declarer else NOBODY
    flaw = _check_start(t, r, w)
    if flaw == SOUND:
        flaw = _rebuild_opening(s, r, t)
    if flaw == SOUND and _is_named(s):
        flaw = _rebuild_play(s, r, w, t)
    return flaw


@jit
def _is_named(s: State) -> bool:
    """Return whether trumps are named; with a bid to be made, it is an overbid."""
    return s.phase >= Phase.BURY or (s.phase == Phase.BID and s.trump != UNNAMED)


@jit
def _is_played(s: State) -> bool:
    """Return whether tricks are being played."""
    return Phase.LEAD <= s.phase <= Phase.FOLLOW


@jit
def replay(s: State, r: Rules, w: Workspace, t: State, actions: NDArray[Any]) -> bool:
    """Play a round again in `t`, a copy of the state `s` to which some actions should have led.

    Returns:
        Whether they are legal. If so, they lead to `s` exactly if `t` still equals it.
    """
    if s.phase == Phase.OVER:
        _go_back(s, t)
    t.declarer = (s.result.declarer if s.phase == Phase.OVER else s.declarer) if s.had_declarer else NOBODY
    if _check_start(t, r, w) != SOUND or (r.bidding == _FIXED and not _may_name(r, s.trump)):
        return False
    if not begin_given(t, r, s.redeals, s.rebellions):
        return False
    for ply in range(actions.size):
        if not make_legal(t, r, w, SAME_CARDS, actions[ply]):
            return False
    t.deal_given = s.deal_given
    return True


@jit
def _go_back(s: State, t: State) -> None:
    """Undo what the end of a round did to levels and round numbers."""
    result = s.result
    declarers = result.declarer % NUM_TEAMS
    t.levels[declarers] = s.level_rank
    if result.winner == Winner.ATTACKERS:
        t.levels[1 - declarers] = result.new_levels[1 - declarers] - result.levels
    t.match_round = s.match_round - 1


@jit
def _check_start(t: State, r: Rules, w: Workspace) -> int:
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
    fill_row(w.available, 0)
    for index in range(r.total):
        card = t.deal[index]
        if not 0 <= card < NUM_CARDS or w.available[card] == r.copies[card]:
            return BAD_DEAL
        w.available[card] += 1
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
    is_dealt_once = is_fixed or (t.had_declarer and not is_rebel)
    return 0 <= t.redeals - t.rebellions <= (0 if is_dealt_once else r.max_redeals)


@jit
def _may_name(r: Rules, trump: int) -> bool:
    """Return whether these trumps may be named without a bid: a suit that is dealt, or no trump."""
    return 0 <= trump <= NO_TRUMP and (legal_names(r) >> int(trump)) & 1 != 0


@jit
def _rebuild_opening(s: State, r: Rules, t: State) -> int:
    """Deal and bid as `s` says: as far as it has come, at most until the kitty has last been taken up or buried."""
    clear_round(t)
    t.deal_given = 1
    begin_deal(t, r, SAME_CARDS)
    t.deal_given = s.deal_given
    if s.phase == Phase.BID and not _is_named(s):
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
def _name(s: State, r: Rules, t: State) -> int:
    if not _may_name(r, s.trump):
        return BAD_TRUMP
    name_trumps(t, r, s.trump)
    _pass_rebellions(s, r, t)
    return SOUND


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
    is_drawing = s.circle_left == DRAWING and r.bidding == _STREAMING and 1 <= s.drawn <= dealt
    is_circle = 0 <= s.circle_left < NUM_SEATS and r.bidding != _FIXED and s.drawn == dealt
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


@jit
def _rebuild_play(s: State, r: Rules, w: Workspace, t: State) -> int:
    """Bury and play as `s` says, after the kitty has first been taken up."""
    if s.phase != Phase.REBEL and not _bury(s, r, w, t):
        return BAD_BURIED
    if _is_played(s):
        if not _play_tricks(s, t):
            return BAD_PLAYED
        if not _has_points(s, r, t):
            return BAD_POINTS
    if not _take_known(s, t):
        return BAD_KNOWN
    if not _take_voids(s, t):
        return BAD_VOIDS
    if not _play_trick(s, r, w, t):
        return BAD_PLAY
    t.attackers_points = s.attackers_points if _is_played(s) else 0
    return _check_rest(s, t)


@jit
def _bury(s: State, r: Rules, w: Workspace, t: State) -> bool:
    """Bury as `s` says; then go on to its overbid, or to the first lead."""
    if r.kitty == 0:
        return s.phase != Phase.BURY
    if t.phase != Phase.BURY or not take_burials(s, r, w, t):
        return False
    if s.phase == Phase.BURY:
        return True
    if s.phase != Phase.BID:
        begin_trick(t, t.declarer)
        return True
    is_circle = r.kitty_retake == _OVERBID and s.bid_count > 0 and 0 <= s.circle_left < NUM_SEATS - 1
    if not is_circle:
        return False
    t.circle_left = s.circle_left + 1
    ask_overbids(t, r)
    return t.phase == Phase.BID


@jit
def _lies_in_trick(s: State, seat: int) -> bool:
    """Return whether a seat has played to the trick under way."""
    return s.phase == Phase.FOLLOW and (seat - s.leader) % NUM_SEATS < s.position


@jit
def _play_tricks(s: State, t: State) -> bool:
    """Play what was played before the trick under way, and begin that trick."""
    if not 0 <= s.leader < NUM_SEATS or not 0 <= s.position < NUM_SEATS:
        return False
    size = 0
    for seat in range(NUM_SEATS):
        total = 0
        for slot in range(NUM_SLOTS):
            count = int(s.played[seat, slot]) - (int(s.trick[seat, slot]) if _lies_in_trick(s, seat) else 0)
            if not 0 <= count <= t.hands[seat, slot]:
                return False
            t.played[seat, slot] = count
            t.hands[seat, slot] -= count
            total += count
        if seat == 0:
            size = total
        elif total != size:
            return False
    t.tricks = s.tricks
    begin_trick(t, s.leader)
    if size == 0:
        return s.tricks == 0 and s.leader == t.declarer
    return 0 < s.tricks <= size


@jit
def _has_points(s: State, r: Rules, t: State) -> bool:
    """Return whether the attackers' points are possible: from none to all in the tricks, penalties aside."""
    most = 0
    for seat in range(NUM_SEATS):
        for slot in range(NUM_SLOTS):
            most += int(t.played[seat, slot]) * int(t.slot_points[slot])
    penalties = (s.tricks + 1) * r.throw_penalty
    return -penalties <= s.attackers_points <= most + penalties and s.attackers_points % _POINTS_STEP == 0


@jit
def _take_known(s: State, t: State) -> bool:
    """Copy the known cards as they were before the trick under way; return whether they are possible."""
    for seat in range(NUM_SEATS):
        for slot in range(NUM_SLOTS):
            if not 0 <= s.known[seat, slot] <= (t.hands[seat, slot] if _is_played(s) else t.bid_count):
                return False
            t.known[seat, slot] = s.known[seat, slot]
            if _lies_in_trick(s, seat):
                t.known[seat, slot] += s.trick[seat, slot]
    return True


@jit
def _take_voids(s: State, t: State) -> bool:
    """Copy the voids, which the trick under way may show again; return whether they are possible."""
    if not _is_played(s):
        return True
    for seat in range(NUM_SEATS):
        for suit in range(NUM_EFFECTIVE_SUITS):
            if not 0 <= s.voids[seat, suit] <= 1:
                return False
            t.voids[seat, suit] = s.voids[seat, suit]
    return True


@jit
def _play_trick(s: State, r: Rules, w: Workspace, t: State) -> bool:
    """Play the trick and the decision under way again; return whether that is legal."""
    plays = max(int(s.position), 1) if s.phase == Phase.FOLLOW else int(s.phase == Phase.FORCED)
    for position in range(plays):
        if take_play(t, r, w, s.trick[(s.leader + position) % NUM_SEATS], None) == ILLEGAL:
            return False
    return take_cards(t, r, w, s.taken, None) != ILLEGAL


@jit
def _check_rest(s: State, t: State) -> int:
    """Check what the play does not show: voids and known cards against the hands, and a throw that failed."""
    for seat in range(NUM_SEATS):
        for slot in range(NUM_SLOTS):
            if s.known[seat, slot] > t.hands[seat, slot]:
                return BAD_KNOWN
        for suit in range(NUM_EFFECTIVE_SUITS):
            if t.voids[seat, suit] and slots_with(t.hands[seat], 1) & suit_slots(suit, t.trump):
                return BAD_VOIDS
    has_failed = s.phase == Phase.FOLLOW and s.num_choices != 0
    return BAD_PLAY if has_failed and not _was_beaten(s, t) else SOUND


@jit
def _was_beaten(s: State, t: State) -> bool:
    """Return whether what is led is one of the beaten components of the failed throw."""
    if not 0 < s.num_choices <= MAX_PLAY or t.num_components != 1:
        return False
    t.num_choices = s.num_choices
    for index in range(s.num_choices):
        if s.choices[index] == t.components[0]:
            return True
    return False
