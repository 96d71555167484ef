"""The network in compiled code: what each candidate of a decision is worth.

| layer | of | reads |
|---|---|---|
| `suit` | each plain suit, one encoder for all | its inputs; with a change: what the candidate does to it |
| `trump` | the trumps | the same |
| `hidden` | a candidate | the sum of the encodings, the table, the features |
| `last`, `value` | a candidate | the layer before |

The encodings of all suits as they are go into `hidden` once for a decision; a changed suit's encoding is replaced by
the one with the change. ReLU between layers. The values are in levels, and mean something only relative to those of the
decision's other candidates.

One decision is computed after another, its sums in a fixed order, so its values are the same bits in any batch, on any
number of threads. A product with a matrix skips the inputs that are zero, five of six in the first layer, which makes
up for a library's blocks of many decisions.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit, jit_inline
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP
from shengji_env.players.networks.champion.conditioning import RULES, Weights, reads_rules, rule_shapes
from shengji_env.players.networks.champion.inputs import (
    NUM_CANDIDATE_INPUTS,
    NUM_SUIT_CHANGE,
    NUM_SUIT_INPUTS,
    NUM_TABLE_INPUTS,
    NUM_TRUMP_CHANGE,
    NUM_TRUMP_INPUTS,
    Inputs,
)
from shengji_env.players.networks.network_file import check_arrays, last_axes

NUM_VALUES = 2
"""Smoothed levels and levels; a candidate is chosen by their mean."""

MAX_WEIGHT = 10_000
"""The largest weight of a file: with this and MAX_LAYER no sum overflows."""

_WIDTHS = ("suit", "trump", "hidden_bias", "last_bias")
"""Arrays whose last axes are as wide as the layers suit, trump, hidden and last."""
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


class _Encoder(NamedTuple):
    """The weights through which the inputs about a suit enter `hidden`."""

    inputs: NDArray[np.float32]
    bias: NDArray[np.float32]
    change: NDArray[np.float32]
    onward: NDArray[np.float32]  # from the suit as it is
    onward_changed: NDArray[np.float32]  # from the suit with a change


class _Layers(NamedTuple):
    """Scratch memory: what the layers hold."""

    sums: NDArray[np.float32]  # of each effective suit before ReLU
    codes: NDArray[np.float32]  # what each of them brings to `hidden`
    encoded: NDArray[np.float32]  # one suit after ReLU
    base: NDArray[np.float32]  # what the decision brings to `hidden`
    hidden: NDArray[np.float32]
    last: NDArray[np.float32]
    indices: NDArray[np.int64]  # inputs that are not zero
    amounts: NDArray[np.float32]  # their values


def weight_shapes(suit: int, trump: int, hidden: int, last: int, rules: int = 0) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all weights, (inputs, outputs), and biases, for layers of these widths.

    A network for many rule sets has a layer `rules` (`conditioning`), too; what is played are its weights for one of
    them, whose shapes are those without.
    """
    return rule_shapes(rules, {"suit": suit, "trump": trump}) | {
        "suit": (NUM_SUIT_INPUTS, suit),
        "suit_bias": (suit,),
        "suit_touch": (NUM_SUIT_CHANGE, suit),
        "trump": (NUM_TRUMP_INPUTS, trump),
        "trump_bias": (trump,),
        "trump_touch": (NUM_TRUMP_CHANGE, trump),
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
    suit, trump, hidden, last = (weights[name].shape[-1] for name in _WIDTHS)
    return suit, trump, hidden, last


def code_of(weights: Weights) -> int:
    """Return the width of the layer `rules`; 0: there is none."""
    return weights[RULES].shape[-1] if reads_rules(weights) else 0


def check_weights(weights: Weights) -> None:
    """Refuse weights that are not those of a network.

    Raises:
        PlayerError: an array is missing, too many, not float32 or of another shape, or holds what is not a number or
            a large one.
    """
    widths = last_axes(weights, (*_WIDTHS, RULES) if reads_rules(weights) else _WIDTHS)
    check_arrays(weights, weight_shapes(*widths), MAX_WEIGHT)


def network_of(weights: Weights) -> Network:
    """Return the weights for one rule set (`conditioning.for_rules`) as compiled code reads them."""
    return Network(*(np.array(weights[name], np.float32, order="C") for name in Network._fields))


def blank_network() -> Network:
    """Return a network without weights, for code that needs one as an argument and does not use it."""
    return network_of({name: np.zeros(shape, np.float32) for name, shape in weight_shapes(0, 0, 0, 0).items()})


def values_of(weights: Weights, inputs: Inputs) -> NDArray[np.float32]:
    """Return `network_values` of weights for one rule set."""
    return network_values(network_of(weights), inputs)


@jit
def network_values(network: Network, inputs: Inputs) -> NDArray[np.float32]:
    """Return what candidates are worth, (C, NUM_VALUES) in levels, relative to the others of their decisions."""
    values = np.empty((inputs.owners.size, NUM_VALUES), np.float32)
    plain = _Encoder(network.suit, network.suit_bias, network.suit_touch, network.from_suit, network.from_touched_suit)
    trumps = _Encoder(
        network.trump, network.trump_bias, network.trump_touch, network.from_trump, network.from_touched_trump
    )
    layers = _make_layers(network)
    suits_end, candidates_end, changes_end, trumps_end = 0, 0, 0, 0
    for decision in range(inputs.trumps.shape[0]):
        _copy(network.hidden_bias, layers.base)
        _add_product(inputs.table[decision, : network.from_table.shape[0]], network.from_table, layers.base, layers)
        _encode(trumps, inputs.trumps[decision], TRUMP, layers)
        first_suit, suits_end = suits_end, _run_end(inputs.suit_owners, suits_end, decision)
        for row in range(first_suit, suits_end):
            _encode(plain, inputs.suits[row], row - first_suit, layers)
        first, candidates_end = candidates_end, _run_end(inputs.owners, candidates_end, decision)
        for candidate in range(first, candidates_end):
            _copy(layers.base, layers.hidden)
            _add_product(inputs.features[candidate], network.from_features, layers.hidden, layers)
            change, changes_end = changes_end, _run_end(inputs.suit_change_owners, changes_end, candidate)
            for row in range(change, changes_end):
                _change(plain, inputs.suit_changes[row], inputs.changed_suits[row] - first_suit, layers)
            change, trumps_end = trumps_end, _run_end(inputs.trump_change_owners, trumps_end, candidate)
            for row in range(change, trumps_end):
                _change(trumps, inputs.trump_changes[row], TRUMP, layers)
            _finish(network, layers, values[candidate])
    return values


@jit_inline
def _make_layers(network: Network) -> _Layers:
    suit, hidden = max(network.suit_bias.size, network.trump_bias.size), network.hidden_bias.size
    widest = max(NUM_SUIT_INPUTS, NUM_TRUMP_INPUTS, NUM_TABLE_INPUTS, suit, hidden) + _AT_ONCE
    return _Layers(
        np.empty((NUM_EFFECTIVE_SUITS, suit), np.float32), np.empty((NUM_EFFECTIVE_SUITS, hidden), np.float32),
        np.empty(suit, np.float32), np.empty(hidden, np.float32), np.empty(hidden, np.float32),
        np.empty(network.last_bias.size, np.float32), np.empty(widest, np.int64), np.empty(widest, np.float32),
    )  # fmt: skip


@jit
def _run_end(owners: NDArray[Any], start: int, owner: int) -> int:
    """Return where the run of entries ends, perhaps empty, that begins at `start` and belongs to `owner`."""
    end = start
    while end < owners.size and owners[end] == owner:
        end += 1
    return end


@jit_inline
def _encode(encoder: _Encoder, row: NDArray[Any], suit: int, layers: _Layers) -> None:
    """Add to `base` what an effective suit brings to `hidden`, and keep it."""
    size, code = encoder.bias.size, layers.codes[suit]
    sums, encoded = layers.sums[suit, :size], layers.encoded[:size]
    _copy(encoder.bias, sums)
    _add_product(row, encoder.inputs, sums, layers)
    _rectify(sums, encoded)
    _clear(code)
    _add_product(encoded, encoder.onward, code, layers)
    _add(code, layers.base)


@jit_inline
def _change(encoder: _Encoder, change: NDArray[Any], suit: int, layers: _Layers) -> None:
    """Replace what an effective suit brings to `hidden` by what it brings with the change."""
    size = encoder.bias.size
    encoded = layers.encoded[:size]
    _copy(layers.sums[suit, :size], encoded)
    _add_product(change, encoder.change, encoded, layers)
    _rectify(encoded, encoded)
    _subtract(layers.codes[suit], layers.hidden)
    _add_product(encoded, encoder.onward_changed, layers.hidden, layers)


@jit_inline
def _finish(network: Network, layers: _Layers, values: NDArray[Any]) -> None:
    """Compute what comes after `hidden`."""
    _rectify(layers.hidden, layers.hidden)
    _copy(network.last_bias, layers.last)
    _add_product(layers.hidden, network.last, layers.last, layers)
    _rectify(layers.last, layers.last)
    _clear(values)
    for j in range(layers.last.size):
        for k in range(NUM_VALUES):
            values[k] += layers.last[j] * network.value[j, k]


@jit
def _add_product(row: NDArray[Any], weights: NDArray[Any], out: NDArray[Any], layers: _Layers) -> None:
    """Add ``row @ weights``, eight inputs that are not zero at a time."""
    indices, amounts = layers.indices, layers.amounts
    size = 0
    for index in range(row.size):
        indices[size], amounts[size] = index, row[index]
        size += int(row[index] != 0)
    for index in range(size, size + _AT_ONCE):
        indices[index], amounts[index] = 0, 0
    p, x = indices, amounts
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


def best_candidates(values: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
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
