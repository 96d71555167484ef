"""Forcing: which beaten component has to be led after a failed throw.

The seat that chooses belongs to the other side and follows first. It prefers a component that it can beat itself, and
among those the one with the most points; if there is none, it chooses the component with the lowest top.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.components import decompose, has_higher, length_of, slot_at, top_of, top_slot_of, width_of
from shengji_env.engine.rows import first_set, lowest_slot, slots_with
from shengji_env.engine.slots import suit_of_slot
from shengji_env.players.heuristic.counting import PREVIOUS, Plan
from shengji_env.tables.observation import ObservationRecord

_OWN = 1000
_FEWEST = -1000


@jit
def choose_forced(seen: ObservationRecord, mask: NDArray[Any], plan: Plan) -> int:
    """Choose the component to be led, and return its slot; ``plan.work`` is scratch memory."""
    trump = first_set(seen.trump)
    thrown = seen.trick[PREVIOUS]
    suit = suit_of_slot(lowest_slot(slots_with(thrown, 1)), trump)
    best, most = -1, _FEWEST
    # Codes run from high to low: among equals the last is the lowest.
    for part in range(decompose(thrown, suit, trump, plan.work)):
        code = plan.work.codes[part]
        slot = top_slot_of(code, suit, trump)
        if mask[slot]:
            value = -top_of(code)
            if has_higher(seen.hand, code, suit, trump):
                value = _OWN + points_of_component(seen, code, suit, trump)
            if value >= most:
                best, most = slot, value
    return int(best)


@jit
def points_of_component(seen: ObservationRecord, code: int, suit: int, trump: int) -> int:
    """Return the points of a component's cards, in fives."""
    points = 0
    for order in range(top_of(code) - length_of(code) + 1, top_of(code) + 1):
        points += width_of(code) * seen.card_points[slot_at(code, order, suit, trump)]
    return points
