"""Components: what a set of cards of one effective suit consists of.

A component is `width` identical cards at each of `length` adjacent orders. In compiled code it is a number, its
**code**. Ascending codes are in the order of docs/rules.md §7 (wider first, then longer, then the higher top, then card
ids):

| bits | 15– | 10–14 | 6–9 | 0–5 |
|---|---|---|---|---|
| content | 4 − width | 31 − length | 15 − top order | slot taken at the level order, 0 if it takes none |

The decomposition is the partition into the fewest components. A pair is always at least as good as two singles, so
only three and four identical cards leave a choice (3 or 2+1; 4, 3+1 or 2+2). Once that choice is made, pieces of equal
width at adjacent orders always join. Two decks need no search.

Source: docs/rules.md §7.
"""

from typing import Any

from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rows import highest_slot, slots_from, slots_with
from shengji_env.engine.slots import (
    EffectiveSuit,
    effective_suit,
    first_slot,
    level_order,
    num_equal,
    num_orders,
    order_of_slot,
    suit_slots,
)
from shengji_env.engine.state import Workspace

MAX_WIDTH = 4
_LENGTH_SHIFT = 10
_WIDTH_SHIFT = 15
_TOP_SHIFT = 6


@jit
def component_code(width: int, length: int, top: int, level_slot: int) -> int:
    """Return the code of a component; `level_slot` is the slot that it takes at the level order, 0 if none."""
    shape = (int(MAX_WIDTH - width) << _WIDTH_SHIFT) | (int(31 - length) << _LENGTH_SHIFT)
    return shape | (int(15 - top) << _TOP_SHIFT) | int(level_slot)


@jit
def width_of(code: int) -> int:
    """Return the number of identical cards."""
    return MAX_WIDTH - (code >> _WIDTH_SHIFT)


@jit
def length_of(code: int) -> int:
    """Return the number of adjacent orders."""
    return 31 - ((code >> _LENGTH_SHIFT) & 31)


@jit
def top_of(code: int) -> int:
    """Return the highest order."""
    return 15 - ((code >> _TOP_SHIFT) & 15)


@jit
def level_slot_of(code: int) -> int:
    """Return the slot at the level order, 0 if none."""
    return code & 63


@jit
def shape_of(code: int) -> int:
    """Return the shape part of a code, without top and cards: equal for equal shapes, lower for greater shapes."""
    return code >> _LENGTH_SHIFT


@jit
def slot_at(code: int, order: int, suit: int, trump: int) -> int:
    """Return the slot that a component takes at one of its orders."""
    if order == level_order(suit, trump):
        return level_slot_of(code)
    return first_slot(order, suit, trump)


@jit
def top_slot_of(code: int, suit: int, trump: int) -> int:
    """Return the slot of a component's highest cards."""
    return slot_at(code, top_of(code), suit, trump)


@jit
def add_component(code: int, suit: int, trump: int, counts: NDArray[Any], times: int) -> None:
    """Add a component's cards to a count vector, `times` times (-1 takes them away)."""
    for order in range(top_of(code) - length_of(code) + 1, top_of(code) + 1):
        counts[slot_at(code, order, suit, trump)] += width_of(code) * times


@jit
def holds_component(counts: NDArray[Any], code: int, suit: int, trump: int) -> bool:
    """Return whether `counts` hold all cards of a component."""
    for order in range(top_of(code) - length_of(code) + 1, top_of(code) + 1):
        if counts[slot_at(code, order, suit, trump)] < width_of(code):
            return False
    return True


@jit
def most_at(counts: NDArray[Any], order: int, suit: int, trump: int) -> int:
    """Return the largest number of identical cards at an order."""
    slot = first_slot(order, suit, trump)
    most = 0
    for equal in range(num_equal(order, suit, trump)):
        most = max(most, counts[slot + equal])
    return most


@jit
def has_higher(counts: NDArray[Any], code: int, suit: int, trump: int) -> bool:
    """Return whether `counts` hold a component of the same shape with a higher top."""
    run = 0
    length = length_of(code)
    width = width_of(code)
    if length == 1:
        higher = slots_from(first_slot(top_of(code) + 1, suit, trump)) & suit_slots(suit, trump)
        return slots_with(counts, width) & higher != 0
    for order in range(max(top_of(code) + 2 - length, 0), num_orders(suit, trump)):
        run = run + 1 if most_at(counts, order, suit, trump) >= width else 0
        if run >= length and order > top_of(code):
            return True
    return False


@jit
def _insert(codes: NDArray[Any], size: int, code: int) -> int:
    """Insert into an ascending list; return its new size."""
    index = size
    while index > 0 and codes[index - 1] > code:
        codes[index] = codes[index - 1]
        index -= 1
    codes[index] = code
    return size + 1


@jit
def decompose(counts: NDArray[Any], suit: int, trump: int, w: Workspace) -> int:
    """Decompose the cards of one effective suit.

    Returns:
        The number of components; their codes are in ``w.codes``, ascending (high to low).
    """
    held = slots_with(counts, 1) & suit_slots(suit, trump)
    if slots_with(counts, 2) & held == 0 or held & (held - 1) == 0:
        return _list_slots(counts, held, suit, trump, w)
    size = 0
    order = num_orders(suit, trump) - 1
    while order >= 0:
        low = order
        if most_at(counts, order, suit, trump) >= 2:
            while low > 0 and most_at(counts, low - 1, suit, trump) >= 2:
                low -= 1
        for index in range(_find_best(counts, low, order, effective_suit(suit, trump), w)):
            size = _insert(w.codes, size, w.best[index])
        order = low - 1
    return size


@jit
def _list_slots(counts: NDArray[Any], held: int, suit: int, trump: int, w: Workspace) -> int:
    """Decompose cards of which each slot of a set is a component: no two are identical, or all."""
    size = 0
    while held:
        slot = highest_slot(held)
        held ^= 1 << slot
        order = order_of_slot(slot, trump)
        level_slot = slot if order == level_order(suit, trump) else 0
        size = _insert(w.codes, size, component_code(counts[slot], 1, order, level_slot))
    return size


@jit
def _find_best(counts: NDArray[Any], low: int, high: int, suit: EffectiveSuit, w: Workspace) -> int:
    """Find the components of adjacent orders that each hold at least a pair, or of a single order.

    Returns:
        Their number; their codes are in ``w.best``, ascending.
    """
    cells, choices = _collect_cells(counts, low, high, suit, w)
    best = 0
    if cells == 0:
        return best
    for choice in range(choices):
        _split_cells(counts, cells, choice, w)
        found = _join_pieces(counts, cells, suit, w)
        if choice == 0 or _is_better(w.segment, found, w.best, best):
            best = found
            for index in range(found):
                w.best[index] = w.segment[index]
    return best


@jit
def _collect_cells(counts: NDArray[Any], low: int, high: int, suit: EffectiveSuit, w: Workspace) -> tuple[int, int]:
    """List the slots that hold cards, orders descending; return their number and the number of ways to split them."""
    cells = 0
    choices = 1
    for order in range(high, low - 1, -1):
        slot = first_slot(order, suit.suit, suit.trump)
        for equal in range(num_equal(order, suit.suit, suit.trump)):
            held = int(counts[slot + equal])
            if held > 0:
                w.cell_slot[cells] = slot + equal
                w.cell_order[cells] = order
                cells += 1
                choices *= max(held - 1, 1)
    return cells, choices


@jit
def _split_cells(counts: NDArray[Any], cells: int, choice: int, w: Workspace) -> None:
    """Set the width of each slot's first piece, for one way to split three or four identical cards."""
    for cell in range(cells):
        held = int(counts[w.cell_slot[cell]])
        ways = max(held - 1, 1)
        w.cell_split[cell] = held - choice % ways
        choice //= ways


@jit
def _join_pieces(counts: NDArray[Any], cells: int, suit: EffectiveSuit, w: Workspace) -> int:
    """Join pieces of equal width at adjacent orders, the longest run first; fill ``w.segment``, ascending."""
    found = 0
    num_open = 0
    cell = 0
    while cell < cells:
        order = w.cell_order[cell]
        num_next = 0
        while cell < cells and w.cell_order[cell] == order:
            level_slot = w.cell_slot[cell] if order == level_order(*suit) else 0
            left = counts[w.cell_slot[cell]]
            width = w.cell_split[cell]
            while left > 0:
                if width == 1:
                    found = _insert(w.segment, found, component_code(1, 1, order, level_slot))
                else:
                    _begin_run(w, num_next, width, order, level_slot)
                    _extend(w, num_open, num_next)
                    num_next += 1
                left -= width
                width = min(width, left)
            cell += 1
        found = _close_runs(w, num_open, found)
        num_open = _turn_over(w, num_next)
    return _close_runs(w, num_open, found)


@jit
def _begin_run(w: Workspace, run: int, width: int, order: int, level_slot: int) -> None:
    """Begin a run with one piece."""
    w.next_width[run] = width
    w.next_length[run] = 1
    w.next_top[run] = order
    w.next_slot[run] = level_slot


@jit
def _extend(w: Workspace, num_open: int, begun: int) -> None:
    """Put the piece of a run that has just begun at the end of the best open run of its width, if there is one."""
    best = -1
    for run in range(num_open):
        if w.open_width[run] == w.next_width[begun] and (best < 0 or w.open_length[run] > w.open_length[best]):
            best = run
    if best >= 0:
        w.next_length[begun] = w.open_length[best] + 1
        w.next_top[begun] = w.open_top[best]
        w.next_slot[begun] = max(w.open_slot[best], w.next_slot[begun])
        w.open_width[best] = 0


@jit
def _close_runs(w: Workspace, num_open: int, found: int) -> int:
    """Turn the runs that were not extended into components."""
    for run in range(num_open):
        width = w.open_width[run]
        if width > 0:
            code = component_code(width, w.open_length[run], w.open_top[run], w.open_slot[run])
            found = _insert(w.segment, found, code)
    return found


@jit
def _turn_over(w: Workspace, num_next: int) -> int:
    """Make the runs that end at this order those that the next order may extend."""
    for run in range(num_next):
        w.open_width[run] = w.next_width[run]
        w.open_length[run] = w.next_length[run]
        w.open_top[run] = w.next_top[run]
        w.open_slot[run] = w.next_slot[run]
    return num_next


@jit
def _is_better(codes: NDArray[Any], size: int, best: NDArray[Any], best_size: int) -> bool:
    """Return whether a partition is preferred to another: fewer components, then greater shapes, then §7's order."""
    if size != best_size:
        return size < best_size
    for index in range(size):
        if shape_of(codes[index]) != shape_of(best[index]):
            return shape_of(codes[index]) < shape_of(best[index])
    for index in range(size):
        if codes[index] != best[index]:
            return codes[index] < best[index]
    return False
