"""The mean of a network's weights over many steps: steadier than the weights of any of them.

A step is noisy, since labels are; the mean over the last part of a run has hardly any of this noise left ("averaged
stochastic gradient descent", Polyak and Juditsky, 1992; Izmailov and others, 2018).
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.optim.swa_utils import AveragedModel

from agents.values.value_network import ValueNetwork
from shengji_env.errors import CheckpointError
from shengji_env.players.networks.champion.compiled_network import Weights

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
        return {PREFIX + name: tensor.detach().cpu().numpy().copy() for name, tensor in self._tensors()}

    def load(self, arrays: Mapping[str, NDArray[Any]], steps: int) -> None:
        """Set what `save` returned.

        Raises:
            CheckpointError: it could not have returned this.
        """
        own = {name.removeprefix(PREFIX): array for name, array in arrays.items() if name.startswith(PREFIX)}
        wanted = dict(self._tensors()) if steps > 0 else {}
        if set(own) != set(wanted):
            raise CheckpointError(f"it has {len(own)} arrays {PREFIX}* of {steps} steps; there must be {len(wanted)}")
        for name, tensor in wanted.items():
            array = own[name]
            if array.shape != tuple(tensor.shape) or array.dtype != np.float32 or not np.isfinite(array).all():
                raise CheckpointError(f"its {PREFIX}{name} is not finite float32 {tuple(tensor.shape)}")
        with torch.no_grad():
            for name, tensor in wanted.items():
                tensor.copy_(torch.from_numpy(own[name]))
        self.steps = steps
        self._model.n_averaged.fill_(steps)

    def _tensors(self) -> list[tuple[str, torch.Tensor]]:
        return list(self._model.module.named_parameters())
