"""The network in torch, while it learns: rows of weights, and what they have in common.

A row such as "a pair of kings of a suit in which two are void" is rare. While it is learned, its weights are the sum of
its own and of those of the numbers that it is made of, which it shares with other rows. In the file that players read,
each row is that sum, in integers.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.sparse_inputs import parts_of, sums
from shengji_env.engine.slots import NUM_EFFECTIVE_SUITS, TRUMP
from shengji_env.players.networks.selfplay.integer_rows import WEIGHT_BITS
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS, Shape, inputs_of
from shengji_env.players.networks.selfplay.selfplay_network import (
    DEFAULT_SHAPE,
    NUM_SUIT_KINDS,
    SCALE,
    UNITS_PER_LEVEL,
    NetworkShape,
    SelfplayNetwork,
    network_of_parts,
    shapes_of,
)
from shengji_env.players.networks.selfplay.suit_rows import SUIT_SHAPES

Indices = NDArray[np.int64]
_MOST = 2**15 - 1
"""The largest integer of a row."""
_ROW_SCALE, _OUTPUT_SCALE = 0.05, 0.05
"""Standard deviations of random weights: of what rows have in common, and of the output rows."""


class SuitBatch(NamedTuple):
    """What an encoder of suits reads of D decisions with C choices, which take cards from T suits in all."""

    num_rows: Indices
    """(5 · D,) rows of each suit."""
    rows: NDArray[np.int16]
    """These rows, of one suit after another."""
    num_changes: Indices
    """(T,) rows of what is taken from each."""
    changes: NDArray[np.int16]
    """These rows."""
    changed: Tensor
    """(T,) which of the 5 · D suits they are taken from."""
    owners: Tensor
    """(T,) by which choice."""


class Batch(NamedTuple):
    """D decisions with C choices, as the network reads them."""

    num_common: Indices
    """(D,) rows in common of each decision."""
    common: NDArray[np.int16]
    """These rows, of one decision after another."""
    num_rows: Indices
    """(C,) rows of each choice."""
    rows: NDArray[np.int16]
    """These rows."""
    owners: Tensor
    """(C,) the decision of each choice."""
    groups: Tensor
    """(D,) kinds of decisions."""
    targets: Tensor
    """(C,) labels in levels, centred within the decision."""
    weights: Tensor
    """(D,) weights of errors."""
    suits: SuitBatch | None = None


def make_factors(shapes: Sequence[tuple[str, Shape]]) -> NDArray[np.int64]:
    """Return which numbers each row of some inputs is made of, (R, F): from 1 on; 0 stands for none."""
    most = max(len(shape) for _, shape in shapes)
    found, first = [], 1
    for _, shape in shapes:
        numbers = np.zeros((prod(shape), most), np.int64)
        if len(shape) > 1:
            for axis, index in enumerate(np.unravel_index(np.arange(prod(shape)), shape)):
                numbers[:, axis] = first + index
                first += shape[axis]
        found.append(numbers)
    return np.concatenate(found)


class SumsOfRows(nn.Module):
    """A table of rows, each the sum of its own weights and of those of its numbers.

    Args:
        shapes: the inputs, in the order of their rows.
        width: of the rows.
        generator: of random weights.
    """

    def __init__(self, shapes: Sequence[tuple[str, Shape]], width: int, generator: torch.Generator) -> None:
        super().__init__()
        self.factors_of = make_factors(shapes)
        self.rows = nn.Parameter(torch.zeros(len(self.factors_of), width))
        num_factors = int(self.factors_of.max()) + 1
        self.factors = nn.Parameter(torch.randn(num_factors, width, generator=generator) * _ROW_SCALE)

    def whole_rows(self, chosen: Indices) -> Tensor:
        """Return rows with what they have in common with others, (R, width); ``chosen``: (R,) which."""
        numbers = self.factors_of[chosen]
        shared = sums(parts_of((numbers > 0).sum(1), numbers[numbers > 0]), self.factors)
        return nn.functional.embedding(torch.from_numpy(chosen), self.rows, sparse=True) + shared

    def sums_of(self, *lists: tuple[Indices, NDArray[np.int16]]) -> Sequence[Tensor]:
        """Return the sums of some rows after others, (L, width) of each pair of numbers, (L,), and rows."""
        numbers, listed = (np.concatenate(parts) for parts in zip(*lists, strict=True))
        is_read = np.zeros(len(self.rows), np.bool_)
        is_read[listed] = True
        made = sums(parts_of(numbers, (is_read.cumsum() - 1)[listed]), self.whole_rows(np.flatnonzero(is_read)))
        parts: Sequence[Tensor] = torch.split(made, [len(number) for number, _ in lists])
        return parts


class SelfplayModel(SumsOfRows):
    """The network; with random weights at first.

    Args:
        generator: of these.
        reads_rules: whether it learns rows of the rules; otherwise they stay 0.
        shape: its widths.
    """

    def __init__(
        self, generator: torch.Generator, reads_rules: bool = True, shape: NetworkShape = DEFAULT_SHAPE
    ) -> None:
        self.shape, (units, suit, last, chances) = shape, shape
        super().__init__(inputs_of(chances, reads_rules), units, generator)
        self.outputs = nn.Parameter(torch.randn(NUM_GROUPS, units, generator=generator) * _OUTPUT_SCALE)
        if suit:
            self.suits = SumsOfRows(SUIT_SHAPES, suit, generator)
            self.codes = nn.Parameter(torch.zeros(NUM_SUIT_KINDS, suit, units))
        if last:
            second = torch.randn(NUM_GROUPS, units + 1, last, generator=generator) * (2 / units) ** 0.5
            second[:, -1] = 0
            self.second = nn.Parameter(second)
            self.second_outputs = nn.Parameter(torch.zeros(NUM_GROUPS, last))

    def forward(self, batch: Batch) -> Tensor:
        """Return the values of choices, (C,), in levels; their means mean nothing."""
        common, hidden = self.sums_of((batch.num_common, batch.common), (batch.num_rows, batch.rows))
        if batch.suits is not None and self.shape.suit:
            standing, changes = self._codes(batch.suits, len(hidden))
            common, hidden = common + standing, hidden + changes
        hidden, groups = (hidden + common[batch.owners]).relu(), batch.groups[batch.owners]
        values = (hidden @ self.outputs.t()).gather(1, groups[:, None])[:, 0]
        if self.shape.last:
            values = values + self._of_last(hidden, groups)
        return values / UNITS_PER_LEVEL

    def _codes(self, suits: SuitBatch, choices: int) -> tuple[Tensor, Tensor]:
        """Return what suits bring to the units of decisions, as they stand, and what choices change of it."""
        standing, taken = self.suits.sums_of((suits.num_rows, suits.rows), (suits.num_changes, suits.changes))
        before = standing.relu()
        differences = (standing[suits.changed] + taken).relu() - before[suits.changed]
        by_suit = before.view(-1, NUM_EFFECTIVE_SUITS, self.shape.suit)
        is_trump = suits.changed % NUM_EFFECTIVE_SUITS == TRUMP
        of_decisions = by_suit[:, :TRUMP].sum(1) @ self.codes[0] + by_suit[:, TRUMP] @ self.codes[1]
        nothing = differences.new_zeros(choices, self.shape.suit)
        of_choices = [
            nothing.index_add(0, suits.owners[of], differences[of]) @ self.codes[kind]
            for kind, of in enumerate((~is_trump, is_trump))
        ]
        return of_decisions, of_choices[0] + of_choices[1]

    def _of_last(self, hidden: Tensor, groups: Tensor) -> Tensor:
        """Return what the second layer adds to values, (C,)."""
        values = hidden.new_zeros(len(hidden))
        for group in range(NUM_GROUPS):
            rows = (groups == group).nonzero()[:, 0]
            last = torch.addmm(self.second[group, -1], hidden[rows], self.second[group, :-1]).relu()
            values = values.index_add(0, rows, last @ self.second_outputs[group])
        return values

    @torch.no_grad()
    def start_as(self, network: SelfplayNetwork) -> None:
        """Take the weights of a network of the same shape; what numbers have in common is in their rows."""
        scales = {"codes": 1 << WEIGHT_BITS, "second": 1 << WEIGHT_BITS}
        weights: dict[str, nn.Parameter] = dict(self.named_parameters())
        for name, part in network.parts.items():
            weight = self.suits.rows if name == "suit_rows" else weights[name]
            values = part[: weight.numel()].astype(np.float32) / scales.get(name, SCALE)
            weight.copy_(torch.from_numpy(values).view_as(weight))
        for table in (self, self.suits) if self.shape.suit else (self,):
            table.factors.zero_()

    @torch.no_grad()
    def network(self) -> SelfplayNetwork:
        """Return the weights as integers; those that products multiply are cut off at 2."""
        units = self.shape.units
        learned = self.whole_rows(np.arange(len(self.rows)))
        parts = {
            "rows": _integers(
                torch.cat([learned, torch.zeros(shapes_of(self.shape)["rows"][0] - len(learned), units)])
            ),
            "outputs": _integers(_with_none(self.outputs)),
        }
        if self.shape.suit:
            parts["codes"] = _integers(self.codes, 1 << WEIGHT_BITS)
            parts["suit_rows"] = _integers(self.suits.whole_rows(np.arange(len(self.suits.rows))))
        if self.shape.last:
            parts["second"] = _integers(self.second, 1 << WEIGHT_BITS)
            parts["second_outputs"] = _integers(_with_none(self.second_outputs))
        return network_of_parts(self.shape, parts)


def _with_none(outputs: Tensor) -> Tensor:
    """Return output rows, and one of zeros."""
    return torch.cat([outputs, torch.zeros_like(outputs[:1])])


def _integers(weights: Tensor, scale: int = SCALE) -> NDArray[np.int16]:
    scaled = np.rint(weights.numpy().ravel().astype(np.float64) * scale)
    return np.clip(scaled, -_MOST, _MOST).astype(np.int16)


def centred(values: Tensor, owners: Tensor, size: int) -> Tensor:
    """Return values of choices, (C, ...), minus their mean in each of `size` decisions."""
    nothing = values.new_zeros(size, *values.shape[1:])
    sums, numbers = nothing.index_add(0, owners, values), nothing.index_add(0, owners, torch.ones_like(values))
    return values - (sums / numbers)[owners]
