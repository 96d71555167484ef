"""Functions on whole rows against plain NumPy, and sets of slots against Python's sets."""

import numpy as np
import pytest

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import (
    ALL_SLOTS,
    copy_row,
    count_cards_at,
    fill_row,
    highest_slot,
    lowest_slot,
    num_slots,
    slots_above,
    slots_from,
    slots_with,
    write_rest,
    write_slots,
)

pytestmark = pytest.mark.nojit

NUM_SLOTS = 54
GUARD = 77
"""What stands behind a row: nothing may write there."""


@jit
def ask(rows, answers):
    """Every function that reads rows."""
    answers[0] = slots_with(rows[0], 1)
    answers[1] = slots_with(rows[0], 3)
    answers[2] = slots_above(rows[0], rows[1])
    answers[3] = count_cards_at(rows[0], answers[2])
    answers[4] = write_rest(rows[2], rows[0], (rows[1],))
    answers[5] = write_rest(rows[3], 4, (rows[0], rows[1], rows[1]))


@jit
def write(rows, slots):
    """Every other function that writes rows."""
    copy_row(rows[0], rows[3])
    fill_row(rows[1], -3)
    write_slots(rows[2], slots)


@jit
def bits(slots, slot):
    """Every function of sets."""
    return num_slots(slots), lowest_slot(slots), highest_slot(slots), slots & slots_from(slot)


def as_bits(flags):
    return sum(1 << slot for slot in np.flatnonzero(flags).tolist())


@pytest.fixture
def rows():
    generator = np.random.default_rng(1)
    rows = np.full((4, 64), GUARD, np.int8)
    rows[:, :NUM_SLOTS] = generator.integers(0, 5, (4, NUM_SLOTS))
    return rows


def test_what_rows_answer(rows):
    one, other = rows[0, :NUM_SLOTS].copy(), rows[1, :NUM_SLOTS].copy()
    answers = np.zeros(6, np.int64)
    ask(rows, answers)
    rest = 4 - one - 2 * other
    expected = [one >= 1, one >= 3, one > other, None, one > other, rest > 0]
    assert [int(answer) for answer in np.delete(answers, 3)] == [
        as_bits(flags) for flags in expected if flags is not None
    ]
    assert answers[3] == one[one > other].sum()
    assert (rows[2, :NUM_SLOTS] == one - other).all()
    assert (rows[3, :NUM_SLOTS] == rest).all()
    assert (rows[:, NUM_SLOTS:] == GUARD).all()


def test_what_rows_become(rows):
    last = rows[3].copy()
    slots = as_bits(rows[0, :NUM_SLOTS] > 2)
    flags = rows[0, :NUM_SLOTS] > 2
    write(rows, slots)
    assert (rows[0, :NUM_SLOTS] == last[:NUM_SLOTS]).all()
    assert (rows[1, :NUM_SLOTS] == -3).all()
    assert (rows[2, :NUM_SLOTS] == flags).all()
    assert (rows[3] == last).all()
    assert (rows[:, NUM_SLOTS:] == GUARD).all()


@pytest.mark.parametrize("members", [{0}, {53}, {0, 53}, {7, 8, 40}, set(range(NUM_SLOTS))])
def test_sets(members):
    slots = sum(1 << slot for slot in members)
    above = sum(1 << slot for slot in members if slot >= 8)
    assert bits(slots, 8) == (len(members), min(members), max(members), above)
    assert slots <= ALL_SLOTS
