"""The distilled network in torch, and its weights as integers."""

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from research.distilling.factors import make_factors
from research.distilling.steps import UNKNOWN, Steps
from shengji_env.players.networks.distilled.distilled_network import WIDTH, DistilledNetwork
from shengji_env.players.networks.distilled.distilled_rows import NUM_OUTPUTS, NUM_ROWS

SCALE = 256
"""What a weight of 1 is as an integer, in both layers."""
ILLEGAL = -1e9
"""The value of a choice that there is not."""
_LARGEST = 2**15 - 1


class StepBatch(NamedTuple):
    """B steps with U suits, R rows and K choices in all, at most C choices each."""

    rows: Tensor
    """(R,) rows of the first layer."""
    first_rows: Tensor
    """(U,) where each suit's begin."""
    suits: Tensor
    """(K,) the suit of each choice, as an index of all."""
    outputs: Tensor
    """(K, 2) its rows of the second layer."""
    is_legal: Tensor
    """(B, C) whether there is such a choice; those that there are, row by row, are the K."""
    values: Tensor
    """(B, C) its value in levels, or `steps.UNKNOWN`."""
    is_best: Tensor
    """(B, C) whether the champion chooses it."""


class DistilledModel(nn.Module):
    """The network with weights of single precision; rows of the first layer have factors."""

    factors_of: Tensor
    """(NUM_ROWS, F) the factors of each row, 0 for none."""

    def __init__(self) -> None:
        super().__init__()
        factors = make_factors()
        self.rows = nn.Parameter(torch.zeros(NUM_ROWS, WIDTH))
        self.factors = nn.Parameter(torch.randn(int(factors.max()) + 1, WIDTH) * 0.05)
        self.outputs = nn.Parameter(torch.randn(NUM_OUTPUTS, WIDTH) * 0.1)
        self.biases = nn.Parameter(torch.zeros(NUM_OUTPUTS))
        self.register_buffer("factors_of", torch.from_numpy(factors), persistent=False)
        with torch.no_grad():
            self.outputs[-1] = 0

    def first_layer(self) -> Tensor:
        """Return the rows of the first layer, (NUM_ROWS, WIDTH), factors included."""
        shared = nn.functional.embedding_bag(self.factors_of, self.factors, mode="sum", padding_idx=0)
        return self.rows + shared

    def second_layer(self) -> tuple[Tensor, Tensor]:
        """Return rows and biases of the second layer; the last row is zeros."""
        keeps = torch.ones(NUM_OUTPUTS, 1, device=self.outputs.device)
        keeps[-1] = 0
        return self.outputs * keeps, self.biases * keeps[:, 0]

    def forward(self, batch: StepBatch) -> Tensor:
        """Return the values of all choices, (B, C); ILLEGAL where there is none."""
        hidden = nn.functional.embedding_bag(batch.rows, self.first_layer(), batch.first_rows, mode="sum").relu()
        outputs, biases = self.second_layer()
        weights = nn.functional.embedding_bag(batch.outputs, outputs, mode="sum")
        values = (hidden[batch.suits] * weights).sum(1) + biases[batch.outputs].sum(1)
        return values.new_full(batch.is_legal.shape, ILLEGAL).masked_scatter(batch.is_legal, values)

    def as_integers(self) -> DistilledNetwork:
        """Return the network that players use.

        Raises:
            OverflowError: a weight is too large for an integer of 16 bits.
        """
        with torch.no_grad():
            rows, (outputs, biases) = self.first_layer(), self.second_layer()
        return DistilledNetwork(
            _rounded(rows, SCALE).astype(np.int16).ravel(),
            _rounded(outputs, SCALE).astype(np.int16).ravel(),
            _rounded(biases, SCALE * SCALE),
        )


def _rounded(weights: Tensor, scale: int) -> NDArray[np.int64]:
    integers: NDArray[np.int64] = np.rint(weights.cpu().double().numpy() * scale).astype(np.int64)
    if scale == SCALE and np.abs(integers).max() > _LARGEST:
        raise OverflowError(f"a weight is {np.abs(integers).max() / scale:g}; at most {_LARGEST // scale} fits in")
    return integers


class StepBatches:
    """Steps from which batches are taken."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._num_suits, self._num_choices = steps.num_suits.astype(np.int64), steps.num_choices.astype(np.int64)
        self._num_rows = steps.num_rows.astype(np.int64)
        self._first_suits, self._first_choices, self._first_rows = map(
            _starts, (self._num_suits, self._num_choices, self._num_rows)
        )

    def __len__(self) -> int:
        return len(self._num_suits)

    def take(self, chosen: NDArray[np.int64]) -> StepBatch:
        """Return a batch of some steps, by their indices."""
        steps = self._steps
        suits = _ranges(self._first_suits[chosen], self._num_suits[chosen])
        rows = _ranges(self._first_rows[suits], self._num_rows[suits])
        number = self._num_choices[chosen]
        choices = _ranges(self._first_choices[chosen], number)
        is_legal = np.arange(int(number.max(initial=1))) < number[:, None]
        values, is_best = np.full(is_legal.shape, UNKNOWN, np.float32), np.zeros(is_legal.shape, np.bool_)
        values[is_legal], is_best[is_legal] = steps.values[choices], steps.is_best[choices]
        arrays = (
            steps.rows[rows].astype(np.int64),
            _starts(self._num_rows[suits]),
            np.repeat(_starts(self._num_suits[chosen]), number) + steps.suits[choices],
            steps.outputs[choices].astype(np.int64),
            is_legal,
            values,
            is_best,
        )
        return StepBatch(*map(torch.from_numpy, arrays))


def _starts(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where ranges of these lengths begin, one after another."""
    return np.cumsum(numbers) - numbers


def _ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of some ranges, one range after another."""
    return np.arange(int(lengths.sum())) + np.repeat(starts - _starts(lengths), lengths)
