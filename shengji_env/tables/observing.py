"""What a seat sees of a state, written into an observation (`observation.py`).

`write_rules` writes what the rules alone decide, once for each record; `write_observation` writes the rest at each
decision.

Source: docs/environments/observation.md; docs/rules.md §4.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.bids import reading_of
from shengji_env.engine.cards import CARD_POINTS, LITTLE_JOKER, NUM_RANKS, NUM_SUITS
from shengji_env.engine.compile import jit
from shengji_env.engine.components import length_of, width_of
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.lanes import num_shares, share
from shengji_env.engine.rows import (
    ALL_SLOTS,
    copy_row,
    count_cards_at,
    fill_row,
    highest_slot,
    lowest_slot,
    slots_from,
    slots_with,
    write_rest,
    write_slots,
)
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_record import NUM_RULE_FEATURES
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import (
    NO_TRUMP,
    NUM_EFFECTIVE_SUITS,
    NUM_SLOTS,
    TRUMP,
    card_of_slot,
    first_slot,
    order_of_slot,
    slot_of_card,
    suit_slots,
    suit_start,
)
from shengji_env.engine.state import NOBODY, NUM_TEAMS, UNNAMED, Phase, Rules, State
from shengji_env.tables.observation import NUM_LENGTHS, NUM_OTHER_SEATS, NUM_WIDTHS, POINTS_UNIT, ObservationRecord

_BYTE_MAX = 127
_BYTE_MIN = -128
_OVERBID = code_of("kitty_retake", "overbid")
_FIRST_BID = code_of("first_declarer", "first_bid")


def _points_before_trumps() -> NDArray[np.int8]:
    """Return the points of a card of each slot of no trump, by level rank, (13, 54), in units."""
    suits = CARD_POINTS[:LITTLE_JOKER].reshape(NUM_SUITS, NUM_RANKS)
    rows = [[*np.delete(suits, level, axis=1).ravel(), *suits[:, level], 0, 0] for level in range(NUM_RANKS)]
    return (np.array(rows) // POINTS_UNIT).astype(np.int8)


_POINTS_BEFORE_TRUMPS = _points_before_trumps()


class _Viewer(NamedTuple):
    """Who sees, and how it reads the cards (docs/rules.md §4)."""

    seat: int
    is_to_move: bool
    trump: int
    level: int


@jit
def write_observation(s: State, r: Rules, seat: int, seen: ObservationRecord) -> None:
    """Write what `seat` sees into `seen`, an OBSERVATION_DTYPE record that `write_rules` has prepared."""
    trump, level = reading_of(s, seat)
    viewer = _Viewer(seat, s.seat == seat, trump, level)
    _write_cards(s, r, viewer, seen)
    _write_trick(s, viewer, seen)
    _write_roles(s, viewer, seen)
    if r.kitty_retake == _OVERBID:
        _write_kitty(s, seat, seen)
    if r.first_declarer == _FIRST_BID:
        mark(seen.first_bidder, relative_seat(s.first_bidder, seat))
    _write_progress(s, r, seat, seen)


@jit
def _write_cards(s: State, r: Rules, viewer: _Viewer, seen: ObservationRecord) -> None:
    seat = viewer.seat
    if viewer.is_to_move:
        write_rest(seen.hand, s.hands[seat], (s.taken,))
        copy_row(seen.taken, s.taken)
    else:
        copy_row(seen.hand, s.hands[seat])
        fill_row(seen.taken, 0)
    copy_row(seen.turned, s.turned)
    for step in range(NUM_SEATS):
        other = (seat + step) % NUM_SEATS
        copy_row(seen.played[step], s.played[other])
        copy_row(seen.trick[step], s.trick[other])
    write_beats(s, viewer.trump, seen)
    if s.trump == UNNAMED:
        _write_bidding(s, r, seat, viewer.level, seen)
    else:
        write_slot_points(s, seen)
        write_standing(write_unseen(s, seat, seen), s.trump, seen)


@jit
def _write_bidding(s: State, r: Rules, seat: int, level: int, seen: ObservationRecord) -> None:
    """Write the cards outside of the own hand while trumps are not named: those shown, unseen and standing."""
    copy_row(seen.card_points, _POINTS_BEFORE_TRUMPS[level])
    _write_shown(s, seat, level, seen)
    _write_copies(r, level, seen)
    fill_row(seen.buried, 0)
    known = (seen.known[0], seen.known[1], seen.known[2])
    placed = (s.hands[seat], s.played[0], s.played[1], s.played[2], s.played[3], *known)
    elsewhere = write_rest(seen.unseen, seen.unseen, placed)
    for row in known:
        elsewhere |= slots_with(row, 1)
    write_standing(elsewhere, NO_TRUMP, seen)


@jit
def _write_shown(s: State, seat: int, level: int, seen: ObservationRecord) -> None:
    """Write the cards shown by bids into the seat's own slots; while bids are made, they are kept by card id."""
    for step in range(NUM_OTHER_SEATS):
        fill_row(seen.known[step], 0)
        known = s.known[(seat + 1 + step) % NUM_SEATS]
        shown = slots_with(known, 1)
        while shown:
            card = lowest_slot(shown)
            shown ^= 1 << card
            seen.known[step, slot_of_card(card, NO_TRUMP, level)] = known[card]


@jit
def write_unseen(s: State, seat: int, seen: ObservationRecord) -> int:
    """Write what a seat knows of other hands, what it buried and what it cannot place, once trumps are named.

    Return the slots of cards that it cannot place or knows to be in other hands.
    """
    known = (s.known[(seat + 1) % NUM_SEATS], s.known[(seat + 2) % NUM_SEATS], s.known[(seat + 3) % NUM_SEATS])
    placed = (s.hands[seat], s.played[0], s.played[1], s.played[2], s.played[3], *known)
    if last_taker(s) == seat:
        copy_row(seen.buried, s.buried)
        elsewhere = write_rest(seen.unseen, s.slot_copies, (s.buried, *placed))
    else:
        fill_row(seen.buried, 0)
        elsewhere = write_rest(seen.unseen, s.slot_copies, placed)
    for step in range(NUM_OTHER_SEATS):
        copy_row(seen.known[step], known[step])
        elsewhere |= slots_with(known[step], 1)
    return elsewhere


@jit
def _write_copies(r: Rules, level: int, seen: ObservationRecord) -> None:
    """Write how often each card is dealt into `unseen`, by the slots of no trump."""
    if r.cards == 0:
        fill_row(seen.unseen, r.decks)
    else:
        for slot in range(NUM_SLOTS):
            seen.unseen[slot] = r.copies[card_of_slot(slot, NO_TRUMP, level)]


@jit
def write_slot_points(s: State, seen: ObservationRecord) -> None:
    """Write the points of cards by slot, once trumps are named."""
    for step in range(num_shares(NUM_SLOTS)):
        slot = share(step, NUM_SLOTS)
        points = s.slot_points[slot]
        seen.card_points[slot] = (1 if points >= POINTS_UNIT else 0) + (1 if points >= 2 * POINTS_UNIT else 0)


@jit
def write_standing(elsewhere: int, trump: int, seen: ObservationRecord) -> None:
    """Write which cards stand if the others are at some slots."""
    standing = 0
    for suit in range(NUM_SUITS if trump == NO_TRUMP else NUM_SUITS - 1):
        standing |= _standing_slots(elsewhere, suit, trump)
    write_slots(seen.standing, standing | _standing_slots(elsewhere, TRUMP, trump))


@jit
def _standing_slots(elsewhere: int, suit: int, trump: int) -> int:
    """Return the slots of a suit from the highest order of `elsewhere` in it on; all if none of them is in it."""
    slots = suit_slots(suit, trump)
    highest = highest_slot(elsewhere & slots | 1 << suit_start(suit, trump))
    if suit == TRUMP:
        highest = first_slot(order_of_slot(highest, trump), suit, trump)
    return slots & slots_from(highest)


@jit
def write_beats(s: State, trump: int, seen: ObservationRecord) -> None:
    """Write which cards are above the top of the play that is winning."""
    slots = 0
    if s.winning != NOBODY:
        suit = s.winning_suit
        slots = suit_slots(suit, trump) & slots_from(first_slot(s.winning_top + 1, suit, trump))
        if suit != TRUMP:
            slots |= suit_slots(TRUMP, trump)
    write_slots(seen.beats, slots)


@jit
def mark(values: NDArray[Any], marked: int) -> None:
    """Write a one-hot vector; an index outside leaves all zero."""
    for step in range(num_shares(values.size)):
        index = share(step, values.size)
        values[index] = 1 if index == marked else 0


@jit
def relative_seat(other: int, seat: int) -> int:
    """Return a seat, or NOBODY, as seen from another."""
    return NOBODY if other == NOBODY else (other - seat) % NUM_SEATS


@jit
def _declarer(s: State) -> int:
    """Return the round's declarer: once it is over, the state already holds the next one's."""
    return s.result.declarer if s.phase == Phase.OVER else s.declarer


@jit
def _write_trick(s: State, viewer: _Viewer, seen: ObservationRecord) -> None:
    seat = viewer.seat
    mark(seen.phase, s.phase)
    seen.to_move[0] = 1 if viewer.is_to_move else 0
    mark(seen.position, NOBODY if s.leader == NOBODY else (seat - s.leader) % NUM_SEATS)
    mark(seen.leader, relative_seat(s.leader, seat))
    mark(seen.winning, relative_seat(s.winning, seat))
    mark(seen.lead_suit, s.lead_suit if s.lead_size else NOBODY)
    seen.lead_size[0] = s.lead_size
    seen.must_match[0] = s.must_match if viewer.is_to_move else 0
    write_shapes(s, viewer.is_to_move, seen)


@jit
def write_shapes(s: State, is_to_move: bool, seen: ObservationRecord) -> None:
    """Write what was led, and what a seat that is to move owes to it, by width and length."""
    for step in range(num_shares(NUM_WIDTHS * NUM_LENGTHS)):
        width, length = divmod(share(step, NUM_WIDTHS * NUM_LENGTHS), NUM_LENGTHS)
        seen.lead_shape[width, length] = 0
        seen.demand[width, length] = 0
    for index in range(s.num_components):
        code = s.components[index]
        seen.lead_shape[width_of(code) - 1, min(length_of(code), NUM_LENGTHS) - 1] += 1
    if is_to_move:
        for piece in range(s.num_owed):
            seen.demand[s.owed_width[piece] - 1, min(s.owed_length[piece], NUM_LENGTHS) - 1] += 1


@jit
def _write_roles(s: State, viewer: _Viewer, seen: ObservationRecord) -> None:
    seat = viewer.seat
    declarer = _declarer(s)
    mark(seen.declarer, NUM_SEATS if declarer == NOBODY else relative_seat(declarer, seat))
    mark(seen.trump, NO_TRUMP + 1 if s.trump == UNNAMED else s.trump)
    mark(seen.level_rank, viewer.level)
    mark(seen.levels[0], s.levels[seat % NUM_TEAMS])
    mark(seen.levels[1], s.levels[(seat + 1) % NUM_TEAMS])
    seen.bid_count[0] = s.bid_count
    mark(seen.bid_kind, s.bid_kind if s.bid_count else NOBODY)
    mark(seen.bidder, relative_seat(s.bid_seat, seat))
    for step in range(num_shares(NUM_SEATS * NUM_EFFECTIVE_SUITS)):
        other, suit = divmod(share(step, NUM_SEATS * NUM_EFFECTIVE_SUITS), NUM_EFFECTIVE_SUITS)
        seen.voids[other, suit] = s.voids[(seat + other) % NUM_SEATS, suit]


@jit
def _write_kitty(s: State, seat: int, seen: ObservationRecord) -> None:
    """Write what can only be said where the kitty may be taken up again; otherwise it stays zero (`write_rules`)."""
    taker = last_taker(s)
    mark(seen.burier, NUM_SEATS if taker == NOBODY else relative_seat(taker, seat))
    copy_row(seen.passed_on, s.passed_on[seat])


@jit
def units_of(points: int) -> int:
    """Return points in units of 5, clipped to int8."""
    return max(_BYTE_MIN, min(_BYTE_MAX, points // POINTS_UNIT))


@jit
def points_buried_by(s: State, seat: int) -> int:
    """Return the points in the kitty, 0 for a seat that has not buried it."""
    points = 0
    buried = slots_with(s.buried, 1) if last_taker(s) == seat else 0
    while buried:
        slot = lowest_slot(buried)
        buried ^= 1 << slot
        points += s.buried[slot] * s.slot_points[slot]
    return points


@jit
def _write_progress(s: State, r: Rules, seat: int, seen: ObservationRecord) -> None:
    seen.drawn[0] = s.drawn // NUM_SEATS
    seen.all_drawn[0] = 1 if s.drawn >= NUM_SEATS * r.hand else 0
    seen.redeals[0] = s.redeals
    seen.rebellions[0] = s.rebellions
    seen.attackers_points[0] = units_of(s.attackers_points)
    seen.trick_points[0] = units_of(s.trick_points)
    seen.buried_points[0] = units_of(points_buried_by(s, seat))
    seen.tricks[0] = s.tricks
    seen.cards_left[0] = count_cards_at(s.hands[seat], ALL_SLOTS)
    seen.match_round[0] = min(s.match_round, _BYTE_MAX)


@jit
def write_rules(r: Rules, seen: ObservationRecord) -> None:
    """Write the features of the rules and what these rules do not use, once for each record.

    `write_observation` does not touch them.
    """
    fill_row(seen.passed_on, 0)
    mark(seen.burier, NOBODY)
    mark(seen.first_bidder, NOBODY)
    for step in range(num_shares(NUM_RULE_FEATURES)):
        index = share(step, NUM_RULE_FEATURES)
        seen.rules[index] = r.features[index]
