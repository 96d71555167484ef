"""A network that learns, and the moving mean of its weights, which is what is used of it.

A step of Adam and one of the mean are made in a single pass over the weights, by compiled code. Rows of a weight that
nothing has read yet are left out: they stay as they are.
"""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.checkpoint import count_of
from agents.saving import Moments, arrays_of, first_moments, load_arrays, save_arrays, set_tensors
from shengji_env.engine.compile import jit

_BETAS = 0.9, 0.99
_LEAST = 1e-8
_MOVING = "moving"
"""Name of whether each row of a weight has ever had a gradient, in its state."""
_MEAN = "mean/"
"""Prefix of the names of the mean's weights, in a checkpoint."""
_FIRST_STEPS = 0.3
"""How fast the mean's memory grows at first, in steps for each step."""
Model = TypeVar("Model", bound=nn.Module)
Floats = NDArray[np.float32]


class MovingMean(Generic[Model]):
    """A network, Adam's moments, and the mean of its weights.

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
        self._moments: Moments = {}

    def step(self, loss: Tensor, learning_rate: float) -> None:
        """Take a step of Adam; gradients may be sparse."""
        self.model.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.steps += 1
        share = max(1 / self._horizon, 1 / (1 + _FIRST_STEPS * self.steps))
        for weight, mean in zip(self.model.parameters(), self.mean.parameters(), strict=True):
            if weight.grad is not None:
                if weight not in self._moments:
                    self._moments[weight] = first_moments(weight)
                _step(weight, mean, self._moments[weight], learning_rate, share)

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the counter, and all weights and moments as arrays."""
        means = arrays_of(self.mean.named_parameters(), _MEAN)
        return {"steps": self.steps}, save_arrays(self.model, self._moments) | means

    def load(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore what `save` returned.

        Raises:
            CheckpointError: `save` could not have returned a part of it.
        """
        self.steps = count_of(meta, "steps")
        load_arrays(self.model, self._moments, {name: a for name, a in arrays.items() if not name.startswith(_MEAN)})
        set_tensors(self.mean.named_parameters(), arrays, _MEAN)


def _step(weight: Tensor, mean: Tensor, state: dict[str, Tensor], learning_rate: float, share: float) -> None:
    """Take a step with one weight, and its mean."""
    gradient = weight.grad
    assert gradient is not None
    if gradient.is_sparse:
        gradient = gradient.coalesce()
        rows, slopes = gradient.indices()[0].numpy(), gradient.values().numpy()
    else:
        rows, slopes = np.zeros(1, np.int64), gradient.reshape(1, -1).numpy()
    state["step"] += 1
    step, tensors = state["step"].item(), (weight.detach(), state["exp_avg"], state["exp_avg_sq"], mean.detach())
    moved = tuple(tensor.view(-1, slopes.shape[1]).numpy() for tensor in tensors)
    if _MOVING not in state:
        state[_MOVING] = state["exp_avg_sq"].view(-1, slopes.shape[1]).any(1)
    rate, root = learning_rate / (1 - _BETAS[0] ** step), (1 - _BETAS[1] ** step) ** -0.5
    numbers = np.array([1 - _BETAS[0], 1 - _BETAS[1], rate, root, _LEAST, share], np.float32)
    _move(rows, slopes, state[_MOVING].numpy(), moved, numbers)


@jit
def _move(
    rows: NDArray[np.int64], slopes: Floats, moving: NDArray[np.bool_], moved: tuple[Floats, ...], numbers: Floats
) -> None:
    """Move the rows of a weight, its moments and its mean, (R, width); `rows` ascend, and slopes of others are 0."""
    weight, first, second, mean = moved
    from_first, from_second, rate, root, least, share = numbers
    blank, found = np.zeros_like(weight[0]), 0
    for row in range(len(weight)):
        slope = blank
        if found < len(rows) and rows[found] == row:
            slope, moving[row] = slopes[found], True
            found += 1
        for column in range(weight.shape[1] if moving[row] else 0):
            first[row, column] += from_first * (slope[column] - first[row, column])
            second[row, column] += from_second * (slope[column] ** 2 - second[row, column])
            scale = root * np.sqrt(second[row, column]) + least
            weight[row, column] -= np.divide(rate * first[row, column], scale)
            mean[row, column] += share * (weight[row, column] - mean[row, column])
