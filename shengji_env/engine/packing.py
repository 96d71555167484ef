"""Packing: whether cards can supply several components at once, using each card only once.

What a hand owes, whether a play under way can still be completed and whether a follow has the lead's shape are all the
same question: can the **pieces** (width, length; widths of 2 and more, high to low) be taken from ``w.available``, each
card once? If cards are **fixed** (already taken for the play), at most `allowed_waste` of them may lie outside the
pieces.

Runs and pieces wider than a pair are placed by search, which is exhaustive; the pairs that remain are counted.

Source: docs/rules.md §9 and §10.
"""

from shengji_env.engine.compile import jit
from shengji_env.engine.components import length_of, width_of
from shengji_env.engine.slots import EffectiveSuit, first_slot, level_order, num_equal, num_orders, suit_end, suit_start
from shengji_env.engine.state import State, Workspace

_VARIANTS = 4


@jit
def set_piece(w: Workspace, piece: int, width: int, length: int) -> None:
    """Set the width and length of one piece."""
    w.piece_width[piece] = width
    w.piece_length[piece] = length


@jit
def can_pack(w: Workspace, num_pieces: int, suit: EffectiveSuit, allowed_waste: int) -> bool:
    """Return whether the pieces fit into ``w.available``, which is left as it was.

    ``w.fixed`` counts the cards already taken, each also in ``w.available``.
    """
    searched = num_pieces
    while searched > 0 and w.piece_width[searched - 1] == 2 and w.piece_length[searched - 1] == 1:
        searched -= 1
    for slot in range(suit_start(*suit), suit_end(*suit)):
        w.start[slot] = w.available[slot]
    found = _search(w, searched, num_pieces - searched, suit, allowed_waste)
    for slot in range(suit_start(*suit), suit_end(*suit)):
        w.available[slot] = w.start[slot]
    return found


@jit
def can_supply(lead: State, first: int, suit: EffectiveSuit, w: Workspace) -> bool:
    """Return whether ``w.available``, of which nothing is fixed, can supply a lead's components from `first` on.

    Singles are not asked about: they come last, and are whatever is left.
    """
    pieces = 0
    for index in range(first, lead.num_components):
        if width_of(lead.components[index]) > 1:
            set_piece(w, pieces, width_of(lead.components[index]), length_of(lead.components[index]))
            pieces += 1
    return can_pack(w, pieces, suit, 0)


@jit
def _search(w: Workspace, searched: int, pairs: int, suit: EffectiveSuit, allowed_waste: int) -> bool:
    """Try every placement of the first `searched` pieces until the pairs fit too."""
    depth = 0
    w.positions[0] = 0
    while True:
        if depth == searched:
            if _pairs_fit(w, pairs, suit, allowed_waste):
                return True
        else:
            position = _next_position(w, depth, suit)
            if position >= 0:
                _put(w, depth, position, suit, -1)
                w.positions[depth] = position
                depth += 1
                w.positions[depth] = position if _repeats(w, depth, searched) else 0
                continue
        depth -= 1
        if depth < 0:
            return False
        _put(w, depth, w.positions[depth], suit, 1)
        w.positions[depth] += 1


@jit
def _repeats(w: Workspace, piece: int, searched: int) -> bool:
    """Return whether a piece has the same shape as the one before; then lower positions need not be tried."""
    return (
        piece < searched
        and w.piece_width[piece] == w.piece_width[piece - 1]
        and w.piece_length[piece] == w.piece_length[piece - 1]
    )


@jit
def _next_position(w: Workspace, piece: int, suit: EffectiveSuit) -> int:
    """Return the first position from ``w.positions[piece]`` on where a piece fits, or -1.

    A position is 4 · lowest order + which of the equal slots.
    """
    length = w.piece_length[piece]
    shared = level_order(*suit)
    for position in range(w.positions[piece], (num_orders(*suit) - length + 1) * _VARIANTS):
        low = position // _VARIANTS
        variants = num_equal(shared, suit.suit, suit.trump) if low <= shared < low + length else 1
        if position - low * _VARIANTS < variants and _fits(w, piece, position, suit):
            return position
    return -1


@jit
def _slot_at(order: int, position: int, suit: EffectiveSuit) -> int:
    """Return the slot that a piece at a position takes at one of its orders."""
    slot = first_slot(order, suit.suit, suit.trump)
    return slot + position % _VARIANTS if order == level_order(*suit) else slot


@jit
def _fits(w: Workspace, piece: int, position: int, suit: EffectiveSuit) -> bool:
    low = position // _VARIANTS
    for order in range(low, low + w.piece_length[piece]):
        if w.available[_slot_at(order, position, suit)] < w.piece_width[piece]:
            return False
    return True


@jit
def _put(w: Workspace, piece: int, position: int, suit: EffectiveSuit, sign: int) -> None:
    """Take a piece's cards out of ``w.available`` (`sign` -1) or put them back (1)."""
    low = position // _VARIANTS
    for order in range(low, low + w.piece_length[piece]):
        w.available[_slot_at(order, position, suit)] += sign * w.piece_width[piece]


@jit
def _pairs_fit(w: Workspace, pairs: int, suit: EffectiveSuit, allowed_waste: int) -> bool:
    """Return whether `pairs` pairs fit into what is left, placed to use as many fixed cards as possible."""
    waste = 0
    serving_two = 0
    serving_one = 0
    serving_none = 0
    for slot in range(suit_start(*suit), suit_end(*suit)):
        left = w.available[slot]
        idle = max(w.fixed[slot] - (w.start[slot] - left), 0)
        waste += idle
        while left >= 2:
            if idle >= 2:
                serving_two += 1
            elif idle == 1:
                serving_one += 1
            else:
                serving_none += 1
            idle = max(idle - 2, 0)
            left -= 2
    if serving_two + serving_one + serving_none < pairs:
        return False
    twos = min(serving_two, pairs)
    waste -= 2 * twos + min(serving_one, pairs - twos)
    return waste <= allowed_waste
