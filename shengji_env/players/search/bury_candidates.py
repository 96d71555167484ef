"""Buries to compare: the cheapest ways to empty suits, at the heuristic player's prices and at others."""

import numpy as np

from shengji_env.engine.compile import jit
from shengji_env.engine.slots import NO_TRUMP, NUM_SLOTS
from shengji_env.players.heuristic.burying import set_prices, sort_slots, want_suits
from shengji_env.players.heuristic.plans import NEVER
from shengji_env.players.search.found import add_found

_DEARER = ((0.0, 0.0), (0.6, 0.0), (-0.6, 0.0), (0.0, 1.5), (0.0, -1.5))
"""What a point and a card of a pair cost more than the heuristic player thinks."""
_MOST_OWN, _MOST_OTHERS = 6, 2
"""Most buries at the heuristic player's prices, and at each of the others."""


@jit
def find_buries(s: np.record, x: np.record, f: np.record) -> None:
    """Empty sets of suits that fit into the kitty, the cheapest sets first, at one list of prices after another."""
    for variant in range(len(_DEARER)):
        set_prices(x.seen, x.plan)
        for slot in range(NUM_SLOTS):
            x.plan.charge[slot] += _DEARER[variant][0] * x.seen.card_points[slot]
            x.plan.charge[slot] += _DEARER[variant][1] * (x.plan.hand[slot] > 1)
        _find_cheapest(s, x, f, _MOST_OWN if variant == 0 else _MOST_OTHERS)


@jit
def _find_cheapest(s: np.record, x: np.record, f: np.record, most: int) -> None:
    """Add the cheapest ways to empty suits at the prices in ``x.plan.charge``."""
    plan = x.plan
    size = sort_slots(plan)
    done = -NEVER
    for _ in range(most):
        lowest, best = NEVER, -1
        for chosen in range(1 << (NO_TRUMP if plan.trump == NO_TRUMP else NO_TRUMP - 1)):
            cost = want_suits(x.seen, plan, chosen, size)
            if done < cost < lowest:
                lowest, best = cost, chosen
        if best < 0:
            return
        want_suits(x.seen, plan, best, size)
        add_found(s, x, f, -lowest, 0)
        done = lowest
