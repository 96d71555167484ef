"""What a critic that sees all hands is asked about: a round between two tricks.

Compiled code writes it; `agents.selfplay.critic` reads it. It is for labels alone: no player sees it.
"""

from typing import TypeAlias

import numpy as np

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS
from shengji_env.engine.state import Rules, State
from shengji_env.players.networks.selfplay.scaled_rows import standing_of

Situation: TypeAlias = np.record

SITUATION_DTYPE = record_type(
    [
        ("cards", np.int8, (NUM_SLOTS, NUM_SEATS)),  # how many of each slot the seats hold, from the one to lead on
        ("leader", np.int8),  # seats from the declarer to it, 0..3
        ("hand_size", np.int8),  # cards of each hand; 0: the round was over before
        ("no_trump", np.int8),  # 1 if there is no trump suit
        ("level_rank", np.int8),  # rank 0..12 of the level cards
        ("attackers_points", np.int16),  # that they have so far
        ("kitty_points", np.int16),  # that are buried
        ("standing", np.int8),  # where the attackers' points stand among results (`scaled_rows.standing_of`)
    ]
)


@jit
def write_situation(s: State, r: Rules, situation: Situation) -> None:
    """Write how the round stands, in which a trick is about to be led."""
    situation.leader = (s.leader - s.declarer) % NUM_SEATS
    size = points = 0
    for slot in range(NUM_SLOTS):
        for seat in range(NUM_SEATS):
            situation.cards[slot, seat] = s.hands[(s.leader + seat) % NUM_SEATS, slot]
        size += s.hands[s.leader, slot]
        points += s.buried[slot] * s.slot_points[slot]
    situation.hand_size, situation.kitty_points = size, points
    situation.attackers_points = s.attackers_points
    situation.standing = standing_of(s, r)
    situation.no_trump = s.trump == NO_TRUMP
    situation.level_rank = s.level_rank
