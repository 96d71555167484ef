"""Inputs with blank rows at the end, so that a minibatch has one of few shapes.

A library compiles a matrix product anew for every shape that it has not met, which takes longer than the product in
bfloat16. No two minibatches have as many candidates. Every kind of row gets at least one blank one; what is read from
blank rows goes into blank rows, so the rows before them are what they are without.
"""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shengji_env.players.networks.champion.inputs import Inputs

_UNIT = 128
"""Numbers of rows are multiples of it."""

_Number = TypeVar("_Number", np.int8, np.int64)


def padded(inputs: Inputs) -> Inputs:
    """Return the inputs with blank rows added."""
    suits, decisions, candidates = (_more(len(rows)) for rows in (inputs.suits, inputs.trumps, inputs.features))
    suit_changes, trump_changes = _more(len(inputs.suit_changes)), _more(len(inputs.trump_changes))
    return Inputs(
        suits=_filled(inputs.suits, suits, 0),
        suit_owners=_filled(inputs.suit_owners, suits, decisions - 1),
        trumps=_filled(inputs.trumps, decisions, 0),
        table=_filled(inputs.table, decisions, 0),
        features=_filled(inputs.features, candidates, 0),
        owners=_filled(inputs.owners, candidates, decisions - 1),
        suit_changes=_filled(inputs.suit_changes, suit_changes, 0),
        changed_suits=_filled(inputs.changed_suits, suit_changes, suits - 1),
        suit_change_owners=_filled(inputs.suit_change_owners, suit_changes, candidates - 1),
        trump_changes=_filled(inputs.trump_changes, trump_changes, 0),
        trump_change_owners=_filled(inputs.trump_change_owners, trump_changes, candidates - 1),
    )


def distinct(indices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that some indices name, each once, with row 0 added as often as needed; and where each one is."""
    is_named = np.zeros(indices.max(initial=0) + 1, np.bool_)
    is_named[indices] = True
    rows, places = np.flatnonzero(is_named), np.cumsum(is_named) - 1
    return _filled(rows, _more(len(rows)), 0), places[indices]


def _more(number: int) -> int:
    return (number // _UNIT + 1) * _UNIT


def _filled(rows: NDArray[_Number], number: int, value: int) -> NDArray[_Number]:
    result = np.full((number, *rows.shape[1:]), value, rows.dtype)
    result[: len(rows)] = rows
    return result
