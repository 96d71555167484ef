"""Validation: whether a state that comes from outside is one that a round can be in.

A state is **rebuilt** by the functions that play rounds: cards are drawn, trumps named and cards buried as the state
says; then the trick and the decision under way are played again, with each action checked against the mask. What
cannot be derived is checked before it is used, up to the kitty in `rebuilt_opening.py`, the kitty in `burials.py`, the
rest here:

| taken from the state | what is checked |
|---|---|
| levels, declarer, first drawer, deal, redeals, round numbers | ranges; each card as often as it is dealt |
| number of cards drawn, standing bid, who is asked | the course of the bidding; the bidder holds the cards |
| buried cards, cards played before this trick | they were held; as many as the kitty; equally many from each seat |
| attackers' points | between none and all that have been played, penalties aside |
| known cards, voids | known cards are in the hand; cards of a void suit are not |
| first bidder, rebellions, seats that took up the kitty | ranges; who can have bid, who buries |
| what each taker of the kitty buried last | as far as these are all burials, it was held |

Everything else must come out equal, byte by byte. Fields that mean nothing at the moment (lists beyond their length,
the suit and the winner of the trick before) may hold anything, since nothing reads them. A round whose actions are
known is simply played again as a whole (`replay`).

Source: docs/rules.md §2–§10.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.burials import take_burials
from shengji_env.engine.clearing import begin_trick
from shengji_env.engine.compile import jit
from shengji_env.engine.components import top_of
from shengji_env.engine.deal import SAME_CARDS
from shengji_env.engine.flaws import (
    BAD_BURIED,
    BAD_KNOWN,
    BAD_PHASE,
    BAD_PLAY,
    BAD_PLAYED,
    BAD_POINTS,
    BAD_VOIDS,
    SOUND,
)
from shengji_env.engine.kitty import ask_overbids
from shengji_env.engine.opening import begin_given
from shengji_env.engine.play import ILLEGAL, make_legal, take_cards, take_play
from shengji_env.engine.rebuilt_opening import check_start, is_named, may_name, rebuild_opening
from shengji_env.engine.rows import slots_with
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS, suit_slots
from shengji_env.engine.state import MAX_PLAY, NOBODY, NUM_TEAMS, Phase, Rules, State, Winner, Workspace

_POINTS_STEP = 5
_OVERBID = code_of("kitty_retake", "overbid")
_FIXED = code_of("bidding", "fixed")
_LOWEST = code_of("failed_throw", "lowest")
_BEYOND_ACE = code_of("match_end", "beyond_ace")
_PER_CARD = code_of("throw_penalty_per", "card")


@jit
def rebuild(s: State, r: Rules, w: Workspace, t: State) -> int:
    """Rebuild the state `s` of a round under way in `t`, which is a copy of it.

    Returns:
        The index in `flaws.FLAWS` of what is wrong. If that is SOUND, `s` is valid exactly if `t` still equals it.
    """
    if not Phase.BID <= s.phase <= Phase.REBEL or s.phase == Phase.OVER:
        return BAD_PHASE
    t.declarer = s.declarer if s.had_declarer else NOBODY
    flaw = check_start(t, r, w)
    if flaw == SOUND:
        flaw = rebuild_opening(s, r, t)
    if flaw == SOUND and is_named(s):
        flaw = _rebuild_play(s, r, w, t)
    return flaw


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
        _go_back(s, r, t)
    t.declarer = (s.result.declarer if s.phase == Phase.OVER else s.declarer) if s.had_declarer else NOBODY
    if check_start(t, r, w) != SOUND or (r.bidding == _FIXED and not may_name(r, s.trump)):
        return False
    if not begin_given(t, r, s.redeals, s.rebellions):
        return False
    for ply in range(actions.size):
        if not make_legal(t, r, w, SAME_CARDS, actions[ply]):
            return False
    t.deal_given = s.deal_given
    return True


@jit
def _go_back(s: State, r: Rules, t: State) -> None:
    """Undo what the end of a round did to levels and round numbers."""
    result = s.result
    declarers = result.declarer % NUM_TEAMS
    t.levels[declarers] = s.level_rank
    if result.winner == Winner.ATTACKERS:
        beyond = result.match_over if r.match_end == _BEYOND_ACE else 0
        t.levels[1 - declarers] = result.new_levels[1 - declarers] + beyond - result.levels
    t.match_round = s.match_round - 1


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
    return _check_rest(s, r, t)


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
    penalties = (s.tricks + 1) * r.throw_penalty * (int(r.hand) if r.throw_penalty_per == _PER_CARD else 1)
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
def _check_rest(s: State, r: Rules, t: State) -> int:
    """Check what the play does not show: voids and known cards against the hands, and a throw that failed."""
    for seat in range(NUM_SEATS):
        for slot in range(NUM_SLOTS):
            if s.known[seat, slot] > t.hands[seat, slot]:
                return BAD_KNOWN
        for suit in range(NUM_EFFECTIVE_SUITS):
            if t.voids[seat, suit] and slots_with(t.hands[seat], 1) & suit_slots(suit, t.trump):
                return BAD_VOIDS
    has_failed = s.phase == Phase.FOLLOW and s.num_choices != 0
    return BAD_PLAY if has_failed and not _is_of_throw(s, r, t) else SOUND


@jit
def _is_of_throw(s: State, r: Rules, t: State) -> bool:
    """Return whether what is led can be of the failed throw: one of its beaten components, or none of them is lower."""
    if not 0 < s.num_choices <= MAX_PLAY or t.num_components != 1:
        return False
    t.num_choices = s.num_choices
    is_beaten, is_lowest = False, True
    for index in range(s.num_choices):
        is_beaten |= s.choices[index] == t.components[0]
        is_lowest &= top_of(s.choices[index]) >= top_of(t.components[0])
    return is_lowest if r.failed_throw == _LOWEST else is_beaten
