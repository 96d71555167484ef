"""Follows: what a hand owes to a lead, and which next card keeps a play legal.

The **demand** is found from the lead's components, high to low. Each component is broken in the best way that the hand
can supply with cards not needed for what was chosen before. A way is a multiset of pieces that tile the component's
rectangle. Since singles can always be supplied, the best way is found piece by piece: the next piece is always the
greatest one that leaves a way of the wanted class open. Only pieces wider than one are kept; the rest of the lead's
size is singles.

| policy | classes of ways, best first |
|---|---|
| `width_first` | all |
| `triples_then_tractors` | pieces of full width only; with a run; the others |
| `tractors_first` | with a run; the others |

Source: docs/rules.md §9.
"""

from typing import Any, NamedTuple

from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.components import length_of, width_of
from shengji_env.engine.packing import can_pack, set_piece
from shengji_env.engine.rows import fill_row
from shengji_env.engine.rule_options import code_of
from shengji_env.engine.slots import EffectiveSuit, effective_suit, suit_end, suit_start
from shengji_env.engine.state import Packing, State

_WIDTH_FIRST = code_of("follow_priority", "width_first")
_TRIPLES_THEN_TRACTORS = code_of("follow_priority", "triples_then_tractors")
_ANY_WAY = 0
_FULL_WIDTH = 1
_WITH_RUN = 2


class _Break(NamedTuple):
    """A component that is being broken into pieces."""

    width: int
    length: int
    first: int
    """The first of its pieces among all that are owed."""
    wanted: int
    """The class of the ways."""


@jit
def find_demand(lead: Any, priority: int, suit: EffectiveSuit, p: Packing) -> int:
    """Find what the cards in ``p.available`` owe to led components.

    Args:
        lead: a record with `components`, codes from high to low, and `num_components`: the state, for one.
        priority: the number of `follow_priority`.
        suit: the effective suit that was led.
        p: what `can_pack` takes.

    Returns:
        The number of pieces wider than one; they are in ``p.piece_width`` and ``p.piece_length``, in the order in which
        they were chosen.
    """
    fill_row(p.fixed, 0)
    owed = 0
    for index in range(lead.num_components):
        width = width_of(lead.components[index])
        if width == 1:
            break
        parts = _Break(int(width), int(length_of(lead.components[index])), owed, _ANY_WAY)
        owed = _choose_pieces(p, _best_class(p, parts, priority, suit), suit)
    return owed


@jit
def _best_class(p: Packing, parts: _Break, priority: int, suit: EffectiveSuit) -> _Break:
    """Return how a component is broken, with the best class that has a way."""
    if priority == _TRIPLES_THEN_TRACTORS:
        full = _Break(parts.width, parts.length, parts.first, _FULL_WIDTH)
        if _is_open(p, full, parts.first, suit):
            return full
    if priority != _WIDTH_FIRST:
        run = _Break(parts.width, parts.length, parts.first, _WITH_RUN)
        if _is_open(p, run, parts.first, suit):
            return run
    return parts


@jit
def _choose_pieces(p: Packing, parts: _Break, suit: EffectiveSuit) -> int:
    """Choose pieces, greatest first, that each leave a way of the wanted class open; return the number owed."""
    owed = parts.first
    piece_width = parts.width
    piece_length = parts.length
    while piece_width >= 2:
        set_piece(p, owed, piece_width, piece_length)
        if _tiles(p, parts, owed + 1) and _is_open(p, parts, owed + 1, suit):
            owed += 1
        elif piece_length > 1:
            piece_length -= 1
        else:
            piece_length = parts.length
            piece_width -= 1
    return owed


@jit
def _tiles(p: Packing, parts: _Break, owed: int) -> bool:
    """Return whether the pieces fit into the component's rectangle, width × length, without sharing cards.

    In a rectangle of width 4 two pieces of width 2 may lie side by side, so these are dealt to two rows; others take
    whole columns. Bit i of `sums`: some of the pieces of width 2 have length i together (a subset-sum bitset).
    """
    columns = parts.length
    sums = 1
    total = 0
    for piece in range(parts.first, owed):
        size = int(p.piece_length[piece])
        if p.piece_width[piece] == 2 and parts.width == 4:
            sums |= sums << size
            total += size
        else:
            columns -= size
    if columns < 0:
        return False
    for row in range(min(total, columns) + 1):
        if (sums >> row) & 1 and total - row <= columns:
            return True
    return False


@jit
def _is_open(p: Packing, parts: _Break, owed: int, suit: EffectiveSuit) -> bool:
    """Return whether the hand can supply the pieces chosen and still complete a way of the wanted class."""
    size = owed
    if parts.wanted == _FULL_WIDTH:
        left = parts.length
        for piece in range(parts.first, owed):
            if p.piece_width[piece] < parts.width:
                return False
            left -= p.piece_length[piece]
        if left < 0:
            return False
        for _ in range(left):
            set_piece(p, size, parts.width, 1)
            size += 1
    elif parts.wanted == _WITH_RUN and not _has_run(p, parts.first, owed):
        if parts.length < 2 or not _run_may_follow(p, parts.first, owed):
            return False
        set_piece(p, size, 2, 2)
        size += 1
        if not _tiles(p, parts, size):
            return False
    return can_pack(p, size, suit, 0)


@jit
def _has_run(p: Packing, first: int, owed: int) -> bool:
    for piece in range(first, owed):
        if p.piece_length[piece] > 1:
            return True
    return False


@jit
def _run_may_follow(p: Packing, first: int, owed: int) -> bool:
    """Return whether a tractor may come after the pieces chosen so far, which go from high to low."""
    return owed == first or p.piece_width[owed - 1] > 2


@jit
def can_complete(s: State, p: Packing, hand: NDArray[Any], slot: int) -> bool:
    """Return whether a follow that must match the lead can still do so after taking one more card of `slot`.

    The cards taken so far stay; of the hand, only cards at or above `slot` may still be taken.
    """
    suit = s.lead_suit
    size = 0
    for piece in range(s.num_owed):
        set_piece(p, piece, s.owed_width[piece], s.owed_length[piece])
        size += s.owed_width[piece] * s.owed_length[piece]
    for other in range(suit_start(suit, s.trump), suit_end(suit, s.trump)):
        p.fixed[other] = s.taken[other]
        p.available[other] = hand[other] if other >= slot else s.taken[other]
    p.fixed[slot] += 1
    return can_pack(p, s.num_owed, effective_suit(suit, s.trump), s.lead_size - size)
