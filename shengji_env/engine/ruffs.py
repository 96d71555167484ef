"""Ruffs of a throw where every component must be beaten: the tops with which a ruff wins.

The partition of a ruff into the lead's shapes is searched component by component, high tops first; singles are what is
left. Of the partitions that beat the winning ruff at every place, the one with the lexicographically greatest tops
counts.

Source: docs/rules.md §10, `throw_contest`.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.components import (
    add_component,
    component_code,
    holds_component,
    length_of,
    shape_of,
    top_of,
    width_of,
)
from shengji_env.engine.packing import can_supply
from shengji_env.engine.slots import (
    LEVEL_SLOT,
    TRUMP,
    EffectiveSuit,
    effective_suit,
    level_order,
    num_equal,
    num_orders,
    order_of_slot,
    suit_end,
    suit_start,
)
from shengji_env.engine.state import MAX_PLAY, State, Workspace

_VARIANTS = 4
_NOTHING = -1


@jit
def take_tops(s: State, w: Workspace, play: NDArray[Any]) -> bool:
    """Write the tops with which a ruff wins into ``s.winning_tops``; return whether it wins.

    ``w.segment`` holds where the search of each component goes on, ``w.best`` the components chosen, and ``w.codes``
    the greatest tops found.
    """
    suit = effective_suit(TRUMP, s.trump)
    wide = _num_wide(s)
    found = False
    depth = 0
    w.segment[0] = 0
    while depth >= 0:
        if depth == wide:
            if _singles_win(s, w, play, wide, suit) and (not found or _is_greater(s, w)):
                _keep_tops(s, w)
                found = True
            depth -= 1
            continue
        choice = _next_choice(s, w, play, depth, found)
        if choice == _NOTHING:
            depth -= 1
            continue
        w.segment[depth] = choice + 1
        depth += 1
        w.segment[depth] = choice if _repeats(s, depth) else 0
    if found:
        for place in range(MAX_PLAY):
            s.winning_tops[place] = w.codes[place] if place < s.num_components else 0
    return found


@jit
def _num_wide(s: State) -> int:
    """Return how many of the lead's components are wider than one card; they come first."""
    wide = 0
    while wide < s.num_components and width_of(s.components[wide]) > 1:
        wide += 1
    return wide


@jit
def _repeats(s: State, place: int) -> bool:
    """Return whether a component of the lead has the shape of the one before."""
    return place < s.num_components and shape_of(s.components[place]) == shape_of(s.components[place - 1])


@jit
def _beats_place(s: State, place: int, top: int) -> bool:
    """Return whether a top beats that of the winning ruff at a place, if a ruff is winning."""
    return s.winning_suit != TRUMP or top > s.winning_tops[place]


@jit
def _next_choice(s: State, w: Workspace, play: NDArray[Any], depth: int, found: bool) -> int:
    """Return the next choice of the component at a depth, and put it into ``w.best``.

    Choices are numbered by top, from the highest, and by which of the equal level slots is taken.
    """
    suit = effective_suit(TRUMP, s.trump)
    width = width_of(s.components[depth])
    length = length_of(s.components[depth])
    orders = num_orders(*suit)
    shared = level_order(*suit)
    for choice in range(w.segment[depth], _VARIANTS * (orders - length + 1)):
        top = orders - 1 - choice // _VARIANTS
        equal = choice % _VARIANTS
        if not _beats_place(s, depth, top) or (found and _is_less(w, depth, top)):
            return _NOTHING
        takes_level = top - length < shared <= top
        if equal >= (num_equal(shared, suit.suit, suit.trump) if takes_level else 1):
            continue
        w.best[depth] = component_code(width, length, top, LEVEL_SLOT + equal if takes_level else 0)
        if _fits(s, w, play, depth, suit):
            return choice
    return _NOTHING


@jit
def _is_less(w: Workspace, depth: int, top: int) -> bool:
    """Return whether tops that begin like those found go on with a lower one."""
    for place in range(depth):
        if top_of(w.best[place]) != w.codes[place]:
            return False
    return top < w.codes[depth]


@jit
def _leave(w: Workspace, play: NDArray[Any], chosen: int, suit: EffectiveSuit) -> None:
    """Put what the first `chosen` components leave of a play into ``w.packing.available``."""
    for slot in range(suit_start(*suit), suit_end(*suit)):
        w.packing.available[slot] = play[slot]
        w.packing.fixed[slot] = 0
    for place in range(chosen):
        add_component(w.best[place], suit.suit, suit.trump, w.packing.available, -1)


@jit
def _fits(s: State, w: Workspace, play: NDArray[Any], depth: int, suit: EffectiveSuit) -> bool:
    """Return whether the component chosen last, and then all others of the lead, can be taken from a play."""
    _leave(w, play, depth, suit)
    code = w.best[depth]
    if not holds_component(w.packing.available, code, suit.suit, suit.trump):
        return False
    add_component(code, suit.suit, suit.trump, w.packing.available, -1)
    return can_supply(s, depth + 1, suit, w.packing)


@jit
def _singles_win(s: State, w: Workspace, play: NDArray[Any], wide: int, suit: EffectiveSuit) -> bool:
    """Put the cards left, from high to low, into ``w.best`` as singles; return whether each beats its place."""
    _leave(w, play, wide, suit)
    place = wide
    for slot in range(suit_end(*suit) - 1, suit_start(*suit) - 1, -1):
        top = order_of_slot(slot, suit.trump)
        for _ in range(w.packing.available[slot]):
            if not _beats_place(s, place, top):
                return False
            w.best[place] = component_code(1, 1, top, 0)
            place += 1
    return True


@jit
def _is_greater(s: State, w: Workspace) -> bool:
    """Return whether the tops chosen are lexicographically greater than those found before."""
    for place in range(s.num_components):
        top = top_of(w.best[place])
        if top != w.codes[place]:
            return top > w.codes[place]
    return False


@jit
def _keep_tops(s: State, w: Workspace) -> None:
    for place in range(s.num_components):
        w.codes[place] = top_of(w.best[place])
