"""Rows of 16-bit integers: their vector code adds and multiplies as NumPy does."""

import numpy as np
import pytest

from shengji_env.engine.compile import jit
from shengji_env.players.networks.selfplay import integer_rows
from shengji_env.players.networks.selfplay.integer_rows import add_products, exchange, product, sum_rows


@jit
def _sum(sums, to, source, table, rows, number, width):
    sum_rows(sums, to, source, table, rows, number, width)


@jit
def _multiply(sums, row, table, first, second, width):
    return product(sums, row, table, first, second, width)


@jit
def _add(sums, table, width):
    add_products(sums, 2, 1, table, 3, sums, 0, width, width)
    exchange(sums, 1, 0, 2, width)


@pytest.mark.parametrize("width", [32, 96, 128, 160])
@pytest.mark.parametrize("largest", [300, 2**15 - 1])
def test_rows_are_added_and_multiplied_as_numpy_does(largest, width):
    """What is too large wraps around in both."""
    rng = np.random.default_rng(largest)
    table = rng.integers(-largest, largest + 1, 200 * width, np.int16)
    for number in (0, 1, 7, 40):
        rows = rng.integers(0, 20, 40, np.int32)
        sums, expected = (table[: 3 * width].copy() for _ in range(2))
        _sum(sums, 2, 1, table, rows, number, width)
        integer_rows._sum_rows_plain(expected, 2, 1, table, rows, number, width)
        assert sums.tobytes() == expected.tobytes()
        first, second = rows[:2].tolist()
        value = integer_rows._product_plain(sums, 2, table, first, second, width)
        assert _multiply(sums, 2, table, first, second, width) == value
        _add(sums, table, width)
        integer_rows._add_products_plain(expected, 2, 1, table, 3, expected, 0, width, width)
        integer_rows._exchange_plain(expected, 1, 0, 2, width)
        assert sums.tobytes() == expected.tobytes()
