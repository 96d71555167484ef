"""The veil: a state without what the seat to move cannot know, for players that need whole positions.

`Decisions.states` holds veiled states. Everything that the seat cannot know is wiped:

| wiped | when |
|---|---|
| the other seats' hands | always |
| in `deal` (as -1): the cards that the seat has not drawn | while bids are made; afterwards the whole deal |
| the buried cards | unless the seat buried them |
| the choices of a failed throw | except in FORCED, where they are public |
| array entries beyond the array's length, and the last round's result | always |

How many cards a seat holds follows from what it has drawn and played. The cards taken so far in this decision (`taken`)
stay, since the seat to move has taken them, and so does what it owes (`must_match`, `owed_*`).
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_CARDS
from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_SLOTS
from shengji_env.engine.state import MAX_PLAY, NOBODY, NUM_TEAMS, UNNAMED, Phase, Rules, State

UNKNOWN = -1
"""A card of the deal that the seat to move has not seen."""


@jit
def veil_all(states: NDArray[Any], rules: NDArray[Any]) -> None:
    """Veil each state for its seat to move."""
    for row in range(states.size):
        veil(states[row], rules[0])


@jit
def veil(s: State, r: Rules) -> None:
    """Wipe what the seat to move cannot know."""
    is_open = s.phase == Phase.BID or s.phase == Phase.NAME
    for place in range(s.deal.size):
        drawer = (int(s.first_drawer) + place) % NUM_SEATS
        is_own = is_open and place < s.drawn and drawer == s.seat
        if not is_own:
            s.deal[place] = UNKNOWN if place < r.decks * NUM_CARDS else 0
    for seat in range(NUM_SEATS):
        if seat != s.seat:
            for slot in range(NUM_SLOTS):
                s.hands[seat, slot] = 0
    if s.trump == UNNAMED or s.declarer != s.seat:
        for slot in range(NUM_SLOTS):
            s.buried[slot] = 0
    s.deal_given = 0
    _wipe_leftovers(s)


@jit
def _wipe_leftovers(s: State) -> None:
    """Wipe values that mean nothing in this phase: they may be left over from hidden cards, and could reveal them."""
    if s.phase != Phase.FORCED:
        s.num_choices = 0
    for place in range(MAX_PLAY):
        if place >= s.num_components:
            s.components[place] = 0
        if place >= s.num_choices:
            s.choices[place] = 0
        if place >= s.num_owed:
            s.owed_width[place] = 0
            s.owed_length[place] = 0
    if s.taken_size == 0 and s.phase != Phase.FORCED:
        s.last_slot = 0
    result: Any = s.result
    result.attackers_points = 0
    result.kitty_points = 0
    result.kitty_multiplier = 0
    result.winner = 0
    result.levels = 0
    result.levels_nominal = 0
    result.declarer = NOBODY
    result.next_declarer = NOBODY
    result.match_over = 0
    result.match_winner = NOBODY
    result.round_index = 0
    for team in range(NUM_TEAMS):
        result.new_levels[team] = 0
