"""The forms: what each reads of a decision, and how it makes values of it.

| form | reads | layers |
|---|---|---|
| `selfplay` | the rows of `players.networks.selfplay` | 128 sums of rows |
| `suits…` | observation and features by suit (`champion.inputs`) | an encoder of plain suits, one of trumps, two more |
| `both…` | both | the sum of both values |
| `joint…` | both, but for table and features | encodings of suits go into the sums of rows; a second layer |
| `champion` | as `suits`, and the heuristic player's estimates | the champion's own widths |
"""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.scales import scale_of
from agents.selfplay.batches import LabelledDecisions, ranges_of, starts_of
from agents.selfplay.model import Batch, SelfplayModel, make_factors
from agents.values.sparse_inputs import product
from agents.values.value_network import ValueNetwork
from shengji_env.datasets.selfplay.label_kernels import LabelArrays
from shengji_env.players.candidates.features import FEATURES, FEATURES_DTYPE, NUM_FEATURES
from shengji_env.players.networks.champion.inputs import (
    NUM_SUIT_CHANGE,
    NUM_SUIT_INPUTS,
    NUM_TRUMP_CHANGE,
    NUM_TRUMP_INPUTS,
    Inputs,
    make_inputs,
)
from shengji_env.players.networks.selfplay.selfplay_inputs import NUM_GROUPS
from shengji_env.players.networks.selfplay.selfplay_network import UNITS_PER_LEVEL
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


class Joint(nn.Module):
    """Self-play's hidden units read encodings of suits beside their rows; a second layer stands beside their product.

    What has a row of its own, table and features, is read as rows alone.

    Args:
        suit: units of the encoder of plain suits.
        trump: of that of trumps.
        hidden: hidden units.
        last: units of the second layer.
    """

    def __init__(self, suit: int, trump: int, hidden: int, last: int) -> None:
        super().__init__()
        self.widths = suit, trump, hidden, last
        factors_of = torch.from_numpy(make_factors(reads_rules=False))
        self.register_buffer("factors_of", factors_of, persistent=False)
        self.rows = nn.Parameter(torch.zeros(len(factors_of), hidden))
        self.factors = nn.Parameter(torch.randn(int(factors_of.max()) + 1, hidden) * 0.05)
        self.plain = _Encoder(NUM_SUIT_INPUTS, NUM_SUIT_CHANGE, suit, hidden)
        self.trumps = _Encoder(NUM_TRUMP_INPUTS, NUM_TRUMP_CHANGE, trump, hidden)
        self.outputs = nn.Parameter(torch.randn(NUM_GROUPS, hidden) * 0.05)
        self.second = nn.Parameter(torch.randn(NUM_GROUPS, hidden, last) * (2 / hidden) ** 0.5)
        self.second_bias = nn.Parameter(torch.zeros(NUM_GROUPS, last))
        self.second_outputs = nn.Parameter(torch.zeros(NUM_GROUPS, last))

    def forward(self, reading: Reading) -> Tensor:
        """Return the values of choices, as `Rows.forward`."""
        batch, inputs = reading.batch, reading.inputs
        common, own = sums_of_rows(batch, self.factors_of, self.rows, self.factors)
        owners, suit_owners, changed = map(torch.from_numpy, (inputs.owners, inputs.suit_owners, inputs.changed_suits))
        changing, trumps_changing = map(torch.from_numpy, (inputs.suit_change_owners, inputs.trump_change_owners))
        of = owners[trumps_changing]
        suits = self.plain.read(inputs.suits, batch.groups[suit_owners])
        trumps = self.trumps.read(inputs.trumps, batch.groups)
        suit_codes, trump_codes = self.plain.code(suits), self.trumps.code(trumps)
        base = (common + trump_codes).index_add(0, suit_owners, suit_codes)
        suits_after = self.plain.code_after(suits[changed], inputs.suit_changes) - suit_codes[changed]
        trumps_after = self.trumps.code_after(trumps[of], inputs.trump_changes) - trump_codes[of]
        hidden = (own + base[owners]).index_add(0, changing, suits_after).index_add(0, trumps_changing, trumps_after)
        return self._values(hidden.relu(), batch.groups[owners])

    def _values(self, hidden: Tensor, groups: Tensor) -> Tensor:
        values = (hidden * self.outputs[groups]).sum(1)
        for group in range(NUM_GROUPS):
            rows = (groups == group).nonzero()[:, 0]
            if len(rows):
                last = torch.addmm(self.second_bias[group], hidden[rows], self.second[group]).relu()
                values = values.index_add(0, rows, last @ self.second_outputs[group])
        return values / UNITS_PER_LEVEL

    def calibrate(self, reading: Reading) -> None:
        """Scale the inputs of suits by some decisions."""
        self.plain.calibrate(reading.inputs.suits)
        self.trumps.calibrate(reading.inputs.trumps)


class _Encoder(nn.Module):
    """Encodes a suit, as it is and as a choice leaves it."""

    def __init__(self, inputs: int, change: int, width: int, hidden: int) -> None:
        super().__init__()
        self.inputs = nn.Parameter(torch.randn(inputs, width) * 0.2)
        self.bias = nn.Parameter(torch.zeros(NUM_GROUPS, width))
        self.change = nn.Parameter(torch.randn(change, width) * 0.2)
        self.onward = nn.Parameter(torch.zeros(width, hidden))
        self.onward_changed = nn.Parameter(torch.zeros(width, hidden))
        self.register_buffer("scale", torch.ones(inputs))

    scale: Tensor

    def calibrate(self, rows: NDArray[np.int8]) -> None:
        self.scale.copy_(scale_of(torch.from_numpy(rows)))

    def read(self, rows: NDArray[np.int8], groups: Tensor) -> Tensor:
        return product(rows, self.inputs * self.scale[:, None]) + self.bias[groups]

    def code(self, sums: Tensor) -> Tensor:
        return sums.relu() @ self.onward

    def code_after(self, sums: Tensor, changes: NDArray[np.int8]) -> Tensor:
        return torch.addmm(sums, torch.from_numpy(changes).float(), self.change).relu() @ self.onward_changed


def sums_of_rows(batch: Batch, factors_of: Tensor, rows: Tensor, factors: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sums of rows in common, (D, width), and of choices, (C, width), as `SelfplayModel` does."""
    listed = torch.cat([batch.common, batch.rows])
    places = torch.zeros(len(rows), dtype=torch.int64).index_fill(0, listed, 1)
    read = places.nonzero()[:, 0]
    places[read] = torch.arange(len(read))
    shared = nn.functional.embedding_bag(factors_of[read], factors, mode="sum", padding_idx=0)
    first = torch.cat([batch.first_common, batch.first_rows + len(batch.common)])
    whole = nn.functional.embedding(read, rows) + shared
    sums = nn.functional.embedding_bag(places[listed], whole, first, mode="sum")
    return sums[: len(batch.groups)], sums[len(batch.groups) :]


AnyForm = Rows | Suits | Both | Joint


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
    "joint-32": Form(lambda: Joint(32, 48, 128, 32), 4e-3, 512),
    "joint-64": Form(lambda: Joint(64, 80, 128, 32), 4e-3, 512),
    "joint-64-256": Form(lambda: Joint(64, 80, 256, 64), 3e-3, 512),
    "suits-192": Form(lambda: Suits((192, 224, 512, 224)), 1e-3, 512),
    "champion": Form(lambda: Suits((192, 224, 512, 224), estimates=True), 1e-3, 512),
}
"""By name."""
assert len(_IS_SEEN) == FEATURES_DTYPE.itemsize
