"""The network in compiled code: what each candidate of a decision is worth.

| layer | of | reads |
|---|---|---|
| `suit` | each plain suit, one encoder for all | its inputs; with a touch: what the candidate does to it |
| `trump` | the trumps | the same |
| `hidden` | a candidate | the sum of the encodings, the table, the features |
| `last`, `value` | a candidate | the layer before |

The encodings of all suits as they are go into `hidden` once for a decision; a touched suit's encoding is replaced by
the one with the touch. ReLU between layers. The values are in levels, and mean something only relative to those of the
decision's other candidates.

One decision is computed after another, its sums in a fixed order, so its values are the same bits in any batch, on any
number of threads. A product with a matrix skips the inputs that are zero, five of six in the first layer, which makes
up for a library's blocks of many decisions.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.cards import NUM_SUITS
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.errors import PlayerError, show
from shengji_env.players.networks.champion.inputs import (
    NUM_CANDIDATE_INPUTS,
    NUM_SUIT_INPUTS,
    NUM_SUIT_TOUCH,
    NUM_TABLE_INPUTS,
    NUM_TRUMP_INPUTS,
    NUM_TRUMP_TOUCH,
    Inputs,
)

NUM_VALUES = 2
"""Smoothed levels and levels; a candidate is chosen by their mean."""

MOST_WIDTH, MOST_WEIGHT = 4096, 10_000
"""Limits of a file: in networks within them no sum overflows."""

Weights = Mapping[str, NDArray[np.float32]]

_AT_ONCE = 8
"""Inputs whose rows of weights are added in one pass over the outputs."""


class Network(NamedTuple):
    """The weights as compiled code reads them; shapes are those of `weight_shapes`."""

    suit: NDArray[np.float32]
    suit_bias: NDArray[np.float32]
    suit_touch: NDArray[np.float32]
    trump: NDArray[np.float32]
    trump_bias: NDArray[np.float32]
    trump_touch: NDArray[np.float32]
    from_suit: NDArray[np.float32]
    from_touched_suit: NDArray[np.float32]
    from_trump: NDArray[np.float32]
    from_touched_trump: NDArray[np.float32]
    from_table: NDArray[np.float32]
    from_features: NDArray[np.float32]
    hidden_bias: NDArray[np.float32]
    last: NDArray[np.float32]
    last_bias: NDArray[np.float32]
    value: NDArray[np.float32]


class _Layers(NamedTuple):
    """Scratch memory: what the layers hold."""

    suit_sums: NDArray[np.float32]  # of each plain suit before ReLU
    suit_codes: NDArray[np.float32]  # what each plain suit brings to `hidden`
    trump_sum: NDArray[np.float32]
    trump_code: NDArray[np.float32]
    suit: NDArray[np.float32]
    trump: NDArray[np.float32]
    base: NDArray[np.float32]  # what the decision brings to `hidden`
    hidden: NDArray[np.float32]
    last: NDArray[np.float32]
    places: NDArray[np.int64]  # inputs that are not zero
    amounts: NDArray[np.float32]  # their values


def weight_shapes(suit: int, trump: int, hidden: int, last: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights, (inputs, outputs), and biases, for layers of these widths."""
    return {
        "suit": (NUM_SUIT_INPUTS, suit),
        "suit_bias": (suit,),
        "suit_touch": (NUM_SUIT_TOUCH, suit),
        "trump": (NUM_TRUMP_INPUTS, trump),
        "trump_bias": (trump,),
        "trump_touch": (NUM_TRUMP_TOUCH, trump),
        "from_suit": (suit, hidden),
        "from_touched_suit": (suit, hidden),
        "from_trump": (trump, hidden),
        "from_touched_trump": (trump, hidden),
        "from_table": (NUM_TABLE_INPUTS, hidden),
        "from_features": (NUM_CANDIDATE_INPUTS, hidden),
        "hidden_bias": (hidden,),
        "last": (hidden, last),
        "last_bias": (last,),
        "value": (last, NUM_VALUES),
    }


def widths_of(weights: Weights) -> tuple[int, int, int, int]:
    """Return the widths of the layers suit, trump, hidden and last."""
    return (
        weights["suit"].shape[-1],
        weights["trump"].shape[-1],
        weights["hidden_bias"].shape[-1],
        weights["last_bias"].shape[-1],
    )


def check_weights(weights: Weights) -> None:
    """Refuse weights that are not those of a network.

    Raises:
        PlayerError: an array is missing, too many, not float32 or of another shape, or holds what is no number or a
            large one.
    """
    sizes = [
        weights[name].shape[-1] if name in weights and weights[name].ndim else 0
        for name in ("suit", "trump", "hidden_bias", "last_bias")
    ]
    if not all(1 <= size <= MOST_WIDTH for size in sizes):
        raise PlayerError(f"its layers have the widths {', '.join(map(str, sizes))}; they must be 1 to {MOST_WIDTH}")
    shapes = weight_shapes(*sizes)
    if set(weights) != set(shapes):
        raise PlayerError(f"there are the weights {show(sorted(weights))}; there must be {', '.join(shapes)}")
    for name, shape in shapes.items():
        array = weights[name]
        if array.shape != shape or array.dtype != np.float32:
            raise PlayerError(f"{name} is {array.dtype} {array.shape}; it must be float32 {shape}")
        if not (np.abs(array) <= MOST_WEIGHT).all():
            raise PlayerError(f"{name} holds something else than numbers from -{MOST_WEIGHT:,} to {MOST_WEIGHT:,}")


def network_of(weights: Weights) -> Network:
    """Return weights as compiled code reads them."""
    return Network(*(np.array(weights[name], np.float32, order="C") for name in Network._fields))


def blank_network() -> Network:
    """Return a network without weights, for code that is given one and does not ask it."""
    return network_of({name: np.zeros(shape, np.float32) for name, shape in weight_shapes(0, 0, 0, 0).items()})


def values_of(weights: Weights, inputs: Inputs) -> NDArray[np.float32]:
    """Return what candidates are worth, (C, NUM_VALUES), relative to the others of their decisions."""
    return value_candidates(network_of(weights), inputs)


@jit
def value_candidates(n: Network, i: Inputs) -> NDArray[np.float32]:
    """Do the work of `values_of`."""
    values = np.empty((i.owners.size, NUM_VALUES), np.float32)
    a = _make_layers(n)
    suits_end, candidates_end, touches_end, trumps_end = 0, 0, 0, 0
    for decision in range(i.trumps.shape[0]):
        first_suit, suits_end = suits_end, _run_end(i.suit_owners, suits_end, decision)
        _copy(n.hidden_bias, a.base)
        _add_product(i.table[decision], n.from_table, a.base, a.places, a.amounts)
        _encode_trumps(n, i, decision, a)
        _encode_suits(n, i, first_suit, suits_end, a)
        first, candidates_end = candidates_end, _run_end(i.owners, candidates_end, decision)
        for candidate in range(first, candidates_end):
            _copy(a.base, a.hidden)
            _add_product(i.features[candidate], n.from_features, a.hidden, a.places, a.amounts)
            touch, touches_end = touches_end, _run_end(i.touching, touches_end, candidate)
            for row in range(touch, touches_end):
                _touch_suit(n, i.touches[row], i.touched_suits[row] - first_suit, a)
            touch, trumps_end = trumps_end, _run_end(i.trump_touching, trumps_end, candidate)
            for row in range(touch, trumps_end):
                _touch_trumps(n, i.trump_touches[row], a)
            _finish(n, a, values[candidate])
    return values


@jit_inline
def _make_layers(n: Network) -> _Layers:
    suit, trump, hidden = n.suit_bias.size, n.trump_bias.size, n.hidden_bias.size
    widest = max(NUM_SUIT_INPUTS, NUM_TRUMP_INPUTS, NUM_TABLE_INPUTS, suit, trump, hidden) + _AT_ONCE
    return _Layers(
        np.empty((NUM_SUITS, suit), np.float32), np.empty((NUM_SUITS, hidden), np.float32),
        np.empty(trump, np.float32), np.empty(hidden, np.float32), np.empty(suit, np.float32),
        np.empty(trump, np.float32), np.empty(hidden, np.float32), np.empty(hidden, np.float32),
        np.empty(n.last_bias.size, np.float32), np.empty(widest, np.int64), np.empty(widest, np.float32),
    )  # fmt: skip


@jit
def _run_end(owners: NDArray[Any], start: int, owner: int) -> int:
    """Return where the run of entries ends, perhaps empty, that begins at `start` and belongs to `owner`."""
    end = start
    while end < owners.size and owners[end] == owner:
        end += 1
    return end


@jit_inline
def _encode_trumps(n: Network, i: Inputs, decision: int, a: _Layers) -> None:
    _copy(n.trump_bias, a.trump_sum)
    _add_product(i.trumps[decision], n.trump, a.trump_sum, a.places, a.amounts)
    _rectify(a.trump_sum, a.trump)
    _clear(a.trump_code)
    _add_product(a.trump, n.from_trump, a.trump_code, a.places, a.amounts)
    _add(a.trump_code, a.base)


@jit_inline
def _encode_suits(n: Network, i: Inputs, first: int, end: int, a: _Layers) -> None:
    for row in range(first, end):
        sums, code = a.suit_sums[row - first], a.suit_codes[row - first]
        _copy(n.suit_bias, sums)
        _add_product(i.suits[row], n.suit, sums, a.places, a.amounts)
        _rectify(sums, a.suit)
        _clear(code)
        _add_product(a.suit, n.from_suit, code, a.places, a.amounts)
        _add(code, a.base)


@jit_inline
def _touch_suit(n: Network, touch: NDArray[Any], suit: int, a: _Layers) -> None:
    """Replace what a plain suit brings to `hidden` by what it brings with the touch."""
    _copy(a.suit_sums[suit], a.suit)
    _add_product(touch, n.suit_touch, a.suit, a.places, a.amounts)
    _rectify(a.suit, a.suit)
    _subtract(a.suit_codes[suit], a.hidden)
    _add_product(a.suit, n.from_touched_suit, a.hidden, a.places, a.amounts)


@jit_inline
def _touch_trumps(n: Network, touch: NDArray[Any], a: _Layers) -> None:
    """Replace what trumps bring to `hidden` by what they bring with the touch."""
    _copy(a.trump_sum, a.trump)
    _add_product(touch, n.trump_touch, a.trump, a.places, a.amounts)
    _rectify(a.trump, a.trump)
    _subtract(a.trump_code, a.hidden)
    _add_product(a.trump, n.from_touched_trump, a.hidden, a.places, a.amounts)


@jit_inline
def _finish(n: Network, a: _Layers, values: NDArray[Any]) -> None:
    """Compute what comes after `hidden`."""
    _rectify(a.hidden, a.hidden)
    _copy(n.last_bias, a.last)
    _add_product(a.hidden, n.last, a.last, a.places, a.amounts)
    _rectify(a.last, a.last)
    _clear(values)
    for j in range(a.last.size):
        for k in range(NUM_VALUES):
            values[k] += a.last[j] * n.value[j, k]


@jit
def _add_product(row: NDArray[Any], weights: NDArray[Any], out: NDArray[Any], p: NDArray[Any], x: NDArray[Any]) -> None:
    """Add ``row @ weights``, eight inputs that are not zero at a time; `p` and `x` are scratch memory."""
    size = 0
    for place in range(row.size):
        p[size], x[size] = place, row[place]
        size += int(row[place] != 0)
    for place in range(size, size + _AT_ONCE):
        p[place], x[place] = 0, 0
    for t in range(0, size, _AT_ONCE):
        u0, u1, u2, u3 = weights[p[t]], weights[p[t + 1]], weights[p[t + 2]], weights[p[t + 3]]
        u4, u5, u6, u7 = weights[p[t + 4]], weights[p[t + 5]], weights[p[t + 6]], weights[p[t + 7]]
        x0, x1, x2, x3, x4, x5, x6, x7 = x[t], x[t + 1], x[t + 2], x[t + 3], x[t + 4], x[t + 5], x[t + 6], x[t + 7]
        for j in range(out.size):
            low = (x0 * u0[j] + x1 * u1[j]) + (x2 * u2[j] + x3 * u3[j])
            out[j] += low + ((x4 * u4[j] + x5 * u5[j]) + (x6 * u6[j] + x7 * u7[j]))


@jit
def _clear(out: NDArray[Any]) -> None:
    for j in range(out.size):
        out[j] = 0


@jit
def _copy(row: NDArray[Any], out: NDArray[Any]) -> None:
    for j in range(out.size):
        out[j] = row[j]


@jit
def _add(row: NDArray[Any], out: NDArray[Any]) -> None:
    for j in range(out.size):
        out[j] += row[j]


@jit
def _subtract(row: NDArray[Any], out: NDArray[Any]) -> None:
    for j in range(out.size):
        out[j] -= row[j]


@jit
def _rectify(row: NDArray[Any], out: NDArray[Any]) -> None:
    for j in range(out.size):
        out[j] = max(row[j], np.float32(0))


def choose(values: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the best candidate of each decision, (D,), counted from its first; of equal ones the first.

    Args:
        values: (C,) what candidates are worth.
        offsets: (D + 1,) where those of each decision begin; every decision has at least one.
    """
    sizes = np.diff(offsets)
    best = np.repeat(np.maximum.reduceat(values, offsets[:-1]), sizes)
    first = np.where(values == best, np.arange(len(values)), len(values))
    chosen: NDArray[np.int64] = np.minimum.reduceat(first, offsets[:-1]) - offsets[:-1]
    return chosen
