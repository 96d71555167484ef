"""Candidates: the plays that a search compares, the heuristic player's first.

| decision | candidates |
|---|---|
| lead | components and standing throws, the best by the heuristic player's own estimate, and the best of every suit |
| follow | as cheap as can be, feeding points and withholding them; each suit discarded from; several plays that win |
| bury | sets of suits emptied, the cheapest ways, at several prices of points and pairs |
| bid, name, forced | all legal actions |

A candidate is an action or a set of cards (`playout.CARDS`). Each set is made legal card by card, as the heuristic
player does with its own, and sets that come to the same are one candidate.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.state import Phase
from shengji_env.envs.observation import write_observation
from shengji_env.players.heuristic import plan_cards
from shengji_env.players.search.bury_candidates import find_buries
from shengji_env.players.search.follow_candidates import find_follows
from shengji_env.players.search.found import add_found
from shengji_env.players.search.lead_candidates import find_leads, keep_best
from shengji_env.players.search.playout import choose_alone


@jit
def find_candidates(states: NDArray[Any], scratch: NDArray[Any], most: int, found: NDArray[Any]) -> int:
    """Find at most `most` candidates for a decision that begins at a veiled state (1,); returns their number."""
    s, x, f = states[0], scratch[0], found[0]
    f.number = 0
    if s.phase == Phase.BID or s.phase == Phase.NAME or s.phase == Phase.FORCED:
        _find_actions(s, x, f)
        return int(f.number)
    write_observation(s, x.rules, s.seat, x.seen)
    plan_cards(x.seen, x.plan)
    add_found(s, x, f, 0.0, 0)
    if s.phase == Phase.BURY:
        find_buries(s, x, f)
    elif s.phase == Phase.LEAD:
        find_leads(s, x, f)
        keep_best(f, most)
    else:
        find_follows(s, x, f)
    f.number = min(f.number, most)
    return int(f.number)


@jit
def _find_actions(s: np.record, x: np.record, f: np.record) -> None:
    """The heuristic player's action, and all others."""
    x.state = s
    write_observation(s, x.rules, s.seat, x.seen)
    f.actions[0] = choose_alone(x)
    f.number = 1
    for action in range(NUM_ACTIONS):
        if x.mask[action] and action != f.actions[0]:
            f.actions[f.number] = action
            f.number += 1
