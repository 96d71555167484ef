"""Evidence: what earlier plays reveal about hands, through what followers owed and through throws that succeeded.

A seat that followed suit and kept more cards of it has played what its hand owed (docs/rules.md §9), so it cannot have
had a hand that owed more. And no other seat held a higher component than those of a throw that succeeded (§8). Once per
decision, `list_tests` lists all plays that reveal something about a seat's present cards; `num_failed` counts those
that the hands of a sampled deal contradict. That a seat that did not follow is void is already in the state (`voids`).
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.components import decompose, has_higher, width_of
from shengji_env.engine.follows import find_demand
from shengji_env.engine.packing import can_pack
from shengji_env.engine.rows import fill_row, lowest_slot, slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS, effective_suit, suit_end, suit_of_slot, suit_slots, suit_start
from shengji_env.engine.state import MAX_PLAY, Rules, State, Workspace

Test: TypeAlias = np.record

FOLLOWED = 0
THROW_STOOD = 1

TEST_DTYPE = record_type(
    [
        ("kind", np.int64),
        ("seat", np.int64),
        ("suit", np.int64),
        ("num_components", np.int64),
        ("components", np.int32, (MAX_PLAY,)),
        ("play", np.int8, (NUM_SLOTS,)),
        ("since", np.int8, (NUM_SLOTS,)),
    ]
)
"""What one play reveals about a seat. `components` were led in `suit`; `play` is how the seat followed; `since` are the
cards that it has played from this trick on. Together with its present cards, they were its hand as the trick began."""


@jit
def list_tests(s: State, plays: NDArray[Any], w: Workspace, tests: NDArray[Any]) -> int:
    """List what a round's plays, shape (K, 55), reveal about the seats not to move; return the number of tests."""
    first = 0
    while first < plays.shape[0] and plays[first, 0] == 0:
        first += 1
    number = 0
    for lead in range(first, plays.shape[0], NUM_SEATS):
        suit = suit_of_slot(lowest_slot(slots_with(plays[lead, 1:], 1)), s.trump)
        size = decompose(plays[lead, 1:], suit, s.trump, w)
        if size == 1 and width_of(w.codes[0]) == 1:
            continue
        for seat in range(NUM_SEATS):
            if seat == s.seat or s.voids[seat, suit] or seat == plays[lead, 0] - 1:
                continue
            has_followed = lead + (seat + 1 - plays[lead, 0]) % NUM_SEATS < plays.shape[0]
            for kind in (FOLLOWED, THROW_STOOD):
                if size > 1 if kind == THROW_STOOD else has_followed and width_of(w.codes[0]) > 1:
                    test = tests[number]
                    test.kind, test.seat, test.suit, test.num_components = kind, seat, suit, size
                    for index in range(size):
                        test.components[index] = w.codes[index]
                    _note_cards(plays, lead, test)
                    number += 1
    return number


@jit
def _note_cards(plays: NDArray[Any], lead: int, test: Test) -> None:
    """Note how a test's seat followed, if it has, and all that it has played from the trick on."""
    fill_row(test.play, 0)
    fill_row(test.since, 0)
    for row in range(lead, plays.shape[0]):
        if plays[row, 0] == test.seat + 1:
            for slot in range(NUM_SLOTS):
                if row < lead + NUM_SEATS:
                    test.play[slot] = plays[row, 1 + slot]
                test.since[slot] += plays[row, 1 + slot]


@jit
def num_failed(s: State, r: Rules, w: Workspace, tests: NDArray[Any], most: int) -> int:
    """Count the tests that the hands of a sampled deal contradict; stop counting at `most`."""
    failed = 0
    for index in range(tests.size):
        if failed >= most:
            break
        test = tests[index]
        low, high = suit_start(test.suit, s.trump), suit_end(test.suit, s.trump)
        for slot in range(low, high):
            w.packing.available[slot] = s.hands[test.seat, slot] + test.since[slot]
        if test.kind == FOLLOWED:
            failed += not _has_followed(s, r, w, test)
        else:
            failed += not _has_stood(s, w, test)
    return failed


@jit
def _has_followed(s: State, r: Rules, w: Workspace, test: Test) -> bool:
    """Return whether a play contains everything that the hand ``w.packing.available`` owed."""
    suit = effective_suit(test.suit, s.trump)
    owed = find_demand(test, r.follow_priority, suit, w.packing)
    for slot in range(suit_start(test.suit, s.trump), suit_end(test.suit, s.trump)):
        w.packing.available[slot] = test.play[slot]
        w.packing.fixed[slot] = 0
    return bool(can_pack(w.packing, owed, suit, 0))


@jit
def _has_stood(s: State, w: Workspace, test: Test) -> bool:
    """Return whether the hand ``w.packing.available`` beats no component of a throw."""
    for slot in range(NUM_SLOTS):
        if not suit_slots(test.suit, s.trump) >> slot & 1:
            w.packing.available[slot] = 0
    for index in range(test.num_components):
        if has_higher(w.packing.available, test.components[index], test.suit, s.trump):
            return False
    return True
