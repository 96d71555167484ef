"""Buries to compare: the cheapest ways to become void in suits, at the heuristic player's prices and at others."""

from shengji_env.engine.compile import jit
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS
from shengji_env.engine.state import State
from shengji_env.players.candidates.candidate_list import CandidateList, add_candidate
from shengji_env.players.candidates.scratch import Scratch
from shengji_env.players.heuristic.burying import set_prices, sort_slots, want_suits
from shengji_env.players.heuristic.plans import NEVER

_DEARER = ((0.0, 0.0), (0.6, 0.0), (-0.6, 0.0), (0.0, 1.5), (0.0, -1.5))
"""Price added to five points and to a card of a pair, relative to the heuristic player's prices."""
_MAX_OWN, _MAX_OTHERS = 6, 2
"""Most buries at the heuristic player's prices, and at each other list of prices."""


@jit
def find_buries(s: State, scratch: Scratch, found: CandidateList) -> None:
    """Find buries that make suits void, the cheapest first, at one list of prices after another."""
    for variant in range(len(_DEARER)):
        set_prices(scratch.observation, scratch.plan)
        for slot in range(NUM_SLOTS):
            scratch.plan.charge[slot] += _DEARER[variant][0] * scratch.observation.card_points[slot]
            scratch.plan.charge[slot] += _DEARER[variant][1] * (scratch.plan.hand[slot] > 1)
        _find_cheapest(s, scratch, found, _MAX_OWN if variant == 0 else _MAX_OTHERS)


@jit
def _find_cheapest(s: State, scratch: Scratch, found: CandidateList, most: int) -> None:
    """Add the cheapest ways to become void in suits, at the prices in ``scratch.plan.charge``."""
    plan = scratch.plan
    size = sort_slots(plan)
    done = -NEVER
    for _ in range(most):
        lowest, best = NEVER, -1
        for chosen in range(1 << (NO_TRUMP if plan.trump == NO_TRUMP else NO_TRUMP - 1)):
            cost = want_suits(scratch.observation, plan, chosen, size)
            if done < cost < lowest:
                lowest, best = cost, chosen
        if best < 0:
            return
        want_suits(scratch.observation, plan, best, size)
        add_candidate(s, scratch, found, -lowest, 0)
        done = lowest
