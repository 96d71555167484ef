"""Arguments of environments, checked in one place before any array is made or compiled code runs.

| function | accepts | returns |
|---|---|---|
| `check_choice` | one of the given texts | itself |
| `check_render_mode` | None, or one of the given texts | itself |
| `check_flag` | True and False, NumPy's too | bool |
| `check_index`, `check_seat` | an integer in a range | int |
| `check_number`, `check_positive` | a finite number in a range; one above 0 | float |
| `check_seed`, `seed_or_draw` | an integer in 0..2**64-1; None draws one | int |
| `check_dtype` | a type of number that holds every int8 exactly | `np.dtype` |
| `check_tables` | N integers in 0..2**63-1; None numbers from 0 | int64 (N,) |
| `read_action`, `read_actions` | one action; one for each table | int; int64 (N,) |

An integer is whatever Python accepts as an index (an int, NumPy's integers, an integer array without dimensions), but
not a bool. Everything else raises a `ShengjiError` that names the argument and shows what was given.
"""

import operator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.errors import RenderModeError, ShengjiError, show

OneOf = TypeVar("OneOf", bound=str)

NO_ACTION = -2
"""What `read_action` returns for anything but an integer: not an action, and not "stand still" either."""
NUM_SEEDS = 2**64
MAX_INT64 = 2**63 - 1
MAX_TABLES = 2**27
MAX_THREADS = 1024
MAX_HISTORY = 1000
MAX_ROUNDS = 2**32
"""Bounds beyond any use: larger values are mistakes, and would only fill the memory."""
DTYPES = ("int8", "int16", "int32", "int64", "float16", "float32", "float64")


def as_index(value: Any) -> int | None:
    """Return a value as an int, or None if it is not an integer."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def is_number(value: Any) -> bool:
    """Whether a value is an int or a float, and no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_choice(
    name: str, value: OneOf, choices: tuple[OneOf, ...], otherwise: str = "", error: type[ShengjiError] = ShengjiError
) -> OneOf:
    """Return the value itself, if it is one of `choices`; `otherwise` tells what else the caller accepts."""
    if not isinstance(value, str) or value not in choices:
        raise error(f"{name}={show(value)} is unknown; it is one of {', '.join(choices)}{otherwise}")
    return value


def check_render_mode(mode: str | None, modes: tuple[str, ...]) -> str | None:
    """Return the mode itself, if it is None or one of `modes`."""
    return None if mode is None else check_choice("render_mode", mode, modes, ", or None", RenderModeError)


def check_flag(name: str, value: bool) -> bool:
    """Return a flag as a bool."""
    if not isinstance(value, bool | np.bool_):
        raise ShengjiError(f"{name}={show(value)} must be True or False")
    return bool(value)


def check_index(
    name: str, value: Any, low: int, high: int, *, error: type[ShengjiError] = ShengjiError, why: str = ""
) -> int:
    """Return an integer in ``low..high`` as an int; `why` says why it may not be less, `error` is the kind of error."""
    index = as_index(value)
    if index is None or not low <= index <= high:
        reason = f": {why}" if why and index is not None and index < low else ""
        raise error(f"{name}={show(value)} must be a whole number from {low} to {high}{reason}")
    return index


def check_number(name: str, value: Any, low: float, high: float) -> float:
    """Return a number in ``low..high`` as a float."""
    if not is_number(value) or not low <= value <= high:
        raise ShengjiError(f"{name}={show(value)} must be a number from {low:g} to {high:g}")
    return float(value)


def check_positive(name: str, value: Any, most: float, error: type[ShengjiError] = ShengjiError) -> float:
    """Return a number above 0 as a float."""
    if not is_number(value) or not 0 < value <= most:
        raise error(f"{name}={show(value)} must be a number above 0, and at most {most:g}")
    return float(value)


def check_seat(name: str, value: Any, otherwise: str = "", error: type[ShengjiError] = ShengjiError) -> int:
    """Return a seat as an int; `otherwise` tells the message what else the caller accepts, `error` is its kind."""
    seat = as_index(value)
    if seat is None or not 0 <= seat < NUM_SEATS:
        raise error(f"{name}={show(value)} is not a seat; seats are 0..{NUM_SEATS - 1}{otherwise}")
    return seat


def check_seed(seed: Any) -> int:
    """Return a seed as an int."""
    index = as_index(seed)
    if index is None or not 0 <= index < NUM_SEEDS:
        raise ShengjiError(f"seed={show(seed)} must be a whole number from 0 to 2**64 - 1")
    return index


def seed_or_draw(seed: Any) -> int:
    """Return a seed as an int, or a random one for None."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) if seed is None else check_seed(seed)


def check_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return a type of number for observations, given by name or as a NumPy type, in this machine's byte order."""
    # Not `np.dtype(dtype)`, which takes None as float64, a value as its type, and many kinds of text.
    name = dtype.name if isinstance(dtype, np.dtype) else getattr(dtype, "__name__", dtype)
    if not isinstance(name, str) or name not in DTYPES:
        raise ShengjiError(f"dtype={show(dtype)} cannot hold observations; it is one of {', '.join(DTYPES)}")
    return np.dtype(name)


def check_tables(tables: ArrayLike | None, num_envs: int) -> NDArray[np.int64]:
    """Return table numbers, shape (num_envs,); 0..num_envs-1 for None."""
    if tables is None:
        return np.arange(num_envs)
    given = _as_integers("tables", tables, num_envs)
    numbers = given.astype(np.int64)
    if (numbers < 0).any():  # a large uint64 has become negative too
        raise ShengjiError(f"tables={show(given.tolist())} must be from 0 to 2**63 - 1")
    return numbers


def read_action(action: Any) -> int:
    """Return one action as an int, or NO_ACTION if it is not an integer; the caller checks whether it is legal."""
    index = as_index(action)
    return NO_ACTION if index is None else index


def read_actions(actions: ArrayLike, num_envs: int) -> NDArray[np.int64]:
    """Return a copy of actions, one for each table, in the form that compiled code takes.

    It is a copy since compiled code trusts what was checked: another thread may write to the caller's array meanwhile.
    Integers too large for int64 become the largest int64, which is not an action either.
    """
    given = _as_integers("actions", actions, num_envs)
    if given.dtype == np.uint64:
        given = np.minimum(given, MAX_INT64)
    return given.astype(np.int64, order="C", subok=False)


def _as_integers(name: str, values: ArrayLike, size: int) -> NDArray[Any]:
    try:
        given = np.asarray(values)
    except Exception as error:  # lists of unequal lengths, tensors on another device
        raise ShengjiError(f"{name} cannot be read as an array: {error}") from error
    if given.dtype.kind not in "iu":
        raise ShengjiError(f"{name} are {given.dtype}; they must be integers")
    if given.shape != (size,):
        raise ShengjiError(f"{name} have shape {given.shape}; it must be ({size},)")
    return given
