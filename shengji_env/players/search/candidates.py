"""Candidates: the plays that a search compares, the heuristic player's first.

| decision | candidates |
|---|---|
| lead | the best components and unbeatable throws by the heuristic player's estimate, and the best of every suit |
| follow | the cheapest cards, giving points and withholding them; discards from each suit; several winning plays |
| bury | the cheapest ways to become void in suits, at several prices of points and pairs |
| bid, name, forced | all legal actions |

A candidate is an action or a set of cards (`playout.CARDS`). Each set is made legal card by card, as the heuristic
player does with its own plays. Sets that become equal are one candidate.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.state import Phase, State
from shengji_env.envs.observation import write_observation
from shengji_env.players.heuristic import plan_cards
from shengji_env.players.search.bury_candidates import find_buries
from shengji_env.players.search.follow_candidates import find_follows
from shengji_env.players.search.found import Found, add_found
from shengji_env.players.search.lead_candidates import find_leads, keep_best
from shengji_env.players.search.playout import Scratch, choose_alone


@jit
def find_candidates(states: NDArray[Any], scratch: NDArray[Any], most: int, found: NDArray[Any]) -> int:
    """Find at most `most` candidates for a decision that begins at a veiled state (1,); return their number."""
    s, x, f = states[0], scratch[0], found[0]
    f.number = 0
    if s.phase == Phase.BID or s.phase == Phase.NAME or s.phase == Phase.FORCED:
        _find_actions(s, x, f)
        return int(f.number)
    write_observation(s, x.rules, s.seat, x.o)
    plan_cards(x.o, x.plan)
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
def _find_actions(s: State, x: Scratch, f: Found) -> None:
    """Add the heuristic player's action, then all others."""
    x.state = s
    write_observation(s, x.rules, s.seat, x.o)
    f.actions[0] = choose_alone(x)
    f.number = 1
    for action in range(NUM_ACTIONS):
        if x.mask[action] and action != f.actions[0]:
            f.actions[f.number] = action
            f.number += 1
