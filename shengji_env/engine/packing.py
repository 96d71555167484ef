"""Packing: whether cards can supply several components at once, using each card only once.

What a hand owes, whether a play under way can still be completed and whether a follow has the lead's shape are all the
same question: can the **pieces** (width, length; widths of 2 and more, high to low) be taken from ``p.available``, each
card once? If cards are **fixed** (already taken for the play), at most `allowed_waste` of them may lie outside the
pieces.

Runs and pieces wider than a pair are placed by search, which is exhaustive; the pairs that remain are counted.

Source: docs/rules.md §9 and §10.
"""

from shengji_env.engine.compile import jit
from shengji_env.engine.components import length_of, width_of
from shengji_env.engine.slots import EffectiveSuit, first_slot, level_order, num_equal, num_orders, suit_end, suit_start
from shengji_env.engine.state import Packing, State

_VARIANTS = 4


@jit
def set_piece(p: Packing, piece: int, width: int, length: int) -> None:
    """Set the width and length of one piece."""
    p.piece_width[piece] = width
    p.piece_length[piece] = length


@jit
def can_pack(p: Packing, num_pieces: int, suit: EffectiveSuit, allowed_waste: int) -> bool:
    """Return whether the pieces fit into ``p.available``, which is left as it was.

    ``p.fixed`` counts the cards already taken, each also in ``p.available``.
    """
    searched = num_pieces
    while searched > 0 and p.piece_width[searched - 1] == 2 and p.piece_length[searched - 1] == 1:
        searched -= 1
    for slot in range(suit_start(*suit), suit_end(*suit)):
        p.start[slot] = p.available[slot]
    found = _search(p, searched, num_pieces - searched, suit, allowed_waste)
    for slot in range(suit_start(*suit), suit_end(*suit)):
        p.available[slot] = p.start[slot]
    return found


@jit
def can_supply(lead: State, first: int, suit: EffectiveSuit, p: Packing) -> bool:
    """Return whether ``p.available``, of which nothing is fixed, can supply a lead's components from `first` on.

    Singles are not asked about: they come last, and are whatever is left.
    """
    pieces = 0
    for index in range(first, lead.num_components):
        if width_of(lead.components[index]) > 1:
            set_piece(p, pieces, width_of(lead.components[index]), length_of(lead.components[index]))
            pieces += 1
    return can_pack(p, pieces, suit, 0)


@jit
def _search(p: Packing, searched: int, pairs: int, suit: EffectiveSuit, allowed_waste: int) -> bool:
    """Try every placement of the first `searched` pieces until the pairs fit too."""
    depth = 0
    p.positions[0] = 0
    while True:
        if depth == searched:
            if _pairs_fit(p, pairs, suit, allowed_waste):
                return True
        else:
            position = _next_position(p, depth, suit)
            if position >= 0:
                _put(p, depth, position, suit, -1)
                p.positions[depth] = position
                depth += 1
                p.positions[depth] = position if _repeats(p, depth, searched) else 0
                continue
        depth -= 1
        if depth < 0:
            return False
        _put(p, depth, p.positions[depth], suit, 1)
        p.positions[depth] += 1


@jit
def _repeats(p: Packing, piece: int, searched: int) -> bool:
    """Return whether a piece has the same shape as the one before; then lower positions need not be tried."""
    return (
        piece < searched
        and p.piece_width[piece] == p.piece_width[piece - 1]
        and p.piece_length[piece] == p.piece_length[piece - 1]
    )


@jit
def _next_position(p: Packing, piece: int, suit: EffectiveSuit) -> int:
    """Return the first position from ``p.positions[piece]`` on where a piece fits, or -1.

    A position is 4 · lowest order + which of the equal slots.
    """
    length = p.piece_length[piece]
    shared = level_order(*suit)
    for position in range(p.positions[piece], (num_orders(*suit) - length + 1) * _VARIANTS):
        low = position // _VARIANTS
        variants = num_equal(shared, suit.suit, suit.trump) if low <= shared < low + length else 1
        if position - low * _VARIANTS < variants and _fits(p, piece, position, suit):
            return position
    return -1


@jit
def _slot_at(order: int, position: int, suit: EffectiveSuit) -> int:
    """Return the slot that a piece at a position takes at one of its orders."""
    slot = first_slot(order, suit.suit, suit.trump)
    return slot + position % _VARIANTS if order == level_order(*suit) else slot


@jit
def _fits(p: Packing, piece: int, position: int, suit: EffectiveSuit) -> bool:
    low = position // _VARIANTS
    for order in range(low, low + p.piece_length[piece]):
        if p.available[_slot_at(order, position, suit)] < p.piece_width[piece]:
            return False
    return True


@jit
def _put(p: Packing, piece: int, position: int, suit: EffectiveSuit, sign: int) -> None:
    """Take a piece's cards out of ``p.available`` (`sign` -1) or put them back (1)."""
    low = position // _VARIANTS
    for order in range(low, low + p.piece_length[piece]):
        p.available[_slot_at(order, position, suit)] += sign * p.piece_width[piece]


@jit
def _pairs_fit(p: Packing, pairs: int, suit: EffectiveSuit, allowed_waste: int) -> bool:
    """Return whether `pairs` pairs fit into what is left, placed to use as many fixed cards as possible."""
    waste = 0
    serving_two = 0
    serving_one = 0
    serving_none = 0
    for slot in range(suit_start(*suit), suit_end(*suit)):
        left = p.available[slot]
        idle = max(p.fixed[slot] - (p.start[slot] - left), 0)
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
