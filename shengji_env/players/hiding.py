"""Hiding: a state without what the seat to move cannot know, for players that need whole positions.

`Decisions.states` holds such states. Everything that the seat cannot know is wiped:

| wiped | when |
|---|---|
| the other seats' hands | always |
| in `deal` (as -1): the cards that the seat has not drawn | while bids are made; afterwards the whole deal |
| what lies in the kitty | unless the seat buried it |
| what other seats have buried, and others have taken up since | always |
| the choices of a failed throw | except in FORCED, where they are public |
| array entries beyond the array's length, what was led and won in the trick before, the last round's result | always |

How many cards a seat holds follows from what it has drawn and played. The cards taken so far in this decision (`taken`)
stay, since the seat to move has taken them, and so does what it owes (`must_match`, `owed_*`).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.kitty import last_taker
from shengji_env.engine.rows import fill_row
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.state import MAX_PLAY, NOBODY, RESULT_DTYPE, UNNAMED, Phase, Rules, State

UNKNOWN = -1
"""A card of the deal that the seat to move has not seen."""
_NO_RESULT: NDArray[Any] = np.zeros(1, RESULT_DTYPE)
for _field in ("declarer", "next_declarer", "match_winner"):
    _NO_RESULT[_field] = NOBODY


@jit
def hide_all_unknown(states: NDArray[Any], rules: NDArray[Any]) -> None:
    """Wipe what the seat to move cannot know from each state."""
    for row in range(states.size):
        hide_unknown(states[row], rules[0])


@jit
def hide_unknown(s: State, r: Rules) -> None:
    """Wipe what the seat to move cannot know."""
    is_open = s.trump == UNNAMED
    for index in range(s.deal.size):
        drawer = (int(s.first_drawer) + index) % NUM_SEATS
        is_own = is_open and index < s.drawn and drawer == s.seat
        if not is_own:
            s.deal[index] = UNKNOWN if index < r.total else 0
    for seat in range(NUM_SEATS):
        if seat != s.seat:
            fill_row(s.hands[seat], 0)
            fill_row(s.passed_on[seat], 0)
    if last_taker(s) != s.seat:
        fill_row(s.buried, 0)
    s.deal_given = 0
    _wipe_leftovers(s)


@jit
def _wipe_leftovers(s: State) -> None:
    """Wipe values that mean nothing in this phase: they may be left over from hidden cards, and could reveal them."""
    if s.phase != Phase.FORCED:
        s.num_choices = 0
    if s.lead_size == 0:
        s.lead_suit = s.winning_suit = s.winning_top = 0
        fill_row(s.winning_tops, 0)
    for index in range(MAX_PLAY):
        if index >= s.num_components:
            s.components[index] = 0
        if index >= s.num_choices:
            s.choices[index] = 0
        if index >= s.num_owed:
            s.owed_width[index] = 0
            s.owed_length[index] = 0
    if s.taken_size == 0 and s.phase != Phase.FORCED:
        s.last_slot = 0
    s.result = _NO_RESULT[0]
