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

from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS, NUM_ROWS, SHAPES
from shengji_env.players.networks.selfplay.selfplay_network import SCALE, UNITS_PER_LEVEL, WIDTH, SelfplayNetwork

_MOST = 2**15 - 1
"""The largest integer of a row."""
_ROW_SCALE, _OUTPUT_SCALE = 0.05, 0.05
"""Standard deviations of random weights: of what rows have in common, and of the output rows."""


class Batch(NamedTuple):
    """D decisions with C choices, as the network reads them."""

    common: Tensor
    """Rows in common, of one decision after another, int64."""
    first_common: Tensor
    """(D,) where those of each decision begin."""
    rows: Tensor
    """Rows of choices, of one choice after another, int64."""
    first_rows: Tensor
    """(C,) where those of each choice begin."""
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

    factors_of: Tensor

    def __init__(self, generator: torch.Generator, reads_rules: bool = True) -> None:
        super().__init__()
        factors_of = torch.from_numpy(make_factors(reads_rules))
        self.register_buffer("factors_of", factors_of, persistent=False)
        self.rows = nn.Parameter(torch.zeros(len(factors_of), WIDTH))
        num_factors = int(factors_of.max()) + 1
        self.factors = nn.Parameter(torch.randn(num_factors, WIDTH, generator=generator) * _ROW_SCALE)
        self.outputs = nn.Parameter(torch.randn(NUM_GROUPS, WIDTH, generator=generator) * _OUTPUT_SCALE)

    def whole_rows(self, chosen: Tensor) -> Tensor:
        """Return rows with what they have in common with others, (R, WIDTH); ``chosen``: (R,) which."""
        common = nn.functional.embedding_bag(self.factors_of[chosen], self.factors, mode="sum", padding_idx=0)
        return nn.functional.embedding(chosen, self.rows) + common

    def forward(self, batch: Batch) -> Tensor:
        """Return the values of choices, (C,), in levels; their means mean nothing."""
        listed = torch.cat([batch.common, batch.rows])
        places = torch.zeros(len(self.rows), dtype=torch.int64).index_fill(0, listed, 1)
        read = places.nonzero()[:, 0]
        places[read] = torch.arange(len(read))
        first = torch.cat([batch.first_common, batch.first_rows + len(batch.common)])
        sums = nn.functional.embedding_bag(places[listed], self.whole_rows(read), first, mode="sum")
        common, of_choices = sums[: len(batch.groups)], sums[len(batch.groups) :]
        hidden = (of_choices + common[batch.owners]).relu()
        outputs = self.outputs[batch.groups][batch.owners]
        return (hidden * outputs).sum(1) / UNITS_PER_LEVEL

    @torch.no_grad()
    def network(self) -> SelfplayNetwork:
        """Return the weights as integers."""
        outputs = torch.cat([self.outputs, torch.zeros(1, WIDTH)])
        learned = self.whole_rows(torch.arange(len(self.rows)))
        rows = torch.cat([learned, torch.zeros(NUM_ROWS - len(learned), WIDTH)])
        return SelfplayNetwork(_integers(rows), _integers(outputs))


def _integers(weights: Tensor) -> NDArray[np.int16]:
    scaled = np.rint(weights.numpy().ravel().astype(np.float64) * SCALE)
    return np.clip(scaled, -_MOST, _MOST).astype(np.int16)


def centred(values: Tensor, owners: Tensor, size: int) -> Tensor:
    """Return values of choices, (C, ...), minus their mean in each of `size` decisions."""
    nothing = values.new_zeros(size, *values.shape[1:])
    sums, numbers = nothing.index_add(0, owners, values), nothing.index_add(0, owners, torch.ones_like(values))
    return values - (sums / numbers)[owners]
