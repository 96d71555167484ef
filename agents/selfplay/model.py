"""The network in torch, while it learns: rows of weights, and what they have in common.

A row such as "a pair of kings of a suit in which two are void" is rare. While it is learned, its weights are the sum of
its own and of those of the numbers that it is made of, which it shares with other rows. In the file that players read,
each row is that sum, in integers.
"""

from math import prod
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.values.sparse_inputs import parts_of, sums
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS, NUM_ROWS, SHAPES
from shengji_env.players.networks.selfplay.selfplay_network import SCALE, UNITS_PER_LEVEL, WIDTH, SelfplayNetwork

Indices = NDArray[np.int64]
_MOST = 2**15 - 1
"""The largest integer of a row."""
_ROW_SCALE, _OUTPUT_SCALE = 0.05, 0.05
"""Standard deviations of random weights: of what rows have in common, and of the output rows."""


class Batch(NamedTuple):
    """D decisions with C choices, as the network reads them."""

    num_common: NDArray[np.int64]
    """(D,) rows in common of each decision."""
    common: NDArray[np.int16]
    """These rows, of one decision after another."""
    num_rows: NDArray[np.int64]
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


def make_factors(reads_rules: bool) -> NDArray[np.int64]:
    """Return which numbers each row is made of, (R, F): from 1 on; 0 stands for none. Rows of rules come last."""
    most = max(len(shape) for _, shape in SHAPES)
    found, first = [], 1
    for _, shape in SHAPES if reads_rules else SHAPES[:-NUM_GROUPS]:
        numbers = np.zeros((prod(shape), most), np.int64)
        if len(shape) > 1:
            for axis, index in enumerate(np.unravel_index(np.arange(prod(shape)), shape)):
                numbers[:, axis] = first + index
                first += shape[axis]
        found.append(numbers)
    return np.concatenate(found)


class SelfplayModel(nn.Module):
    """The network; with random weights at first.

    Args:
        generator: of these.
        reads_rules: whether it learns rows of the rules; otherwise they stay 0.
    """

    def __init__(self, generator: torch.Generator, reads_rules: bool = True) -> None:
        super().__init__()
        self.factors_of = make_factors(reads_rules)
        self.rows = nn.Parameter(torch.zeros(len(self.factors_of), WIDTH))
        num_factors = int(self.factors_of.max()) + 1
        self.factors = nn.Parameter(torch.randn(num_factors, WIDTH, generator=generator) * _ROW_SCALE)
        self.outputs = nn.Parameter(torch.randn(NUM_GROUPS, WIDTH, generator=generator) * _OUTPUT_SCALE)

    def forward(self, batch: Batch) -> Tensor:
        """Return the values of choices, (C,), in levels; their means mean nothing."""
        common, of_choices = sums_of_rows(batch, self.factors_of, self.rows, self.factors)
        outputs = (of_choices + common[batch.owners]).relu() @ self.outputs.t()
        return outputs.gather(1, batch.groups[batch.owners, None])[:, 0] / UNITS_PER_LEVEL

    @torch.no_grad()
    def network(self) -> SelfplayNetwork:
        """Return the weights as integers."""
        outputs = torch.cat([self.outputs, torch.zeros(1, WIDTH)])
        learned = whole_rows(np.arange(len(self.rows)), self.factors_of, self.rows, self.factors)
        rows = torch.cat([learned, torch.zeros(NUM_ROWS - len(learned), WIDTH)])
        return SelfplayNetwork(_integers(rows), _integers(outputs))


def sums_of_rows(batch: Batch, factors_of: Indices, rows: Tensor, factors: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sums of rows in common, (D, width), and of choices, (C, width)."""
    listed, is_read = np.concatenate([batch.common, batch.rows]), np.zeros(len(rows), np.bool_)
    is_read[listed] = True
    whole = whole_rows(np.flatnonzero(is_read), factors_of, rows, factors)
    numbers = np.concatenate([batch.num_common, batch.num_rows])
    both = sums(parts_of(numbers, (is_read.cumsum() - 1)[listed]), whole)
    common, of_choices = torch.split(both, [len(batch.num_common), len(batch.num_rows)])
    return common, of_choices


def whole_rows(chosen: Indices, factors_of: Indices, rows: Tensor, factors: Tensor) -> Tensor:
    """Return rows with what they have in common with others, (R, width); ``chosen``: (R,) which."""
    numbers = factors_of[chosen]
    shared = sums(parts_of((numbers > 0).sum(1), numbers[numbers > 0]), factors)
    return nn.functional.embedding(torch.from_numpy(chosen), rows, sparse=True) + shared


def _integers(weights: Tensor) -> NDArray[np.int16]:
    scaled = np.rint(weights.numpy().ravel().astype(np.float64) * SCALE)
    return np.clip(scaled, -_MOST, _MOST).astype(np.int16)


def centred(values: Tensor, owners: Tensor, size: int) -> Tensor:
    """Return values of choices, (C, ...), minus their mean in each of `size` decisions."""
    nothing = values.new_zeros(size, *values.shape[1:])
    sums, numbers = nothing.index_add(0, owners, values), nothing.index_add(0, owners, torch.ones_like(values))
    return values - (sums / numbers)[owners]
