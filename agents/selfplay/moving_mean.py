"""A network that learns, and the moving mean of its weights, which is what is used of it."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.checkpoint import count_of
from agents.values.saving import arrays_of, load_arrays, save_arrays, set_tensors

_BETAS = 0.9, 0.99
_MEAN = "mean/"
"""Prefix of the names of the mean's weights, in a checkpoint."""
_FIRST_STEPS = 0.3
"""How fast the mean's memory grows at first, in steps for each step."""
Model = TypeVar("Model", bound=nn.Module)


class MovingMean(Generic[Model]):
    """A network, its optimiser, and the mean of its weights.

    Args:
        make: makes the network, always with the same random weights.
        horizon: gradient steps over which the mean of weights is taken, about.

    Attributes:
        model: the network as it was after the last step.
        mean: the network that is used.
        steps: gradient steps so far.
    """

    def __init__(self, make: Callable[[], Model], horizon: float) -> None:
        self._horizon, self.steps = horizon, 0
        self.model, self.mean = make(), make()
        self.optimizer = torch.optim.Adam(self.model.parameters(), betas=_BETAS, fused=True)

    def step(self, loss: Tensor, learning_rate: float) -> None:
        """Take a step of Adam."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.steps += 1
        share = max(1 / self._horizon, 1 / (1 + _FIRST_STEPS * self.steps))
        with torch.no_grad():
            for mean, last in zip(self.mean.parameters(), self.model.parameters(), strict=True):
                mean.lerp_(last, share)

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the counter, and all weights and moments as arrays."""
        means = arrays_of(self.mean.named_parameters(), _MEAN)
        return {"steps": self.steps}, save_arrays(self.model, self.optimizer) | means

    def load(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore what `save` returned.

        Raises:
            CheckpointError: `save` could not have returned a part of it.
        """
        self.steps = count_of(meta, "steps")
        load_arrays(self.model, self.optimizer, {name: a for name, a in arrays.items() if not name.startswith(_MEAN)})
        set_tensors(self.mean.named_parameters(), arrays, _MEAN)
