"""Forms are fitted to values as they come, and judged by decisions that they have not seen."""

import time
from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.selfplay.model import centred
from agents.selfplay.moving_mean import MovingMean
from research.forms.forms import Form
from research.forms.reading import AnyForm, FormInputs, LabelPart
from shengji_env.players.networks.selfplay.selfplay_inputs import CARD_GROUPS, GROUP_NAMES, NUM_GROUPS
from shengji_env.players.networks.selfplay.selfplay_network import UNITS_PER_LEVEL

_HORIZON = 200.0
"""Steps over which the mean of weights is taken, about."""
_CALIBRATING = 4096
_AT_ONCE = 2048
_LAST = 0.05
"""The last step size, relative to the first."""


class FormFitting(MovingMean[AnyForm]):
    """A form that learns; the moving mean of its weights is what is judged, and plays.

    Args:
        form: the form.
        seed: of its weights, and of the order of decisions.
        calibrating: decisions by which inputs are scaled.
    """

    def __init__(self, form: Form, seed: int, calibrating: LabelPart) -> None:
        super().__init__(lambda: _seeded(form.make, seed), _HORIZON)
        self.seconds = 0.0
        """Processor seconds of learning."""
        self._form, self._seed = form, seed
        for network in (self.model, self.mean):
            network.calibrate(FormInputs(calibrating, np.arange(min(_CALIBRATING, len(calibrating)))))

    def learn(self, part: LabelPart, done: float) -> None:
        """Learn from some decisions, each once; `done` is how far the fitting is, 0 to 1."""
        began = time.process_time()
        rate = self._form.learning_rate * (1 - (1 - _LAST) * done)
        order = np.random.default_rng([self._seed, self.steps]).permutation(len(part))
        for chosen in np.array_split(order, max(1, len(part) // self._form.minibatch)):
            reading = FormInputs(part, chosen)
            self.step(_errors(self.model, reading).sum() * (UNITS_PER_LEVEL**2 / len(chosen)), rate)
        self.seconds += time.process_time() - began

    def num_weights(self) -> int:
        """Return how many weights it learns."""
        return sum(weight.numel() for weight in self.model.parameters() if weight.requires_grad)


def _seeded(make: Callable[[], AnyForm], seed: int) -> AnyForm:
    torch.manual_seed(seed)
    return make()


def _errors(form: AnyForm, reading: FormInputs) -> Tensor:
    """Return weighted squared errors of choices, (C,)."""
    batch = reading.batch
    values = centred(form(reading), batch.owners, len(batch.groups))
    return (values - batch.targets) ** 2 * batch.weights[batch.owners]


@torch.no_grad()
def explained(form: AnyForm, part: LabelPart) -> Mapping[str, float]:
    """Return the share of the labels' weighted variance that a form explains, by kind of decision, and of all."""
    errors, squares = np.zeros(NUM_GROUPS), np.zeros(NUM_GROUPS)
    for chosen in np.array_split(np.arange(len(part)), len(part) // _AT_ONCE + 1):
        reading = FormInputs(part, chosen)
        batch = reading.batch
        kinds = batch.groups[batch.owners].numpy()
        errors += _by_kind(kinds, _errors(form, reading))
        squares += _by_kind(kinds, batch.targets**2 * batch.weights[batch.owners])
    shares = {
        name: float(1 - errors[kind] / squares[kind])
        for kind, name in enumerate(GROUP_NAMES[:CARD_GROUPS])
        if squares[kind]
    }
    return shares | {"all": float(1 - errors.sum() / squares.sum())}


def _by_kind(kinds: NDArray[np.int64], values: Tensor) -> NDArray[np.float64]:
    sums: NDArray[np.float64] = np.bincount(kinds, values.double().numpy(), NUM_GROUPS).astype(np.float64)
    return sums
