"""Seeing: what the heuristic player reads of its burials, leads and follows, written without the rest.

In playouts, and where the player answers inside the step, most of an observation would be written to be overwritten.
`write_view` writes the segments that planning reads, and leaves the others as they are; each is the same as in
`tables.observing.write_observation`, which users and single actions get. `tests/players/test_heuristic.py` compares
them.

Of `trick` only the winning seat's cards are read, of `played` and what else is in the centre nothing.
"""

from shengji_env.engine.compile import jit
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rows import ALL_SLOTS, copy_row, count_cards_at, write_rest
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS
from shengji_env.engine.state import NOBODY, Rules, State
from shengji_env.tables.observation import ObservationRecord
from shengji_env.tables.observing import (
    mark,
    points_buried_by,
    relative_seat,
    units_of,
    write_shapes,
    write_slot_points,
    write_unseen,
)

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
    write_slot_points(s, seen)


@jit
def _write_others(s: State, seen: ObservationRecord) -> None:
    """Write what is known of the other seats, and which cards the seat cannot place."""
    seat = s.seat
    for step in range(NUM_SEATS):
        for suit in range(NUM_EFFECTIVE_SUITS):
            seen.voids[step, suit] = s.voids[(seat + step) % NUM_SEATS, suit]
    write_unseen(s, seat, seen)
    seen.buried_points[0] = units_of(points_buried_by(s, seat))


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
    write_shapes(s, True, seen)
