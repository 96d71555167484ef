"""The forms: what each reads of a decision, and how it makes values of it.

| form | reads | layers |
|---|---|---|
| `selfplay` | the rows of `players.networks.selfplay` | 128 sums of rows |
| `joint…` | the same, and its rows of suits | encodings of suits go into the sums; a second layer |
| `suits…` | observation and features by suit (`champion.inputs`) | an encoder of plain suits, one of trumps, two more |
| `both…` | both | the sum of both values |
| `champion` | as `suits`, and the heuristic player's estimates | the champion's own widths |
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from agents.selfplay.model import SelfplayModel
from agents.values.value_network import ValueNetwork
from research.forms.reading import CHANCES, ESTIMATES, AnyForm, FormInputs
from shengji_env.players.networks.champion.compiled_network import Network, network_of
from shengji_env.players.networks.champion.inputs import Inputs
from shengji_env.players.networks.selfplay.selfplay_network import DEFAULT_SHAPE, NetworkShape, SelfplayNetwork

Widths = tuple[int, int, int, int]


class RowsForm(AnyForm):
    """Self-play's network.

    Args:
        shape: its widths.
    """

    def __init__(self, shape: NetworkShape = DEFAULT_SHAPE) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(torch.initial_seed())
        self.model = SelfplayModel(generator, reads_rules=False, shape=shape)

    def forward(self, reading: FormInputs) -> Tensor:
        """Return the values of choices."""
        values: Tensor = self.model(reading.batch_of(self.model.shape))
        return values

    def compiled(self) -> SelfplayNetwork:
        """Return itself."""
        return self.model.network()


class SuitsForm(AnyForm):
    """The champion's network, in other widths: each suit is encoded as it is and as a choice leaves it.

    Args:
        widths: of the layers suit, trump, hidden, last.
        estimates: which of `reading.ESTIMATES` it reads.
    """

    def __init__(self, widths: Widths, estimates: Sequence[str] = ()) -> None:
        super().__init__()
        self.network, self._estimates = ValueNetwork(widths), estimates

    def encoders(self, reading: FormInputs) -> tuple[Network, Inputs]:
        """Return itself."""
        return network_of(self.network.export()), self._inputs(reading)

    def _inputs(self, reading: FormInputs) -> Inputs:
        return reading.inputs(self._estimates)

    def forward(self, reading: FormInputs) -> Tensor:
        """Return the values of choices."""
        values: Tensor = self.network(self._inputs(reading))
        return values.mean(1)

    def calibrate(self, reading: FormInputs) -> None:
        """Scale its inputs by some decisions."""
        self.network.calibrate(self._inputs(reading))


class BothForm(AnyForm):
    """Rows and suits, each with their part of the value."""

    def __init__(self, widths: Widths, estimates: Sequence[str] = ()) -> None:
        super().__init__()
        self.rows, self.suits = RowsForm(), SuitsForm(widths, estimates)

    def forward(self, reading: FormInputs) -> Tensor:
        """Return the values of choices."""
        values: Tensor = self.rows(reading) + self.suits(reading)
        return values

    def calibrate(self, reading: FormInputs) -> None:
        """Scale the inputs of suits by some decisions."""
        self.suits.calibrate(reading)

    def compiled(self) -> SelfplayNetwork:
        """Return its rows."""
        return self.rows.compiled()

    def encoders(self, reading: FormInputs) -> tuple[Network, Inputs]:
        """Return its suits."""
        return self.suits.encoders(reading)


class Form(NamedTuple):
    """A form, and how it is fitted."""

    make: Callable[[], AnyForm]
    """Makes it; torch's seed decides about its weights."""
    learning_rate: float
    """Adam's step size at first."""
    minibatch: int = 1024
    """Decisions of a step."""


FORMS: dict[str, Form] = {
    "selfplay": Form(RowsForm, 4e-3),
    "suits-32": Form(lambda: SuitsForm((32, 48, 64, 32)), 2e-3, 512),
    "suits-64": Form(lambda: SuitsForm((64, 80, 128, 32)), 2e-3, 512),
    "suits-96": Form(lambda: SuitsForm((96, 128, 256, 64)), 1.5e-3, 512),
    "both-32": Form(lambda: BothForm((32, 48, 64, 32)), 2e-3, 512),
    "both-64": Form(lambda: BothForm((64, 80, 128, 32)), 2e-3, 512),
    "joint-32": Form(lambda: RowsForm(NetworkShape(128, 32, 32)), 4e-3, 512),
    "joint-64": Form(lambda: RowsForm(NetworkShape(128, 64, 32)), 4e-3, 512),
    "joint-64-256": Form(lambda: RowsForm(NetworkShape(256, 64, 64)), 3e-3, 512),
    "joint-32-chances": Form(lambda: RowsForm(NetworkShape(128, 32, 32, 1)), 4e-3, 512),
    "joint-64-chances": Form(lambda: RowsForm(NetworkShape(128, 64, 32, 1)), 4e-3, 512),
    "both-64-chances": Form(lambda: BothForm((64, 80, 128, 32), CHANCES), 2e-3, 512),
    "both-64-estimates": Form(lambda: BothForm((64, 80, 128, 32), ESTIMATES), 2e-3, 512),
    "suits-192": Form(lambda: SuitsForm((192, 224, 512, 224)), 1e-3, 512),
    "champion": Form(lambda: SuitsForm((192, 224, 512, 224), ESTIMATES), 1e-3, 512),
}
"""By name."""
