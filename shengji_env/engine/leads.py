"""Leads: throws that stand, throws that fail, and what is led then.

Source: docs/rules.md §8.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_RANKS
from shengji_env.engine.compile import jit
from shengji_env.engine.components import (
    component_code,
    decompose,
    has_higher,
    length_of,
    level_slot_of,
    shape_of,
    top_of,
    width_of,
)
from shengji_env.engine.rows import lowest_slot, slots_with
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import card_of_slot, level_order, order_of_slot, suit_of_slot
from shengji_env.engine.state import State, Workspace

_CHOICE_SHIFT = 6
_PLACES = (2, 3, 1, 0)
"""Where level cards of the suits C D H S stand among equal ones, for `lowest_beaten_card`: S H C D."""


@jit
def find_components(s: State, w: Workspace, suit: int) -> None:
    """Decompose what the leader puts down into ``s.components``."""
    s.num_components = decompose(s.trick[s.leader], suit, s.trump, w)
    for index in range(s.num_components):
        s.components[index] = w.codes[index]


@jit
def find_choices(s: State, suit: int) -> None:
    """List the beaten components of a throw in ``s.choices``, high to low; equal shapes with equal tops count once."""
    s.num_choices = 0
    if s.num_components < 2:
        return
    for index in range(s.num_components):
        code = s.components[index]
        if s.num_choices > 0 and s.choices[s.num_choices - 1] >> _CHOICE_SHIFT == code >> _CHOICE_SHIFT:
            continue
        if is_beaten(s.hands, s.leader, code, suit, s.trump):
            s.choices[s.num_choices] = code
            s.num_choices += 1


@jit
def is_beaten(hands: NDArray[Any], leader: int, code: int, suit: int, trump: int) -> bool:
    """Return whether another seat holds a component of the same shape with a higher top."""
    for step in range(1, NUM_SEATS):
        if has_higher(hands[(leader + step) % NUM_SEATS], code, suit, trump):
            return True
    return False


@jit
def smallest_choice(choices: NDArray[Any], num_choices: int) -> int:
    """Return the beaten component with the fewest cards, then the lower top, then the smaller shape, then the first."""
    best = choices[0]
    for index in range(1, num_choices):
        code = choices[index]
        size = width_of(code) * length_of(code)
        best_size = width_of(best) * length_of(best)
        if size < best_size or (size == best_size and _is_lower(code, best)):
            best = code
    return best


@jit
def lowest_component(components: NDArray[Any], num_components: int) -> int:
    """Return of components, high to low, the one with the lowest top, then with the fewest cards, then the first."""
    best = components[0]
    for index in range(1, num_components):
        code = components[index]
        is_shorter = width_of(code) * length_of(code) < width_of(best) * length_of(best)
        if top_of(code) < top_of(best) or (top_of(code) == top_of(best) and is_shorter):
            best = code
    return best


@jit
def num_beaten_cards(s: State, suit: int) -> int:
    """Return the number of cards of a throw's beaten components."""
    number = 0
    for index in range(s.num_components):
        code = s.components[index]
        if is_beaten(s.hands, s.leader, code, suit, s.trump):
            number += width_of(code) * length_of(code)
    return number


@jit
def lowest_beaten_card(s: State, suit: int) -> int:
    """Return, as a component, the lowest card of the beaten component with the lowest top; there must be one."""
    best, lowest = -1, 0
    for index in range(s.num_components):
        code = s.components[index]
        height = _height(s, code, suit)
        if (best < 0 or height < lowest) and is_beaten(s.hands, s.leader, code, suit, s.trump):
            best, lowest = int(code), height
    order = top_of(best) - length_of(best) + 1
    return component_code(1, 1, order, level_slot_of(best) if order == level_order(suit, s.trump) else 0)


@jit
def _height(s: State, code: int, suit: int) -> int:
    """Return how high the top of a component is, where level cards of equal order are ordered by their suits."""
    place = 0
    if top_of(code) == level_order(suit, s.trump):
        place = _PLACES[card_of_slot(level_slot_of(code), s.trump, s.level_rank) // NUM_RANKS]
    return top_of(code) * len(_PLACES) + place


@jit
def _is_lower(code: int, best: int) -> bool:
    if top_of(code) != top_of(best):
        return top_of(code) < top_of(best)
    return shape_of(code) > shape_of(best)


@jit
def extends_component(hand: NDArray[Any], taken: NDArray[Any], last_slot: int, slot: int, trump: int) -> bool:
    """Return whether the cards taken with one more of `slot` are part of one component, as needed without throws."""
    first = lowest_slot(slots_with(taken, 1))
    width = taken[first]
    if slot == last_slot:
        return hand[slot] > taken[slot] and (first == last_slot or taken[slot] < width)
    if width < 2 or taken[last_slot] < width or hand[slot] < width:
        return False
    suit = suit_of_slot(last_slot, trump)
    is_next = order_of_slot(slot, trump) == order_of_slot(last_slot, trump) + 1
    return is_next and suit_of_slot(slot, trump) == suit


@jit
def is_component(taken: NDArray[Any], last_slot: int) -> bool:
    """Return whether cards taken under `extends_component` are a whole component."""
    return taken[lowest_slot(slots_with(taken, 1))] == taken[last_slot]
