"""The course of a round: each action, from bids to the last trick, and what follows from it.

`begin_round` (`opening.py`) brings a table to its first decision; `apply_action` makes one legal action and goes on to
the next decision or to the round's end (`Phase.OVER`); `write_mask` (`masks.py`) says what is legal in between. The
callers check the actions.

Source: docs/rules.md §2–§13.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.actions import DONE, NAME, PASS
from shengji_env.engine.clearing import begin_trick, clear_taken
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.components import add_component, top_slot_of, width_of
from shengji_env.engine.deal import Deals
from shengji_env.engine.follows import find_demand
from shengji_env.engine.kitty import ask_overbids, end_bury, overbid
from shengji_env.engine.leads import (
    find_choices,
    find_components,
    lowest_beaten_card,
    lowest_component,
    num_beaten_cards,
    smallest_choice,
)
from shengji_env.engine.masks import legal_lead
from shengji_env.engine.opening import begin_deal, go_on_bidding, make_bid, name_trumps
from shengji_env.engine.rebellion import pass_rebellion, rebel
from shengji_env.engine.results import close_round, score_kitty
from shengji_env.engine.rows import copy_row, fill_row, lowest_slot, slots_with
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import effective_suit, suit_of_slot, suit_slots
from shengji_env.engine.state import MAX_PLAY, NOBODY, NUM_TEAMS, UNNAMED, Phase, Rules, State, Workspace
from shengji_env.engine.tricks import contest, count_suit, principal_top

_SMALLEST, _LOWEST, _LOWEST_CARD = (code_of("failed_throw", word) for word in ("smallest", "lowest", "lowest_card"))
_PER_CARD = code_of("throw_penalty_per", "card")
_ALL_COMPONENTS = code_of("throw_contest", "all")


@jit
def _end_lead(s: State, r: Rules, w: Workspace) -> None:
    """Put the cards taken on the table; if they are a throw that fails, find what is led instead."""
    suit = suit_of_slot(s.last_slot, s.trump)
    copy_row(s.trick[s.leader], s.taken)
    find_components(s, w, suit)
    find_choices(s, suit)
    if s.num_choices == 0:
        settle_lead(s, r, w, suit)
        return
    _pay_for_throw(s, r, suit)
    if r.failed_throw == _LOWEST_CARD:
        s.num_choices = 0  # nobody sees what was tried, so nothing of it is kept
        _lead_component(s, r, w, lowest_beaten_card(s, suit), suit)
        return
    _show_throw(s)
    if r.failed_throw == _LOWEST:
        _lead_component(s, r, w, lowest_component(s.components, s.num_components), suit)
    elif s.num_choices == 1 or r.failed_throw == _SMALLEST:
        _lead_component(s, r, w, smallest_choice(s.choices, s.num_choices), suit)
    else:
        thrown_slot = s.last_slot
        clear_taken(s)
        s.last_slot = thrown_slot
        s.phase = Phase.FORCED
        s.seat = (s.leader + 1) % NUM_SEATS


@jit
def _pay_for_throw(s: State, r: Rules, suit: int) -> None:
    """Let the leader's side pay for a throw that has failed."""
    price = r.throw_penalty * (num_beaten_cards(s, suit) if r.throw_penalty_per == _PER_CARD else 1)
    is_declarers = s.leader % NUM_TEAMS == s.declarer % NUM_TEAMS
    s.attackers_points += price if is_declarers else -price


@jit
def _show_throw(s: State) -> None:
    """Let everybody know the cards of a throw that has failed."""
    thrown = slots_with(s.taken, 1)
    while thrown:
        slot = lowest_slot(thrown)
        thrown ^= 1 << slot
        s.known[s.leader, slot] = max(s.known[s.leader, slot], s.taken[slot])


@jit
def _lead_component(s: State, r: Rules, w: Workspace, code: int, suit: int) -> None:
    """Lead one component of a failed throw; the others go back to the hand."""
    fill_row(s.trick[s.leader], 0)
    add_component(code, suit, s.trump, s.trick[s.leader], 1)
    s.components[0] = code
    s.num_components = 1
    settle_lead(s, r, w, suit)


@jit
def settle_lead(s: State, r: Rules, w: Workspace, suit: int) -> None:
    """Put what is finally led on the table, and let the next seat follow."""
    s.lead_suit = suit
    s.lead_size = count_suit(s.trick[s.leader], suit, s.trump)
    s.winning = s.leader
    s.winning_suit = suit
    if r.throw_contest == _ALL_COMPONENTS:
        for place in range(MAX_PLAY):
            s.winning_tops[place] = 0
    s.winning_top = principal_top(s.trick[s.leader], s, effective_suit(suit, s.trump), w)
    _play_cards(s, s.leader, s.trick[s.leader])
    _begin_follow(s, r, w)


@jit
def _play_cards(s: State, seat: int, play: NDArray[Any]) -> None:
    """Move a seat's play from its hand to its played cards."""
    slots = slots_with(play, 1)
    while slots:
        slot = lowest_slot(slots)
        slots ^= 1 << slot
        count = play[slot]
        s.hands[seat, slot] -= count
        s.played[seat, slot] += count
        s.known[seat, slot] = max(s.known[seat, slot] - count, 0)
        s.trick_points += count * s.slot_points[slot]


@jit
def _begin_follow(s: State, r: Rules, w: Workspace) -> None:
    """Let the next seat follow, and find what it owes."""
    s.position += 1
    s.seat = (s.leader + s.position) % NUM_SEATS
    s.phase = Phase.FOLLOW
    s.num_owed = 0
    s.must_match = count_suit(s.hands[s.seat], s.lead_suit, s.trump) > s.lead_size
    clear_taken(s)
    if not s.must_match or width_of(s.components[0]) == 1:
        return
    copy_row(w.packing.available, s.hands[s.seat])
    suit = effective_suit(s.lead_suit, s.trump)
    s.num_owed = find_demand(s, r.follow_priority, suit, w.packing)
    for piece in range(s.num_owed):
        s.owed_width[piece] = w.packing.piece_width[piece]
        s.owed_length[piece] = w.packing.piece_length[piece]


@jit
def _end_follow(s: State, r: Rules, w: Workspace) -> None:
    copy_row(s.trick[s.seat], s.taken)
    if slots_with(s.taken, 1) & ~suit_slots(s.lead_suit, s.trump):
        s.voids[s.seat, s.lead_suit] = 1
    _play_cards(s, s.seat, s.taken)
    contest(s, r, w, s.seat, s.taken)
    if s.position < NUM_SEATS - 1:
        _begin_follow(s, r, w)
    else:
        _end_trick(s, r, w)


@jit
def _end_trick(s: State, r: Rules, w: Workspace) -> None:
    s.tricks += 1
    is_last = slots_with(s.hands[s.winning], 1) == 0
    attackers_win = s.winning % NUM_TEAMS != s.declarer % NUM_TEAMS
    if attackers_win and (r.last_trick_points or not is_last):
        s.attackers_points += s.trick_points
    if is_last:
        _end_round(s, r, w, attackers_win)
    else:
        begin_trick(s, s.winning)


@jit
def _end_round(s: State, r: Rules, w: Workspace, attackers_win: bool) -> None:
    kitty_points, multiplier = score_kitty(s, r, w, attackers_win)
    close_round(s, r, kitty_points, multiplier, attackers_win)
    s.phase = Phase.OVER
    s.seat = NOBODY
    clear_taken(s)


@jit
def apply_action(s: State, r: Rules, w: Workspace, deals: Deals, action: int) -> None:
    """Make a legal action, and go on to the next decision or to the round's end."""
    phase = s.phase
    if phase == Phase.FOLLOW:
        _follow(s, r, w, action)
    elif phase == Phase.LEAD:
        _lead(s, r, w, action)
    elif phase == Phase.BURY:
        _take(s, action)
        if s.taken_size == r.kitty:
            end_bury(s, r)
    elif phase == Phase.BID:
        _answer_bid(s, r, deals, action)
    elif phase == Phase.FORCED:
        _choose_forced(s, r, w, action)
    elif phase == Phase.NAME:
        name_trumps(s, r, action - NAME)
    elif action == PASS:
        pass_rebellion(s, r)
    else:
        rebel(s, r)
        begin_deal(s, r, deals)
        go_on_bidding(s, r, deals)


@jit
def _answer_bid(s: State, r: Rules, deals: Deals, action: int) -> None:
    """Bid or pass, while trumps are bid for or where the kitty may be taken up again."""
    if s.trump == UNNAMED:
        if action != PASS:
            make_bid(s, action)
        go_on_bidding(s, r, deals)
    elif action != PASS:
        overbid(s, r, action)
    else:
        ask_overbids(s, r)


@jit_inline
def _follow(s: State, r: Rules, w: Workspace, slot: int) -> None:
    """Take one more card of a follow; once the led suit is used up, others are taken from the lowest slot on."""
    _take(s, slot)
    if s.taken_size == s.lead_size:
        _end_follow(s, r, w)
    elif not s.must_match and count_suit(s.hands[s.seat], s.lead_suit, s.trump) == s.taken_size:
        s.last_slot = 0


@jit_inline
def _lead(s: State, r: Rules, w: Workspace, action: int) -> None:
    """Take one more card of a lead, or end it: by `done`, or because nothing can be added."""
    if action != DONE:
        _take(s, action)
    if action == DONE or legal_lead(s, r)[0] == 0:
        _end_lead(s, r, w)


@jit
def _take(s: State, slot: int) -> None:
    s.taken[slot] += 1
    s.taken_size += 1
    s.last_slot = slot


@jit
def _choose_forced(s: State, r: Rules, w: Workspace, slot: int) -> None:
    suit = suit_of_slot(slot, s.trump)
    for choice in range(s.num_choices):
        if top_slot_of(s.choices[choice], suit, s.trump) == slot:
            _lead_component(s, r, w, s.choices[choice], suit)
            return
