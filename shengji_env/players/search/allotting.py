"""Shares: how many cards of each class every holder gets, so that all ways to deal individual cards are equally likely.

**Holders** are the three other seats, and the kitty for all but the declarer; each has room for so many hidden cards.
A **class** is a set of hidden cards that the same holders may have: those of one effective suit, for instance. Classes
that all holders may have are one pool. A table of counts ``k[class, holder]`` can be dealt in

    product over classes of  n[class]! / product over holders of k[class, holder]!

ways. So each table has to come with the weight ``1 / product of all k!``. The weights are summed backwards over the
classes that some holder may not have (`count_ways`), and the table is drawn class by class with those sums
(`draw_shares`); the pool takes what room is left. Both are exact.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS

NUM_HOLDERS = NUM_SEATS
KITTY = NUM_HOLDERS - 1
"""The kitty's place among the holders; the others are next, partner, previous."""
TURNED = NUM_EFFECTIVE_SUITS
NUM_CLASSES = NUM_EFFECTIVE_SUITS + 1
"""Classes: the effective suits, and trumps turned up from the kitty."""
EVERYBODY = (1 << NUM_HOLDERS) - 1

SHARES_DTYPE = record_type(
    [
        ("room", np.int64, (NUM_HOLDERS,)),
        ("sizes", np.int64, (NUM_CLASSES,)),
        ("allowed", np.int64, (NUM_CLASSES,)),
        ("hidden", np.int64, (NUM_CLASSES, NUM_SLOTS)),
        ("order", np.int64, (NUM_CLASSES,)),
        ("num_layers", np.int64),
        ("is_pooled", np.int64, (NUM_CLASSES,)),
        ("shares", np.int64, (NUM_CLASSES, NUM_HOLDERS)),
        ("left", np.int64, (NUM_HOLDERS,)),
    ]
)
"""Who may hold what: `room` of each holder, `sizes` of the classes, the holders `allowed` to have them (bits), the
cards `hidden` in them by slot. `order` lists the `num_layers` classes that are not everybody's, `is_pooled` marks the
others. `shares` is what `draw_shares` draws, of those classes; `left` is the room that it leaves for the pool."""

_INVERSE_FACTORIALS: NDArray[np.float64] = np.array([1.0 / math.factorial(number) for number in range(64)])


def num_ways(hand: int) -> int:
    """Size of the table of sums that hands of this many cards need."""
    return int((hand + 1) ** (NUM_HOLDERS - 1) * (NUM_CLASSES + 1))


@jit
def order_classes(x: np.record) -> None:
    """List the classes that some holder with room may not have; those for the fewest come first."""
    open_holders = 0
    for holder in range(NUM_HOLDERS):
        open_holders |= int(x.room[holder] > 0) << holder
    x.num_layers = 0
    for kind in range(NUM_CLASSES):
        x.is_pooled[kind] = 1
    for wanted in range(NUM_HOLDERS):
        for kind in range(NUM_CLASSES):
            allowed = x.allowed[kind] & open_holders
            if x.sizes[kind] > 0 and allowed != open_holders and _num_bits(allowed) == wanted:
                x.order[x.num_layers] = kind
                x.is_pooled[kind] = 0
                x.num_layers += 1


@jit
def _num_bits(bits: int) -> int:
    number = 0
    for place in range(NUM_HOLDERS):
        number += bits >> place & 1
    return number


@jit
def count_ways(x: np.record, ways: NDArray[Any]) -> None:
    """Sum the weights of all tables from each class on, by the room that is left: for `draw_shares`.

    ``ways[layer, a, b, c]``, laid out flat, has the sums where the first three holders have room for a, b and c cards
    when the class ``x.order[layer]`` comes.
    """
    size = (x.room[0] + 1) * (x.room[1] + 1) * (x.room[2] + 1)
    total = x.room[0] + x.room[1] + x.room[2] + x.room[3]
    totals = total
    for layer in range(x.num_layers):
        totals -= x.sizes[x.order[layer]]
    for layer in range(x.num_layers, 0, -1):
        for a in range(x.room[0] + 1):
            for b in range(x.room[1] + 1):
                for c in range(x.room[2] + 1):
                    d = totals - a - b - c
                    if 0 <= d <= x.room[3]:
                        x.left[0], x.left[1], x.left[2], x.left[3] = a, b, c, d
                        ways[layer * size + _place(x, a, b, c)] = _sum_splits(x, ways, layer, size, -1.0)
        totals += x.sizes[x.order[layer - 1]]


@jit
def _place(x: np.record, a: int, b: int, c: int) -> int:
    return int((a * (x.room[1] + 1) + b) * (x.room[2] + 1) + c)


@jit
def _most(x: np.record, kind: int, holder: int, cards: int) -> int:
    """Most of `cards` cards of a class that a holder can take."""
    return int(min(x.left[holder], cards)) if x.allowed[kind] >> holder & 1 else 0


@jit
def _sum_splits(x: np.record, ways: NDArray[Any], layer: int, size: int, wanted: float) -> float:
    """Sum of the weights of all splits of a layer's class over the room ``x.left``, and all that follows.

    With `wanted` at least 0 the sum stops at the first split that takes it beyond, which is left in ``x.shares``.
    """
    if layer == x.num_layers:
        weight = 1.0
        for holder in range(NUM_HOLDERS):
            weight *= _INVERSE_FACTORIALS[x.left[holder]]
        return float(weight)
    kind = x.order[layer]
    total = 0.0
    left = x.left
    for a in range(_most(x, kind, 0, x.sizes[kind]) + 1):
        after_a = x.sizes[kind] - a
        for b in range(_most(x, kind, 1, after_a) + 1):
            after_b = after_a - b
            most_c, most_d = _most(x, kind, 2, after_b), _most(x, kind, KITTY, after_b)
            for c in range(after_b - most_d, most_c + 1):
                d = after_b - c
                place = (layer + 1) * size + _place(x, left[0] - a, left[1] - b, left[2] - c)
                pieces = _INVERSE_FACTORIALS[a] * _INVERSE_FACTORIALS[b] * _INVERSE_FACTORIALS[c]
                weight = pieces * _INVERSE_FACTORIALS[d] * ways[place]
                total += weight
                if wanted >= 0.0 and weight > 0.0:
                    x.shares[kind, 0], x.shares[kind, 1], x.shares[kind, 2], x.shares[kind, 3] = a, b, c, d
                    if total > wanted:
                        return float(total)
    return float(total)


@jit
def draw_shares(x: np.record, ways: NDArray[Any], words: NDArray[Any]) -> None:
    """Draw how many cards of each class not everybody's every holder gets; `words` are uniform in 0..1, one a layer."""
    size = (x.room[0] + 1) * (x.room[1] + 1) * (x.room[2] + 1)
    for holder in range(NUM_HOLDERS):
        x.left[holder] = x.room[holder]
    for layer in range(x.num_layers):
        total = _sum_splits(x, ways, layer, size, -1.0)
        _sum_splits(x, ways, layer, size, words[layer] * total)
        for holder in range(NUM_HOLDERS):
            x.left[holder] -= x.shares[x.order[layer], holder]
