"""The mean of a network's weights over many steps: steadier than the weights of any of them.

A step is noisy, since labels are; the mean over the last part of a run has hardly any of this noise left ("averaged
stochastic gradient descent", Polyak and Juditsky, 1992; Izmailov and others, 2018).
"""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray
from torch.optim.swa_utils import AveragedModel

from agents.saving import arrays_of, set_tensors
from agents.values.value_network import ValueNetwork
from shengji_env.players.networks.champion.conditioning import Weights

PREFIX = "mean/"
"""Of the names of its arrays in a checkpoint."""


class WeightMean:
    """The mean of a network's weights, of no steps at first.

    Attributes:
        steps: Steps that are in it.
    """

    def __init__(self, network: ValueNetwork) -> None:
        """Make one for ``network``."""
        self._model = AveragedModel(network)
        self.steps = 0

    def add(self, network: ValueNetwork) -> None:
        """Add the weights of a step."""
        self._model.update_parameters(network)
        self.steps += 1

    def export(self) -> Weights:
        """Return the mean as the NumPy network reads it."""
        network = self._model.module
        assert isinstance(network, ValueNetwork)
        return network.export()

    def save(self) -> dict[str, NDArray[Any]]:
        """Return its arrays for a checkpoint; none before the first step."""
        if self.steps == 0:
            return {}
        return arrays_of(self._model.module.named_parameters(), PREFIX)

    def load(self, arrays: Mapping[str, NDArray[Any]], steps: int) -> None:
        """Set what `save` returned.

        Raises:
            CheckpointError: it could not have returned this.
        """
        set_tensors(self._model.module.named_parameters() if steps > 0 else (), arrays, PREFIX)
        self.steps = steps
        self._model.n_averaged.fill_(steps)
