"""Compiled code: what all choices of a decision about cards have in common."""

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.slots import NO_TRUMP, NUM_EFFECTIVE_SUITS, TRUMP
from shengji_env.engine.state import Rules, State
from shengji_env.players.networks.selfplay.scaled_rows import list_scaled_suit, list_scaled_table
from shengji_env.players.networks.selfplay.selfplay_inputs import CARD_INPUTS, NUM_CARD_ROWS, first_rows
from shengji_env.players.networks.selfplay.sight import HOLDINGS, STRENGTHS, VOIDS, Sight

_FIRST = first_rows(CARD_INPUTS, 0)
_SCENES = tuple(_FIRST[f"scene_{name}"] for name in ("trick", "stake", "score", "cards", "led", "top"))
_PLAIN, _TRUMP, _LED, _OF = (_FIRST[f"{kind}_holding"] for kind in ("plain", "trump", "led", "of"))


@jit
def is_suit(suit: int, trump: int) -> bool:
    """Return whether there is an effective suit: the fourth plain one is there only under no trump."""
    return suit != NO_TRUMP - 1 or trump == NO_TRUMP


@jit
def list_common(s: State, r: Rules, sight: Sight, group: int, rows: NDArray[np.int16]) -> int:
    """List the rows of the table, the hand's suits and the suit led; return how many these are.

    Args:
        s: the table.
        r: its rules.
        sight: `sight.look` has just looked at it.
        group: the kind of decision.
        rows: written.
    """
    number, first = 0, group * NUM_CARD_ROWS
    for index in range(len(_SCENES)):
        rows[number] = first + _SCENES[index] + sight.scene[index]
        number += 1
    for suit in range(NUM_EFFECTIVE_SUITS):
        if is_suit(suit, s.trump):
            at = first + (_TRUMP if suit == TRUMP else _PLAIN)
            number = _list_suit(sight, suit, at, 1, 0, rows, number)
            number = list_scaled_suit(s, r, sight, group, suit, 0, rows, number)
    if s.lead_size > 0:
        suit = int(s.lead_suit)
        number = _list_suit(sight, suit, first + _LED, 2, suit // TRUMP, rows, number)
    return int(list_scaled_table(s, r, sight, group, rows, number))


@jit
def list_suit_of(sight: Sight, suit: int, first: int, rows: NDArray[np.int16], number: int) -> int:
    """List the rows of a suit from which a choice takes cards; return how many rows there are now."""
    return int(_list_suit(sight, suit, first + _OF, 2, suit // TRUMP, rows, number))


@jit
def _list_suit(sight: Sight, suit: int, at: int, kinds: int, kind: int, rows: NDArray[np.int16], number: int) -> int:
    """List what a suit is as a whole; the rows, of so many kinds of suits, begin at `at`."""
    rows[number] = at + kind * HOLDINGS + sight.holding[suit]
    at += kinds * HOLDINGS
    rows[number + 1] = at + kind * STRENGTHS + sight.strength[suit]
    at += kinds * STRENGTHS
    rows[number + 2] = at + kind * VOIDS + sight.void[suit]
    return number + 3
