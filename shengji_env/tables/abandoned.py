"""What a log keeps of the deals that rebellions have ended: enough to play them again.

Most actions of an opening are passes, so only the others are kept, with their places among all.

Source: docs/rules.md §4.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import PASS
from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.rule_options import MAX_REBELLIONS
from shengji_env.engine.state import MAX_TAKERS, NOBODY, State

MAX_CHOSEN = MAX_TAKERS + 4
"""Most actions of an abandoned deal that are no pass: bids, a name, the rebellion."""

ABANDONED_DTYPE = record_type(
    [
        ("declarer", np.int8),  # seat 0..3 that declared when the round began; -1 for nobody
        ("first_drawer", np.int8),  # seat 0..3 that drew first then
        ("redeals", np.int8, (MAX_REBELLIONS,)),  # how many deals came before each deal
        ("sizes", np.int16, (MAX_REBELLIONS,)),  # how many actions each deal had
        ("rebels", np.int8, (MAX_REBELLIONS,)),  # who ended each deal
        ("chosen", np.int8, (MAX_REBELLIONS,)),  # how many of them were no pass
        ("places", np.int16, (MAX_REBELLIONS, MAX_CHOSEN)),  # which ones these were, from 0
        ("actions", np.int8, (MAX_REBELLIONS, MAX_CHOSEN)),  # the actions themselves
    ]
)
"""The abandoned deals of a round; as many entries mean something as the round has had rebellions."""

Abandoned: TypeAlias = np.record


@jit
def note_abandoned(kept: Abandoned, s: State, actions: NDArray[np.int8], size: int) -> None:
    """Note a deal that the last of its actions, which the state has not made yet, abandons.

    Args:
        kept: written.
        s: the table before the rebellion.
        actions: the deal's actions.
        size: how many there are.
    """
    deal = s.rebellions
    if deal == 0:
        kept.declarer = s.declarer if s.had_declarer else NOBODY
        kept.first_drawer = s.first_drawer
    kept.redeals[deal] = s.redeals
    kept.sizes[deal] = size
    kept.rebels[deal] = s.seat
    number = 0
    for place in range(size):
        if actions[place] != PASS:
            kept.places[deal, number] = place
            kept.actions[deal, number] = actions[place]
            number += 1
    kept.chosen[deal] = number
