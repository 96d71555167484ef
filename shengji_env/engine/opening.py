"""The opening of a round: cards are drawn, bids are made, trumps are named, weak hands may rebel.

`begin_round` brings a table to its first decision; `begin_given` does so with the state's own deal. `game.py` goes on
from there.

While bids are made, a seat's cards are in the slots of no trump and its own bidding level; `name_trumps` moves them
into the round's slots.

Source: docs/rules.md §2–§5.
"""

from shengji_env.engine.bids import bid_level, has_bid, trump_of_kind, write_bid
from shengji_env.engine.cards import NUM_CARDS, NUM_RANKS
from shengji_env.engine.clearing import clear_round, clear_taken
from shengji_env.engine.compile import jit
from shengji_env.engine.deal import (
    SAME_CARDS,
    Deals,
    deal_cards,
    draw_setup,
    draw_trump,
    is_joker,
    kitty_lot,
    stream_key,
)
from shengji_env.engine.kitty import write_slot_values
from shengji_env.engine.rebellion import ask_rebels
from shengji_env.engine.rows import copy_row, fill_row
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS, card_of_slot, slot_of_card
from shengji_env.engine.state import NOBODY, NUM_TEAMS, UNNAMED, Phase, Rules, State, Workspace

DRAWING = -1
"""`circle_left` while cards are drawn."""
_STREAMING, _SEQUENTIAL, _FIXED, _DRAWING = (
    code_of("bidding", word) for word in ("streaming", "sequential", "fixed", "drawing")
)
_NEW_DECLARER = code_of("rebellion", "new_declarer")
_PARTNER_NAMES, _NO_TRUMP_NAMED, _RANDOM = (code_of("no_bid", word) for word in ("partner_names", "no_trump", "random"))
_FIRST_BID = code_of("first_declarer", "first_bid")


@jit
def begin_round(s: State, r: Rules, w: Workspace, deals: Deals) -> None:
    """Deal a round and go to its first decision.

    ``s.levels``, ``s.declarer`` and, if nobody is declarer, ``s.first_drawer`` say how the round starts. ``s.deal`` is
    kept if ``s.deal_given``; so is ``s.trump`` if it names trumps (with fixed bidding only).
    """
    s.rebellions = 0
    _begin_dealing(s, r, deals)


@jit
def _begin_dealing(s: State, r: Rules, deals: Deals) -> None:
    """Deal, and go to the first decision, after ``s.rebellions`` deals that a rebellion ended."""
    s.had_declarer = s.declarer != NOBODY
    if s.had_declarer:
        s.first_drawer = s.declarer
    s.redeals = s.rebellions
    clear_round(s)
    given_trump = s.trump
    begin_deal(s, r, deals)
    if r.bidding == _FIXED:
        if given_trump == UNNAMED:
            given_trump = draw_trump(r, deals, s.round_index)
        _draw_cards(s, NUM_SEATS * r.hand)
        if not s.had_declarer:
            s.declarer = s.first_drawer
        name_trumps(s, r, given_trump)
    else:
        go_on_bidding(s, r, deals)


@jit
def begin_first(s: State, r: Rules, w: Workspace, deals: Deals, any_start: bool) -> None:
    """Begin round 0 of a table, as an environment does (`deal.draw_setup`)."""
    s.round_index = 0
    s.deal_given = 0
    s.trump = UNNAMED
    draw_setup(s, r, deals, any_start)
    begin_round(s, r, w, deals)


@jit
def begin_given(s: State, r: Rules, redeals: int, rebellions: int) -> bool:
    """Begin a round with the state's own deal, or go on with it after a rebellion; return whether that is possible.

    A deal in which nobody can bid is dealt again at once, as often as the rules allow.

    Args:
        s: the table; ``s.declarer`` and ``s.first_drawer`` are those of this deal: with ``rebellion="new_declarer"``
            the last rebel.
        r: the rules.
        redeals: how many deals of the round came before this one.
        rebellions: how many of them a rebellion ended.
    """
    s.deal_given = 1
    s.rebellions = rebellions
    _begin_dealing(s, r, SAME_CARDS)
    dealt = s.redeals
    s.redeals = redeals
    if dealt == redeals:
        return True
    if s.had_declarer:
        # Before the rebellion that made the declarer one, deals may have passed in which nobody bid.
        return rebellions > 0 and r.rebellion == _NEW_DECLARER and redeals > rebellions
    # Deals in which nobody bid may have come before, if somebody can bid in this one.
    return dealt == rebellions < redeals and s.phase == Phase.BID


@jit
def begin_deal(s: State, r: Rules, deals: Deals) -> None:
    """Shuffle, unless the deal is given, and begin to draw."""
    if not s.deal_given:
        deal_cards(s.deal, r, stream_key(deals.seed, deals.table, s.round_index, s.redeals))
    s.trump = UNNAMED
    s.level_rank = s.levels[s.declarer % NUM_TEAMS] if s.had_declarer else UNNAMED
    s.drawn = 0
    s.circle_left = DRAWING
    s.bid_count = 0
    s.bid_kind = 0
    s.bid_seat = NOBODY
    s.first_bidder = NOBODY
    for seat in range(NUM_SEATS):
        fill_row(s.hands[seat], 0)
        fill_row(s.known[seat], 0)
    clear_taken(s)


@jit
def _draw_card(s: State) -> int:
    """Deal the next card; return the drawer."""
    seat = (s.first_drawer + s.drawn) % NUM_SEATS
    s.hands[seat, slot_of_card(s.deal[s.drawn], NO_TRUMP, bid_level(s, seat))] += 1
    s.drawn += 1
    return seat


@jit
def _draw_cards(s: State, number: int) -> None:
    """Draw cards without bidding until `number` are drawn."""
    while s.drawn < number:
        _draw_card(s)


@jit
def go_on_bidding(s: State, r: Rules, deals: Deals) -> None:
    """Go on to the next seat that has a legal bid, or to the end of the bidding; deal again if the rules say so."""
    while True:
        seat = _next_bidder(s, r)
        if seat != NOBODY:
            s.phase = Phase.BID
            s.seat = seat
            return
        if s.bid_count > 0 or s.had_declarer or s.redeals - s.rebellions >= r.max_redeals:
            break
        s.redeals += 1
        begin_deal(s, r, deals)
    _end_bidding(s, r)


@jit
def _next_bidder(s: State, r: Rules) -> int:
    if s.circle_left == DRAWING:
        while s.drawn < NUM_SEATS * r.hand:
            seat = _draw_card(s)
            if _asks_drawer(r) and has_bid(s, r, seat):
                return seat
        if r.bidding == _DRAWING:
            s.circle_left = 0
            return NOBODY
        start = s.first_drawer
        if r.bidding == _SEQUENTIAL and s.had_declarer:
            start = (s.declarer + 2) % NUM_SEATS
        s.circle_left = NUM_SEATS
        s.seat = (start + NUM_SEATS - 1) % NUM_SEATS
    asked = s.seat
    while s.circle_left > 0:
        s.circle_left -= 1
        asked = (asked + 1) % NUM_SEATS
        if has_bid(s, r, asked):
            return asked
    return NOBODY


@jit
def _asks_drawer(r: Rules) -> bool:
    """Return whether whoever has drawn a card is asked for a bid."""
    return r.bidding == _STREAMING or r.bidding == _DRAWING


@jit
def make_bid(s: State, action: int) -> None:
    """Let the seat to move bid before trumps are named."""
    write_bid(s, action)
    if s.circle_left != DRAWING:
        s.circle_left = NUM_SEATS


@jit
def _end_bidding(s: State, r: Rules) -> None:
    """Name trumps by the standing bid; without one, as `no_bid` says."""
    if s.bid_count > 0:
        if not s.had_declarer:
            s.declarer = s.first_bidder if r.first_declarer == _FIRST_BID else s.bid_seat
        name_trumps(s, r, trump_of_kind(s.bid_kind))
    elif s.had_declarer and r.no_bid == _PARTNER_NAMES:
        s.phase = Phase.NAME
        s.seat = (s.declarer + 2) % NUM_SEATS
    else:
        _name_without_bid(s, r)


@jit
def _name_without_bid(s: State, r: Rules) -> None:
    """Name trumps where nobody has bid, and a declarer if there is none."""
    trump, declarer = NO_TRUMP, int(s.first_drawer)
    if r.no_bid == _RANDOM:
        trump, declarer = kitty_lot(s.deal, r)
    if not s.had_declarer:
        s.declarer = declarer
    if r.no_bid == _RANDOM or r.no_bid == _NO_TRUMP_NAMED:
        name_trumps(s, r, trump)
    else:
        _flip_kitty(s, r)


@jit
def _flip_kitty(s: State, r: Rules) -> None:
    """Turn up kitty cards until one is not a joker: its suit is the trump suit, no trump if there is none."""
    first = NUM_SEATS * r.hand
    turned = 0
    trump = NO_TRUMP
    while turned < r.kitty and trump == NO_TRUMP:
        card = s.deal[first + turned]
        if not is_joker(card):
            trump = card // NUM_RANKS
        turned += 1
    level = s.levels[s.declarer % NUM_TEAMS]
    for position in range(turned):
        s.turned[slot_of_card(s.deal[first + position], trump, level)] += 1
    name_trumps(s, r, trump)


@jit
def name_trumps(s: State, r: Rules, trump: int) -> None:
    """Re-index all hands for the round; ask weak hands where they may rebel, or let the declarer take up the kitty."""
    level = s.levels[s.declarer % NUM_TEAMS]
    for seat in range(NUM_SEATS):
        _renumber_hand(s, seat, trump, level)
    s.trump = trump
    s.level_rank = level
    write_slot_values(s, r)
    ask_rebels(s, r, 0)


@jit
def _renumber_hand(s: State, seat: int, trump: int, level: int) -> None:
    copy_row(s.taken, s.hands[seat])
    fill_row(s.hands[seat], 0)
    bidding_level = bid_level(s, seat)
    for slot in range(NUM_SLOTS):
        if s.taken[slot]:
            s.hands[seat, slot_of_card(card_of_slot(slot, NO_TRUMP, bidding_level), trump, level)] = s.taken[slot]
    copy_row(s.taken, s.known[seat])
    fill_row(s.known[seat], 0)
    for card in range(NUM_CARDS):
        if s.taken[card]:
            s.known[seat, slot_of_card(card, trump, level)] = s.taken[card]
