"""Clearing: what is empty when a round, a trick or a decision begins.

Source: docs/rules.md §4, §5, §8.
"""

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import fill_row
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS
from shengji_env.engine.state import MAX_TAKERS, NOBODY, Phase, State


@jit
def clear_round(s: State) -> None:
    """Clear what has been buried, turned up and played."""
    s.attackers_points = 0
    s.tricks = 0
    for seat in range(NUM_SEATS):
        for suit in range(NUM_EFFECTIVE_SUITS):
            s.voids[seat, suit] = 0
        fill_row(s.played[seat], 0)
        fill_row(s.passed_on[seat], 0)
    fill_row(s.buried, 0)
    fill_row(s.turned, 0)
    s.num_takers = 0
    for taker in range(MAX_TAKERS):
        s.takers[taker] = NOBODY
    _clear_trick(s)
    s.leader = NOBODY


@jit
def clear_taken(s: State) -> None:
    """Begin a decision: nothing is taken yet."""
    fill_row(s.taken, 0)
    s.taken_size = 0
    s.last_slot = 0


@jit
def begin_trick(s: State, leader: int) -> None:
    """Clear the table, and let a seat lead."""
    _clear_trick(s)
    s.leader = leader
    s.phase = Phase.LEAD
    s.seat = leader
    clear_taken(s)


@jit
def _clear_trick(s: State) -> None:
    for seat in range(NUM_SEATS):
        fill_row(s.trick[seat], 0)
    s.trick_points = 0
    s.winning = NOBODY
    s.position = 0
    s.lead_size = 0
    s.num_components = 0
    s.num_choices = 0
    s.num_owed = 0
    s.must_match = 0
