"""Bids: which a seat may make, and how strong they are.

Kinds: 0..3 level cards of a suit, 4 little jokers, 5 big jokers. A bid's strength is (count, rank of its kind); it
must exceed the standing one, and the holder of the standing bid may only show more of the same card. With
``bid_ladder=call_snatch``, one level card is bid first, then once a pair of any kind. Once trumps are named, bids are
overbids (`kitty.py`): they follow one another alike, and the cards are in the slots of these trumps.

Source: docs/rules.md §4.
"""

from shengji_env.engine.actions import BID_BIG, BID_LITTLE, BID_SUIT
from shengji_env.engine.cards import MAX_DECKS, NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.rows import lowest_slot, slots_with
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.slots import LEVEL_SLOT, LITTLE_JOKER_SLOT, NO_TRUMP, NUM_SLOTS, TRUMP_LEVEL_SLOT, card_of_slot
from shengji_env.engine.state import NUM_TEAMS, UNNAMED, Rules, State

LITTLE = NUM_SUITS
BIG = NUM_SUITS + 1
NUM_KINDS = NUM_SUITS + 2
_RANKS_OF_KINDS = NUM_KINDS
_DIAMONDS = 1
_EQUAL_JOKERS = code_of("joker_bids", "equal")
_RANKED_SUITS = code_of("bid_suits", "ranked")
_CALL_SNATCH = code_of("bid_ladder", "call_snatch")
_SNATCH = 2
"""Cards that a bid shows at most where one card is called and a pair bids over it."""
_BID_SLOTS = (1 << NUM_SLOTS) - (1 << LEVEL_SLOT)


@jit
def bid_level(s: State, seat: int) -> int:
    """Return the level rank with which a seat bids: the declarer's team's, or without a declarer its own team's."""
    return s.levels[(s.declarer if s.had_declarer else seat) % NUM_TEAMS]


@jit
def reading_of(s: State, seat: int) -> tuple[int, int]:
    """Return the trumps and the level rank by which a seat's slots are cards.

    Before trumps are named, slots are numbered as for no trump, with the level rank with which the seat bids.
    """
    if s.trump == UNNAMED:
        return NO_TRUMP, int(bid_level(s, seat))
    return int(s.trump), int(s.level_rank)


@jit
def slot_of_kind(kind: int) -> int:
    """Return the slot, before trumps are named, of the cards that a kind of bid shows."""
    return LEVEL_SLOT + kind if kind < NUM_SUITS else LITTLE_JOKER_SLOT + kind - LITTLE


@jit
def bid_slot(s: State, kind: int) -> int:
    """Return the slot of the cards that a kind of bid shows, before or after trumps are named."""
    if s.trump == UNNAMED or kind >= NUM_SUITS or kind < s.trump:
        return slot_of_kind(kind)
    return TRUMP_LEVEL_SLOT if kind == s.trump else LEVEL_SLOT + kind - 1


@jit
def _kind_at(s: State, slot: int) -> int:
    """Return the kind of bid that shows the cards of a slot: the inverse of `bid_slot`."""
    kind = slot - LEVEL_SLOT
    if s.trump == UNNAMED or kind >= NUM_SUITS or kind < s.trump:
        return kind
    return int(s.trump) if slot == TRUMP_LEVEL_SLOT else kind + 1


@jit
def trump_of_kind(kind: int) -> int:
    """Return the trumps that a kind of bid names."""
    return kind if kind < NUM_SUITS else NO_TRUMP


@jit
def strength(r: Rules, count: int, kind: int) -> int:
    """Return the strength of a bid as one number."""
    rank = 0
    if kind >= LITTLE:
        rank = LITTLE if r.joker_bids == _EQUAL_JOKERS else kind
    elif r.bid_suits == _RANKED_SUITS and count > 1:
        # Only clubs and diamonds are ranked otherwise than they are numbered.
        rank = kind if kind > _DIAMONDS else _DIAMONDS - kind
    return count * _RANKS_OF_KINDS + rank


@jit
def is_legal_bid(s: State, r: Rules, seat: int, count: int, kind: int) -> bool:
    """Return whether a seat may bid `count` cards of a kind now."""
    return s.hands[seat, bid_slot(s, kind)] >= count and _beats_standing(s, r, seat, count, kind)


@jit
def _beats_standing(s: State, r: Rules, seat: int, count: int, kind: int) -> bool:
    """Return whether a seat that holds `count` cards of a kind may bid them now."""
    if kind >= LITTLE and (count < 2 or not r.no_trump_bids):
        return False
    if r.bid_ladder == _CALL_SNATCH:
        is_open = s.bid_count == 0 or s.bid_seat == seat or r.overturn != 0
        return is_open and count == s.bid_count + 1 and count <= _SNATCH
    if s.bid_count == 0:
        return True
    if s.bid_seat == seat:
        return kind == s.bid_kind and count > s.bid_count
    return r.overturn != 0 and strength(r, count, kind) > strength(r, s.bid_count, s.bid_kind)


@jit
def action_of_bid(count: int, kind: int) -> int:
    """Return the action that makes a bid."""
    if kind < NUM_SUITS:
        return BID_SUIT + (count - 1) * NUM_SUITS + kind
    return (BID_LITTLE if kind == LITTLE else BID_BIG) + count - 2


@jit
def kind_of_action(action: int) -> int:
    """Return the kind of bid that an action makes."""
    if action < BID_LITTLE:
        return (action - BID_SUIT) % NUM_SUITS
    return LITTLE if action < BID_BIG else BIG


@jit
def count_of_action(action: int) -> int:
    """Return the number of cards that a bid action shows."""
    if action < BID_LITTLE:
        return (action - BID_SUIT) // NUM_SUITS + 1
    return (action - BID_LITTLE) % (MAX_DECKS - 1) + 2


@jit
def write_bid(s: State, action: int) -> None:
    """Make a bid of the seat to move the standing one; everybody then knows the cards that it shows."""
    kind = kind_of_action(action)
    count = count_of_action(action)
    if s.bid_count == 0:
        s.first_bidder = s.seat
    s.bid_count = count
    s.bid_kind = kind
    s.bid_seat = s.seat
    shown = bid_slot(s, kind)
    if s.trump == UNNAMED:
        shown = card_of_slot(shown, NO_TRUMP, bid_level(s, s.seat))
    s.known[s.seat, shown] = max(s.known[s.seat, shown], count)


@jit
def has_bid(s: State, r: Rules, seat: int) -> bool:
    """Return whether a seat has a legal bid; if so, one with all its cards of a kind that it may show is legal."""
    hand = s.hands[seat]
    most = s.bid_count + 1 if r.bid_ladder == _CALL_SNATCH else MAX_DECKS
    held = slots_with(hand, 1) & _BID_SLOTS
    while held:
        slot = lowest_slot(held)
        held ^= 1 << slot
        if _beats_standing(s, r, seat, min(hand[slot], most), _kind_at(s, slot)):
            return True
    return False


@jit
def bid_actions(s: State, r: Rules) -> int:
    """Return the legal bids of the seat to move: bit i is action NUM_SLOTS + i."""
    bids = 0
    for kind in range(NUM_KINDS):
        for count in range(1, s.hands[s.seat, bid_slot(s, kind)] + 1):
            if is_legal_bid(s, r, s.seat, count, kind):
                bids |= 1 << int(action_of_bid(count, kind) - NUM_SLOTS)
    return bids
