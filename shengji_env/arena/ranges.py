"""How much may be asked for, checked in one place before anything starts.

The upper ends lie beyond all use: who is beyond them has mistyped, and is told so before the memory is full.
"""

from shengji_env.errors import ShengjiError, show
from shengji_env.players.cores import num_cores

MOST_DEALS = 10**7
"""Deals of a pair: a day of the fastest players on one core."""
MOST_PLAYERS = 64
"""Players of a tournament, and those that a process keeps."""
MOST_AT_ONCE = 10_000
"""Deals of a chunk: gigabytes of memory, and no faster than a tenth of them."""
MOST_WORKERS = max(64, 4 * num_cores())
"""Worker processes: more would only take memory and one another's time."""
NUM_SEEDS = 2**64


def check_range(name: str, value: int, low: int, high: int, *, why: str = "") -> None:
    """Refuse a number outside of a range.

    Args:
        name: what it is called.
        value: the number.
        low: the least that is allowed.
        high: the most.
        why: why it may not be less.

    Raises:
        ShengjiError: it is no whole number, or lies outside.
    """
    if type(value) is not int or not low <= value <= high:
        reason = f": {why}" if why and type(value) is int and value < low else ""
        raise ShengjiError(f"{name}={show(value)} must be a whole number from {low} to {high}{reason}")
