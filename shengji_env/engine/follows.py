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
from shengji_env.engine.state import MAX_PLAY, State, Workspace

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
def find_demand(lead: Any, priority: int, suit: EffectiveSuit, w: Workspace) -> int:
    """Find what the cards in ``w.available`` owe to led components.

    Args:
        lead: a record with `components`, codes from high to low, and `num_components`: the state, for one.
        priority: the number of `follow_priority`.
        suit: the effective suit that was led.
        w: scratch memory.

    Returns:
        The number of pieces wider than one; they are in ``w.piece_width`` and ``w.piece_length``, in the order in which
        they were chosen.
    """
    fill_row(w.fixed, 0)
    owed = 0
    for index in range(lead.num_components):
        width = width_of(lead.components[index])
        if width == 1:
            break
        parts = _Break(int(width), int(length_of(lead.components[index])), owed, _ANY_WAY)
        owed = _choose_pieces(w, _best_class(w, parts, priority, suit), suit)
    return owed


@jit
def _best_class(w: Workspace, parts: _Break, priority: int, suit: EffectiveSuit) -> _Break:
    """Return how a component is broken, with the best class that has a way."""
    if priority == _TRIPLES_THEN_TRACTORS:
        full = _Break(parts.width, parts.length, parts.first, _FULL_WIDTH)
        if _is_open(w, full, parts.first, suit):
            return full
    if priority != _WIDTH_FIRST:
        run = _Break(parts.width, parts.length, parts.first, _WITH_RUN)
        if _is_open(w, run, parts.first, suit):
            return run
    return parts


@jit
def _choose_pieces(w: Workspace, parts: _Break, suit: EffectiveSuit) -> int:
    """Choose pieces, greatest first, that each leave a way of the wanted class open; return the number owed."""
    owed = parts.first
    piece_width = parts.width
    piece_length = parts.length
    while piece_width >= 2:
        set_piece(w, owed, piece_width, piece_length)
        if _tiles(w, parts, owed + 1) and _is_open(w, parts, owed + 1, suit):
            owed += 1
        elif piece_length > 1:
            piece_length -= 1
        else:
            piece_length = parts.length
            piece_width -= 1
    return owed


@jit
def _tiles(w: Workspace, parts: _Break, owed: int) -> bool:
    """Return whether the pieces fit into the component's rectangle, width × length, without sharing cards."""
    columns = parts.length
    sums = 1
    total = 0
    for piece in range(parts.first, owed):
        size = int(w.piece_length[piece])
        if w.piece_width[piece] == 2 and parts.width == 4:
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
def _is_open(w: Workspace, parts: _Break, owed: int, suit: EffectiveSuit) -> bool:
    """Return whether the hand can supply the pieces chosen and still complete a way of the wanted class."""
    size = owed
    if parts.wanted == _FULL_WIDTH:
        left = parts.length
        for piece in range(parts.first, owed):
            left -= w.piece_length[piece] if w.piece_width[piece] == parts.width else MAX_PLAY
        if left < 0:
            return False
        for _ in range(left):
            set_piece(w, size, parts.width, 1)
            size += 1
    elif parts.wanted == _WITH_RUN and not _has_run(w, parts.first, owed):
        if parts.length < 2 or not _run_may_follow(w, parts.first, owed):
            return False
        set_piece(w, size, 2, 2)
        size += 1
        if not _tiles(w, parts, size):
            return False
    return can_pack(w, size, suit, 0)


@jit
def _has_run(w: Workspace, first: int, owed: int) -> bool:
    for piece in range(first, owed):
        if w.piece_length[piece] > 1:
            return True
    return False


@jit
def _run_may_follow(w: Workspace, first: int, owed: int) -> bool:
    """Return whether a tractor may come after the pieces chosen so far, which go from high to low."""
    return owed == first or w.piece_width[owed - 1] > 2


@jit
def can_complete(s: State, w: Workspace, hand: NDArray[Any], slot: int) -> bool:
    """Return whether a follow that must match the lead can still do so after taking one more card of `slot`.

    The cards taken so far stay; of the hand, only cards at or above `slot` may still be taken.
    """
    suit = s.lead_suit
    size = 0
    for piece in range(s.num_owed):
        set_piece(w, piece, s.owed_width[piece], s.owed_length[piece])
        size += s.owed_width[piece] * s.owed_length[piece]
    for other in range(suit_start(suit, s.trump), suit_end(suit, s.trump)):
        w.fixed[other] = s.taken[other]
        w.available[other] = hand[other] if other >= slot else s.taken[other]
    w.fixed[slot] += 1
    return can_pack(w, s.num_owed, effective_suit(suit, s.trump), s.lead_size - size)
