"""The forms: what each reads of a decision, and how it makes values of it.

| form | reads | layers |
|---|---|---|
| `selfplay` | the rows of `players.networks.selfplay` | 128 sums of rows |
| `suits…` | observation and features by suit (`champion.inputs`) | an encoder of plain suits, one of trumps, two more |
| `both…` | both | the sum of both values |
| `champion` | as `suits`, and the heuristic player's estimates | the champion's own widths |
"""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.selfplay.batches import LabelledDecisions, ranges_of, starts_of
from agents.selfplay.model import Batch, SelfplayModel
from agents.values.value_network import ValueNetwork
from shengji_env.datasets.selfplay.label_kernels import LabelArrays
from shengji_env.players.candidates.features import FEATURES, FEATURES_DTYPE, NUM_FEATURES
from shengji_env.players.networks.champion.inputs import Inputs, make_inputs
from shengji_env.tables.observation import OBSERVATION_SIZE

ESTIMATES = "first", "strength", "keep", "value", "gain", "over", "chance"
"""Features that the heuristic player estimates, hidden from forms that learn from nothing."""
_IS_SEEN = np.concatenate([np.full(part.size, part.name not in ESTIMATES, np.int8) for part in FEATURES])
Widths = tuple[int, int, int, int]


class Part:
    """Labelled decisions, about cards, that are read some at a time."""

    def __init__(self, labels: LabelArrays) -> None:
        self.rows = LabelledDecisions.of(labels)
        self.observations = labels.observations.view(np.int8).reshape(-1, OBSERVATION_SIZE)
        self.cards, self.features = labels.cards, labels.features.view(np.int8).reshape(-1, NUM_FEATURES)
        self.first_choice = starts_of(self.rows.num_choices)

    def __len__(self) -> int:
        return len(self.rows)


class Reading:
    """D decisions with C choices, as forms read them.

    Args:
        part: where they are.
        chosen: (D,) which.
    """

    def __init__(self, part: Part, chosen: NDArray[np.int64]) -> None:
        self._part, self._chosen = part, chosen
        self._numbers = part.rows.num_choices[chosen]

    @cached_property
    def batch(self) -> Batch:
        """The rows of self-play, and the labels."""
        return self._part.rows.take(self._chosen)

    @cached_property
    def inputs(self) -> Inputs:
        """What a value network reads, without estimates of the heuristic player."""
        return self._inputs(_IS_SEEN)

    @cached_property
    def inputs_with_estimates(self) -> Inputs:
        """The same with them."""
        return self._inputs(np.ones(NUM_FEATURES, np.int8))

    def _inputs(self, is_seen: NDArray[np.int8]) -> Inputs:
        part, choices = self._part, ranges_of(self._part.first_choice[self._chosen], self._numbers)
        offsets = np.concatenate([[0], np.cumsum(self._numbers)])
        return make_inputs(
            part.observations[self._chosen], offsets, part.cards[choices], part.features[choices] * is_seen
        )


class Rows(nn.Module):
    """Self-play's network: a sum of rows for each choice, and one product."""

    def __init__(self) -> None:
        super().__init__()
        self.model = SelfplayModel(torch.Generator().manual_seed(torch.initial_seed()), reads_rules=False)

    def forward(self, reading: Reading) -> Tensor:
        """Return the values of choices, (C,), in levels; their means mean nothing."""
        values: Tensor = self.model(reading.batch)
        return values

    def calibrate(self, reading: Reading) -> None:
        """Do nothing: rows are there or not."""


class Suits(nn.Module):
    """The champion's network, in other widths: each suit is encoded as it is and as a choice leaves it.

    Args:
        widths: of the layers suit, trump, hidden, last.
        estimates: whether it reads the heuristic player's.
    """

    def __init__(self, widths: Widths, *, estimates: bool = False) -> None:
        super().__init__()
        self.network, self._estimates = ValueNetwork(widths), estimates

    def inputs(self, reading: Reading) -> Inputs:
        """Return what it reads."""
        return reading.inputs_with_estimates if self._estimates else reading.inputs

    def forward(self, reading: Reading) -> Tensor:
        """Return the values of choices, as `Rows.forward`."""
        values: Tensor = self.network(self.inputs(reading))
        return values.mean(1)

    def calibrate(self, reading: Reading) -> None:
        """Scale its inputs by some decisions."""
        self.network.calibrate(self.inputs(reading))


class Both(nn.Module):
    """Rows and suits, each with their part of the value."""

    def __init__(self, widths: Widths) -> None:
        super().__init__()
        self.rows, self.suits = Rows(), Suits(widths)

    def forward(self, reading: Reading) -> Tensor:
        """Return the values of choices, as `Rows.forward`."""
        values: Tensor = self.rows(reading) + self.suits(reading)
        return values

    def calibrate(self, reading: Reading) -> None:
        """Scale the inputs of suits by some decisions."""
        self.suits.calibrate(reading)


AnyForm = Rows | Suits | Both


class Form(NamedTuple):
    """A form, and how it is fitted."""

    make: Callable[[], AnyForm]
    """Makes it; torch's seed decides about its weights."""
    learning_rate: float
    """Adam's step size at first."""
    minibatch: int = 1024
    """Decisions of a step."""


FORMS: dict[str, Form] = {
    "selfplay": Form(Rows, 4e-3),
    "suits-32": Form(lambda: Suits((32, 48, 64, 32)), 2e-3, 512),
    "suits-64": Form(lambda: Suits((64, 80, 128, 32)), 2e-3, 512),
    "suits-96": Form(lambda: Suits((96, 128, 256, 64)), 1.5e-3, 512),
    "both-32": Form(lambda: Both((32, 48, 64, 32)), 2e-3, 512),
    "both-64": Form(lambda: Both((64, 80, 128, 32)), 2e-3, 512),
    "champion": Form(lambda: Suits((192, 224, 512, 224), estimates=True), 1e-3, 512),
}
"""By name."""
assert len(_IS_SEEN) == FEATURES_DTYPE.itemsize
