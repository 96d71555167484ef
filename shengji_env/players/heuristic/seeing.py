"""Seeing: what the heuristic player reads of its burials, leads and follows, written without the rest.

In playouts most of an observation would be written to be overwritten. `write_view` writes the segments that planning
reads, and leaves the others as they are; each is the same as in `tables.observing.write_observation`, which
environments and single actions use. `tests/players/test_heuristic.py` compares them.

Of `trick` only the winning seat's cards are read, of `played` and what else is in the centre nothing.
"""

from shengji_env.engine.compile import jit
from shengji_env.engine.components import length_of, width_of
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rows import ALL_SLOTS, copy_row, count_cards_at, lowest_slot, slots_with, write_rest
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS
from shengji_env.engine.state import NOBODY, Rules, State
from shengji_env.tables.observation import NUM_LENGTHS, NUM_WIDTHS, POINTS_UNIT, ObservationRecord
from shengji_env.tables.observing import mark, relative_seat, units_of

_OVERBID = code_of("kitty_retake", "overbid")

SEGMENTS = (
    *("hand", "taken", "known", "unseen", "card_points", "phase", "position", "winning", "lead_suit", "lead_size"),
    *("lead_shape", "must_match", "demand", "declarer", "burier", "trump", "trick_points", "buried_points"),
    *("cards_left", "voids", "rules"),
)
"""The segments written, and those that stay as `write_rules` has prepared them."""


@jit
def write_view(s: State, r: Rules, seen: ObservationRecord) -> None:
    """Write what the seat to move reads in BURY, LEAD or FOLLOW into `seen`, prepared as for `write_observation`."""
    seat = s.seat
    write_rest(seen.hand, s.hands[seat], (s.taken,))
    copy_row(seen.taken, s.taken)
    mark(seen.phase, s.phase)
    mark(seen.trump, s.trump)
    mark(seen.declarer, relative_seat(s.declarer, seat))
    if r.kitty_retake == _OVERBID:
        mark(seen.burier, relative_seat(last_taker(s), seat))
    _write_others(s, seen)
    _write_trick(s, seen)
    seen.cards_left[0] = count_cards_at(s.hands[seat], ALL_SLOTS)
    for slot in range(NUM_SLOTS):
        points = s.slot_points[slot]
        seen.card_points[slot] = (1 if points >= POINTS_UNIT else 0) + (1 if points >= 2 * POINTS_UNIT else 0)


@jit
def _write_others(s: State, seen: ObservationRecord) -> None:
    """Write what is known of the other seats, and which cards the seat cannot place."""
    seat = s.seat
    known = (s.known[(seat + 1) % NUM_SEATS], s.known[(seat + 2) % NUM_SEATS], s.known[(seat + 3) % NUM_SEATS])
    for step in range(NUM_SEATS - 1):
        copy_row(seen.known[step], known[step])
    for step in range(NUM_SEATS):
        for suit in range(NUM_EFFECTIVE_SUITS):
            seen.voids[step, suit] = s.voids[(seat + step) % NUM_SEATS, suit]
    placed = (s.hands[seat], s.played[0], s.played[1], s.played[2], s.played[3], *known)
    seen.buried_points[0] = 0
    if last_taker(s) != seat:
        write_rest(seen.unseen, s.slot_copies, placed)
        return
    write_rest(seen.unseen, s.slot_copies, (s.buried, *placed))
    points = 0
    buried = slots_with(s.buried, 1)
    while buried:
        slot = lowest_slot(buried)
        buried &= buried - 1
        points += s.buried[slot] * s.slot_points[slot]
    seen.buried_points[0] = units_of(points)


@jit
def _write_trick(s: State, seen: ObservationRecord) -> None:
    """Write what was led and what is winning."""
    seat = s.seat
    winning = relative_seat(s.winning, seat)
    mark(seen.winning, winning)
    mark(seen.position, relative_seat(seat, s.leader) if s.leader != NOBODY else NOBODY)
    if winning != NOBODY:
        copy_row(seen.trick[winning], s.trick[s.winning])
    mark(seen.lead_suit, s.lead_suit if s.lead_size else NOBODY)
    seen.lead_size[0] = s.lead_size
    seen.must_match[0] = s.must_match
    seen.trick_points[0] = units_of(s.trick_points)
    for width in range(NUM_WIDTHS):
        for length in range(NUM_LENGTHS):
            seen.lead_shape[width, length] = 0
            seen.demand[width, length] = 0
    for index in range(s.num_components):
        code = s.components[index]
        seen.lead_shape[width_of(code) - 1, min(length_of(code), NUM_LENGTHS) - 1] += 1
    for piece in range(s.num_owed):
        seen.demand[s.owed_width[piece] - 1, min(s.owed_length[piece], NUM_LENGTHS) - 1] += 1
