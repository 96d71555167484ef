"""Card allocation: how many cards of each class go to each holder; all ways to deal the cards are equally likely.

**Holders** are the three other seats and, for all but who buried it, the kitty. Each has room for a number of hidden
cards. A **class** is a set of hidden cards that the same holders may have, such as those of one effective suit. Classes
that all holders may have form one pool. A table of counts ``k[class, holder]`` can be dealt in

    product over classes of  n[class]! / product over holders of k[class, holder]!

ways, so each table must be drawn with the weight ``1 / product of all k!``. The weights are summed backwards over the
classes that some holder may not have (`count_ways`), and the table is drawn class by class with those sums
(`draw_allocation`). The pool takes the room that is left. Both steps are exact.
"""

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, record_type
from shengji_env.engine.rule_sets import NUM_SEATS
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, NUM_SLOTS

NUM_HOLDERS = NUM_SEATS
KITTY = NUM_HOLDERS - 1
"""The kitty's index among the holders; the others are next, partner, previous."""
Holders: TypeAlias = np.record

TURNED = NUM_EFFECTIVE_SUITS
PASSED_ON = TURNED + 1
NUM_CLASSES = PASSED_ON + NUM_EFFECTIVE_SUITS
"""Classes: the effective suits, trumps turned up from the kitty, and from PASSED_ON the cards of each effective suit
that the seat to move has buried and that another has taken up since."""
EVERYBODY = (1 << NUM_HOLDERS) - 1

HOLDERS_DTYPE = record_type(
    [
        ("room", np.int64, (NUM_HOLDERS,)),  # hidden cards that each holder has
        ("sizes", np.int64, (NUM_CLASSES,)),  # hidden cards of each class
        ("allowed", np.int64, (NUM_CLASSES,)),  # holders that may have them: bit h for holder h
        ("hidden", np.int64, (NUM_CLASSES, NUM_SLOTS)),  # those cards by slot
        ("order", np.int64, (NUM_CLASSES,)),  # classes that some holder with room may not have, the narrowest first
        ("num_layers", np.int64),  # number of classes in `order`
        ("is_pooled", np.int64, (NUM_CLASSES,)),  # 1: not in `order`, drawn together with the other such classes
        ("allocated", np.int64, (NUM_CLASSES, NUM_HOLDERS)),  # drawn: cards of each class in `order` for each holder
        ("left", np.int64, (NUM_HOLDERS,)),  # room left for the pool
    ]
)
"""Who may hold which cards, and what has been drawn."""

_INVERSE_FACTORIALS: NDArray[np.float64] = np.array([1.0 / math.factorial(number) for number in range(64)])


def num_ways(hand: int) -> int:
    """Return the size of the table of sums for hands of this many cards."""
    return int((hand + 1) ** (NUM_HOLDERS - 1) * (NUM_CLASSES + 1))


@jit
def order_classes(holders: Holders) -> None:
    """List the classes that some holder with room may not have; those with the fewest holders come first."""
    open_holders = 0
    for holder in range(NUM_HOLDERS):
        open_holders |= int(holders.room[holder] > 0) << holder
    holders.num_layers = 0
    for kind in range(NUM_CLASSES):
        holders.is_pooled[kind] = 1
    for wanted in range(NUM_HOLDERS):
        for kind in range(NUM_CLASSES):
            allowed = holders.allowed[kind] & open_holders
            if holders.sizes[kind] > 0 and allowed != open_holders and _num_bits(allowed) == wanted:
                holders.order[holders.num_layers] = kind
                holders.is_pooled[kind] = 0
                holders.num_layers += 1


@jit
def _num_bits(bits: int) -> int:
    number = 0
    for index in range(NUM_HOLDERS):
        number += bits >> index & 1
    return number


@jit
def count_ways(holders: Holders, ways: NDArray[Any]) -> None:
    """Sum the weights of all tables from each class on, by the room left, for `draw_allocation`.

    ``ways[layer, a, b, c]``, laid out flat, is the sum if the first three holders have room for a, b and c cards when
    the class ``holders.order[layer]`` is drawn.
    """
    size = (holders.room[0] + 1) * (holders.room[1] + 1) * (holders.room[2] + 1)
    total = holders.room[0] + holders.room[1] + holders.room[2] + holders.room[3]
    totals = total
    for layer in range(holders.num_layers):
        totals -= holders.sizes[holders.order[layer]]
    for layer in range(holders.num_layers, 0, -1):
        for a in range(holders.room[0] + 1):
            for b in range(holders.room[1] + 1):
                for c in range(holders.room[2] + 1):
                    d = totals - a - b - c
                    if 0 <= d <= holders.room[3]:
                        holders.left[0], holders.left[1], holders.left[2], holders.left[3] = a, b, c, d
                        ways[layer * size + _index(holders, a, b, c)] = _sum_splits(holders, ways, layer, size, -1.0)
        totals += holders.sizes[holders.order[layer - 1]]


@jit
def _index(holders: Holders, a: int, b: int, c: int) -> int:
    return int((a * (holders.room[1] + 1) + b) * (holders.room[2] + 1) + c)


@jit
def _most(holders: Holders, kind: int, holder: int, cards: int) -> int:
    """Return how many of `cards` cards of a class a holder can take."""
    return int(min(holders.left[holder], cards)) if holders.allowed[kind] >> holder & 1 else 0


@jit
def _sum_splits(holders: Holders, ways: NDArray[Any], layer: int, size: int, wanted: float) -> float:
    """Sum the weights of all splits of a layer's class over the room ``holders.left``, later layers included.

    If `wanted` is at least 0, the sum stops at the first split that takes it above `wanted`; ``holders.allocated`` then
    holds that split.
    """
    if layer == holders.num_layers:
        weight = 1.0
        for holder in range(NUM_HOLDERS):
            weight *= _INVERSE_FACTORIALS[holders.left[holder]]
        return float(weight)
    kind = holders.order[layer]
    total = 0.0
    left, allocated = holders.left, holders.allocated
    for a in range(_most(holders, kind, 0, holders.sizes[kind]) + 1):
        after_a = holders.sizes[kind] - a
        for b in range(_most(holders, kind, 1, after_a) + 1):
            after_b = after_a - b
            most_c, most_d = _most(holders, kind, 2, after_b), _most(holders, kind, KITTY, after_b)
            for c in range(after_b - most_d, most_c + 1):
                d = after_b - c
                index = (layer + 1) * size + _index(holders, left[0] - a, left[1] - b, left[2] - c)
                pieces = _INVERSE_FACTORIALS[a] * _INVERSE_FACTORIALS[b] * _INVERSE_FACTORIALS[c]
                weight = pieces * _INVERSE_FACTORIALS[d] * ways[index]
                total += weight
                if wanted >= 0.0 and weight > 0.0:
                    allocated[kind, 0], allocated[kind, 1], allocated[kind, 2], allocated[kind, 3] = a, b, c, d
                    if total > wanted:
                        return float(total)
    return float(total)


@jit
def has_ways(holders: Holders, ways: NDArray[Any]) -> bool:
    """Return whether the cards can be dealt at all; the holders are as `order_classes` and `count_ways` left them."""
    size = (holders.room[0] + 1) * (holders.room[1] + 1) * (holders.room[2] + 1)
    for holder in range(NUM_HOLDERS):
        holders.left[holder] = holders.room[holder]
    return bool(_sum_splits(holders, ways, 0, size, -1.0) > 0.0)


@jit
def draw_allocation(holders: Holders, ways: NDArray[Any], words: NDArray[Any]) -> None:
    """Draw how many cards of each class go to each holder, for the classes that some holder may not have.

    Args:
        holders: the holders, as `order_classes` and `count_ways` left them.
        ways: the sums of `count_ways`.
        words: uniform random numbers in 0..1, one for each such class.
    """
    size = (holders.room[0] + 1) * (holders.room[1] + 1) * (holders.room[2] + 1)
    for holder in range(NUM_HOLDERS):
        holders.left[holder] = holders.room[holder]
    for layer in range(holders.num_layers):
        total = _sum_splits(holders, ways, layer, size, -1.0)
        _sum_splits(holders, ways, layer, size, words[layer] * total)
        for holder in range(NUM_HOLDERS):
            holders.left[holder] -= holders.allocated[holders.order[layer], holder]
