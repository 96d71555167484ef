"""Network and optimiser as arrays by name, and back."""

from collections.abc import Container, Iterable, Iterator, Mapping, MutableMapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from shengji_env.errors import CheckpointError

_MOMENTS = ("exp_avg", "exp_avg_sq")
"""Adam's names of its running means of gradients and of their squares."""
_NEVER_NEGATIVE = ("step/", "exp_avg_sq/")
Moments = MutableMapping[Any, dict[str, Tensor]]
"""An optimiser's state of each weight; nothing before its first step."""


def save_arrays(network: nn.Module, state: Moments) -> dict[str, NDArray[Any]]:
    """Return all weights, scales and moments; there are no moments before the first step."""
    return arrays_of(_tensors(network, state))


def arrays_of(tensors: Iterable[tuple[str, Tensor]], prefix: str = "") -> dict[str, NDArray[Any]]:
    """Return copies of tensors by name, after a prefix."""
    return {prefix + name: tensor.detach().cpu().numpy().copy() for name, tensor in tensors}


def load_arrays(network: nn.Module, state: Moments, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Set what `save_arrays` returned.

    Raises:
        CheckpointError: an array is missing, too many, of another shape or type, not finite, or negative where none can
            be.
    """
    _make_moments(network, state, arrays)
    set_tensors(_tensors(network, state), arrays)


def set_tensors(tensors: Iterable[tuple[str, Tensor]], arrays: Mapping[str, NDArray[Any]], prefix: str = "") -> None:
    """Set tensors to those of some arrays whose names have a prefix, and nothing else.

    Raises:
        CheckpointError: as in `load_arrays`.
    """
    wanted = {prefix + name: tensor for name, tensor in tensors}
    arrays = {name: array for name, array in arrays.items() if name.startswith(prefix)}
    if set(wanted) != set(arrays):
        differing = sorted(set(wanted) ^ set(arrays))
        raise CheckpointError(f"its arrays are others than its network's: {', '.join(differing[:3])}")
    for name, tensor in wanted.items():
        array = arrays[name]
        if array.shape != tuple(tensor.shape) or array.dtype != np.float32 or not np.isfinite(array).all():
            raise CheckpointError(
                f"its {name} is {array.dtype} {array.shape}, not finite float32 {tuple(tensor.shape)}"
            )
        if name.startswith(_NEVER_NEGATIVE) and (array < 0).any():
            raise CheckpointError(f"its {name} is negative")
    with torch.no_grad():
        for name, tensor in wanted.items():
            tensor.copy_(torch.from_numpy(arrays[name]))


def _tensors(network: nn.Module, state: Moments) -> Iterator[tuple[str, Tensor]]:
    yield from network.named_parameters()
    for name, weight in network.named_parameters():
        if state.get(weight):
            for part in ("step", *_MOMENTS):
                yield f"{part}/{name}", state[weight][part]


def _make_moments(network: nn.Module, state: Moments, arrays: Container[str]) -> None:
    """Make the state of the weights that have one."""
    for name, weight in network.named_parameters():
        if weight.requires_grad and f"step/{name}" in arrays:
            state[weight] = first_moments(weight)


def first_moments(weight: Tensor) -> dict[str, Tensor]:
    """Return the state that Adam makes at a weight's first step."""
    moments = {moment: torch.zeros_like(weight) for moment in _MOMENTS}
    return {"step": torch.tensor(0.0, device=weight.device), **moments}
