"""The network: what each choice of a decision is worth, in sums of rows of integers.

A choice's hidden units are the rows that it has in common with the decision's other choices, plus its own, plus what
the encoder makes of the suits as the choice leaves them; its value is their product, negative ones as 0, with the
output row of its kind of decision, plus that of a second layer. Encoder and second layer are optional. Values mean
something only relative to those of the decision's other choices.

| part | reads | makes |
|---|---|---|
| `rows` | rows in common, and of a choice | `units` sums |
| `suit_rows` | rows of a suit, and of what a choice takes from it (`suit_rows`) | `suit` sums of each suit |
| `codes` | these of all suits, negative ones as 0; of plain suits and of trumps | a part of the `units` sums |
| `outputs` | the `units` sums, negative ones as 0 | a value |
| `second`, `second_outputs` | the same, in each kind of decision | `last` units; a part of the value |

A suit is summed once a decision. A choice changes the sums of the suits that it takes cards from, and the products that
follow of what has changed are added to those of the decision: exactly what they would be if made anew.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.compile import jit
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP
from shengji_env.players.networks.network_file import MAX_LAYER
from shengji_env.players.networks.selfplay.decision import DecisionRecord
from shengji_env.players.networks.selfplay.integer_rows import (
    FACTOR_BITS,
    LANES,
    add_products,
    exchange,
    product,
    sum_rows,
)
from shengji_env.players.networks.selfplay.selfplay_inputs import (
    ACTION_GROUP,
    ALL_CHANCE_ROWS,
    NUM_GROUPS,
    NUM_ROWS,
    rule_rows,
)
from shengji_env.players.networks.selfplay.suit_rows import NUM_SUIT_ROWS

SCALE = 256
"""What the integers of weights count as 1."""
UNITS_PER_LEVEL = 8
"""Values of 1 in a level."""
LEVEL = SCALE * SCALE * UNITS_PER_LEVEL
"""What the integers of values count as a level."""
NO_OUTPUT = NUM_GROUPS
"""The output row of zeros."""
NUM_SUIT_KINDS = 2
"""Kinds of suits: plain suits, trumps."""


class NetworkShape(NamedTuple):
    """How wide a network's layers are, multiples of LANES, 0: there is none; and what it reads."""

    units: int = 128
    """Hidden units of each choice."""
    suit: int = 0
    """Units of the encoder of suits."""
    last: int = 0
    """Units of the second layer."""
    chances: int = 0
    """1: it reads chances (`chance_rows`)."""


DEFAULT_SHAPE = NetworkShape()
SHAPE_RULE = f"units, suit, last: multiples of {LANES} from 0 to {MAX_LAYER}, units above 0; chances: 0 or 1"


def is_shape(shape: NetworkShape) -> bool:
    """Return whether a network can have such a shape."""
    *widths, chances = shape
    if not all(type(number) is int for number in shape):
        return False
    return shape.units > 0 and all(width in range(0, MAX_LAYER + 1, LANES) for width in widths) and chances in (0, 1)


def shapes_of(shape: NetworkShape) -> dict[str, tuple[int, int]]:
    """Return rows and width of each part of a network's weights, in their order."""
    units, suit, last, chances = shape
    return {
        "rows": (NUM_ROWS + chances * ALL_CHANCE_ROWS, units),
        "outputs": (NUM_GROUPS + 1, units),
        "codes": (NUM_SUIT_KINDS * suit, units),
        "suit_rows": (NUM_SUIT_ROWS if suit else 0, suit),
        "second": (NUM_GROUPS * (units + 1) if last else 0, last),
        "second_outputs": (NUM_GROUPS + 1 if last else 0, last),
    }


class SelfplayNetwork(NamedTuple):
    """A network, of few arrays, since compiled code passes them on again and again."""

    weights: NDArray[np.int16]
    """All weights, part after part as in `shapes_of`, each flat as in `integer_rows`."""
    widths: NDArray[np.int64]
    """(4,) its `NetworkShape`."""

    @property
    def shape(self) -> NetworkShape:
        """How wide its layers are."""
        return NetworkShape(*self.widths.tolist())

    @property
    def parts(self) -> dict[str, NDArray[np.int16]]:
        """Views of its parts, flat, without those that are empty."""
        shapes = shapes_of(self.shape)
        ends = np.cumsum([rows * width for rows, width in shapes.values()])
        parts = zip(shapes, np.split(self.weights, ends[:-1]), strict=True)
        return {name: part for name, part in parts if part.size}


def network_of_parts(shape: NetworkShape, parts: Mapping[str, NDArray[np.int16]]) -> SelfplayNetwork:
    """Return the network of some parts, those of `SelfplayNetwork.parts`."""
    weights = np.concatenate([parts[name].ravel() for name in shapes_of(shape) if name in parts])
    return SelfplayNetwork(weights, np.array(shape))


def blank_network(shape: NetworkShape = DEFAULT_SHAPE) -> SelfplayNetwork:
    """Return a network that values all choices alike."""
    size = sum(rows * width for rows, width in shapes_of(shape).values())
    return SelfplayNetwork(np.zeros(size, np.int16), np.array(shape))


_WHOLE, _RULES = range(2)
_WITH = _RULES + NUM_GROUPS
_NUM_SUMS = _WITH + NUM_EFFECTIVE_SUITS + 1
"""Sums of hidden units: what choices have in common, a choice, the rules in each kind of decision; from _WITH on what
is in common with what the first suits bring, none of them, one, and so on."""
_AFTER, _NO_SUIT, _NUM_SUITS = range(NUM_EFFECTIVE_SUITS, NUM_EFFECTIVE_SUITS + 3)
"""Sums of suits: each as it stands, one as a choice leaves it, nothing."""
_LAST = NUM_GROUPS
"""Sums of the second layer: what it begins with in each kind of decision, and those of a choice."""


def make_sums(network: SelfplayNetwork, rules: RuleSet | None) -> NDArray[np.int16]:
    """Make a network's memory, with sums of the rules; None: of no rules.

    It is _NUM_SUMS rows of hidden units, _NUM_SUITS rows of a suit, _LAST + 1 rows of the second layer.
    """
    units, suit, last, chances = network.shape
    sums = np.zeros(_NUM_SUMS * units + _NUM_SUITS * suit + (_LAST + 1) * last, np.int16)
    if rules is not None:
        table = network.parts["rows"].reshape(-1, units)
        sums[_RULES * units : _WITH * units] = table[rule_rows(rules, chances)].sum(axis=1, dtype=np.int16).ravel()
    if last:
        biases = network.parts["second"].reshape(NUM_GROUPS, units + 1, last)[:, units].astype(np.int32)
        sums[-(_LAST + 1) * last : -last] = ((biases * (SCALE << FACTOR_BITS)) >> 16).ravel()
    return sums


@jit
def value_all(d: DecisionRecord, network: SelfplayNetwork, sums: NDArray[np.int16]) -> int:
    """Value the choices of a decision, whose rows have been listed; return which one is worth most, the first if equal.

    Compiled code counts whenever it takes an array from a tuple, so this is done once a decision.
    """
    weights, units, last = network.weights, network.widths[0], network.widths[2]
    outputs = NUM_ROWS + network.widths[3] * ALL_CHANCE_ROWS
    has_suits, common, best = network.widths[1] > 0 and d.group != ACTION_GROUP, _WITH, 0
    sum_rows(sums, _WITH, _RULES + d.group, weights, d.common, d.num_common, units)
    if has_suits:
        _encode_suits(d, network, sums, outputs + NUM_GROUPS + 1)
        common += NUM_EFFECTIVE_SUITS
    for index in range(d.number):
        sum_rows(sums, _WHOLE, common, weights, d.rows[index], d.num_rows[index], units)
        if has_suits:
            _encode_changes(d, network, sums, index, outputs + NUM_GROUPS + 1)
        value = product(sums, _WHOLE, weights, outputs + d.group, outputs + NO_OUTPUT, units)
        if last:
            value += _value_of_last(d, network, sums, outputs + NUM_GROUPS + 1)
        d.values[index] = value
        if value > d.values[best]:
            best = index
    return best


@jit
def _encode_suits(d: DecisionRecord, network: SelfplayNetwork, sums: NDArray[np.int16], codes: int) -> None:
    """Add what suits as they stand bring to the hidden units, one after another, by rows from `codes` on."""
    units, suit, weights = network.widths[0], network.widths[1], network.weights
    suits, suit_rows = sums[_NUM_SUMS * units :], weights[(codes + NUM_SUIT_KINDS * suit) * units :]
    for index in range(NUM_EFFECTIVE_SUITS):
        sum_rows(suits, index, _NO_SUIT, suit_rows, d.suit_rows[index], d.num_suit_rows[index], suit)
        first = codes + index // TRUMP * suit
        add_products(sums, _WITH + index + 1, _WITH + index, weights, first, suits, index, suit, units)


@jit
def _encode_changes(
    d: DecisionRecord, network: SelfplayNetwork, sums: NDArray[np.int16], index: int, codes: int
) -> None:
    """Replace what suits bring to a choice's hidden units, where it takes cards from them."""
    units, suit, weights = network.widths[0], network.widths[1], network.weights
    suits, suit_rows = sums[_NUM_SUMS * units :], weights[(codes + NUM_SUIT_KINDS * suit) * units :]
    for changed in range(NUM_EFFECTIVE_SUITS):
        rows = d.num_change_rows[index, changed]
        if rows:
            sum_rows(suits, _AFTER, changed, suit_rows, d.change_rows[index, changed], rows, suit)
            first = codes + changed // TRUMP * suit
            add_products(sums, _WHOLE, _WHOLE, weights, first, suits, _AFTER, suit, units)
            exchange(sums, _WHOLE, _WITH + changed, _WITH + changed + 1, units)


@jit
def _value_of_last(d: DecisionRecord, network: SelfplayNetwork, sums: NDArray[np.int16], codes: int) -> int:
    """Return what the second layer makes of a choice's hidden units."""
    units, suit, last, _ = network.widths
    lasts = sums[_NUM_SUMS * units + _NUM_SUITS * suit :]
    second = network.weights[(codes + NUM_SUIT_KINDS * suit) * units + NUM_SUIT_ROWS * suit :]
    outputs = NUM_GROUPS * (units + 1)
    add_products(lasts, _LAST, d.group, second, d.group * (units + 1), sums, _WHOLE, units, last)
    return int(product(lasts, _LAST, second, outputs + d.group, outputs + NO_OUTPUT, last))
