"""Layers, one after the other, on the whole observation: arrays ``w0 b0 w1 b1 …`` of a file.

Sums are taken in a fixed order, row by row, so an answer never depends on the batch. Inputs that are zero cost nothing,
which makes this as fast as a matrix product.
"""

import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.errors import PlayerError
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.own_arrays import with_own_arrays

LAYERS_FORMAT = "shengji-policy/1"
ACTIVATIONS = ("relu", "tanh")

Layers = tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
"""Weights (inputs, outputs) and biases of each layer."""


@dataclass(frozen=True, eq=False)
class LayerStack:
    """Layers with an activation between them, from the raw observation to the logits."""

    layers: Layers
    activation: str = "relu"

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(with_own_arrays(state))

    @property
    def header(self) -> dict[str, Any]:
        """The fields of a file's header that describe this network."""
        return {"format": LAYERS_FORMAT, "activation": self.activation}

    @property
    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """The arrays of a file."""
        named = ((f"w{index}", f"b{index}") for index in range(len(self.layers)))
        return {
            name: array
            for names, layer in zip(named, self.layers, strict=True)
            for name, array in zip(names, layer, strict=True)
        }

    @staticmethod
    def read(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> "LayerStack":
        """Make the network of a file's contents.

        Raises:
            PlayerError: an array is missing, too many, or of another type or shape, or holds what is not a number.
        """
        left, layers, inputs = dict(arrays), [], OBSERVATION_SIZE
        for index in range(len(arrays) // 2):
            weight, bias = left.pop(f"w{index}", None), left.pop(f"b{index}", None)
            if weight is None or bias is None or bias.ndim != 1 or not bias.size or weight.shape != (inputs, bias.size):
                shapes = " and ".join("nothing" if array is None else str(array.shape) for array in (weight, bias))
                raise PlayerError(f"layer {index} is {shapes}; it must be ({inputs}, outputs) and (outputs,)")
            layers.append((as_weights(f"w{index}", weight), as_weights(f"b{index}", bias)))
            inputs = bias.size
        if left:
            raise PlayerError(f"it also holds {reprlib.repr(sorted(left))}; arrays are w0, b0, w1, b1, …")
        if not layers or inputs != NUM_ACTIONS:
            raise PlayerError(f"{len(layers)} layers end in {inputs} values; there are {NUM_ACTIONS} actions")
        return LayerStack(tuple(layers), header["activation"])

    def logits(self, observation: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the logits of all actions, shape (B, 83)."""
        values: NDArray[Any] = np.ascontiguousarray(observation)
        for index, (weight, bias) in enumerate(self.layers):
            sums = product(values, weight, bias)
            if index < len(self.layers) - 1:
                activate(sums, self.activation == "tanh")
            values = sums
        return values


def layer_stack(layers: Iterable[Any], scale: ArrayLike = 1.0) -> LayerStack:
    """Return the layers of a network of torch, which is not imported: they say what they are.

    Args:
        layers: from the observation to the logits, such as an `nn.Sequential`: linear ones, with ReLU or Tanh between
            each two; ReLU is meant where none is named.
        scale: of each input, or of all: the network multiplies the observation by it.

    Raises:
        PlayerError: there are other layers.
    """
    layers = list(layers)
    names = [type(layer).__name__ for layer in layers]
    linear, between = (layers, {"ReLU"}) if set(names) == {"Linear"} else (layers[::2], set(names[1::2]))
    are_linear = {type(layer).__name__ for layer in linear} == {"Linear"} == set(names[-1:])
    if not are_linear or between not in ({"ReLU"}, {"Tanh"}):
        raise PlayerError(f"the layers {', '.join(names)} must be Linear, with ReLU, or Tanh, between each two of them")
    weights = [layer.weight.detach().float().cpu().numpy().T.copy() for layer in linear]
    weights[0] *= np.asarray(scale, np.float32).reshape(-1, 1)
    biases = [
        np.zeros(layer.weight.shape[0], np.float32) if layer.bias is None else layer.bias.detach().float().cpu().numpy()
        for layer in linear
    ]
    return LayerStack(tuple(zip(weights, biases, strict=True)), between.pop().lower())


def as_weights(name: str, array: NDArray[Any]) -> NDArray[np.float32]:
    """Return an array as float32.

    Raises:
        PlayerError: it holds something other than finite numbers.
    """
    if array.dtype.kind != "f":
        raise PlayerError(f"{name} is {array.dtype}; weights are float32")
    with np.errstate(over="ignore", invalid="ignore"):
        weights = np.ascontiguousarray(array, np.float32)
    if not np.isfinite(weights).all():
        raise PlayerError(f"{name} holds {array[~np.isfinite(weights)][0]}; weights are finite float32")
    return weights


def product(values: NDArray[Any], weight: NDArray[np.float32], bias: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``values @ weight + bias``, (B, outputs), for C-contiguous values (B, inputs), int8 or float32."""
    sums = np.empty((len(values), bias.size), np.float32)
    apply_layer(values, weight, bias, sums)
    return sums


@jit
def apply_layer(values: NDArray[Any], weight: NDArray[Any], bias: NDArray[Any], sums: NDArray[Any]) -> None:
    """Write ``values @ weight + bias`` into `sums`, row by row."""
    for row in range(values.shape[0]):
        apply_to_row(values[row], weight, bias, sums[row])


@jit
def apply_to_row(values: NDArray[Any], weight: NDArray[Any], bias: NDArray[Any], sums: NDArray[Any]) -> None:
    """Write ``values @ weight + bias`` into `sums`, (outputs,), input by input; contiguous arrays are fast."""
    for output in range(bias.size):
        sums[output] = bias[output]
    for index in range(values.size):
        value = np.float32(values[index])
        if value != 0:
            for output in range(bias.size):
                sums[output] += value * weight[index, output]


@jit
def activate(sums: NDArray[Any], is_tanh: bool) -> None:
    """Apply tanh or relu to what a layer has summed up."""
    for row in range(sums.shape[0]):
        activate_row(sums[row], is_tanh)


@jit
def activate_row(sums: NDArray[Any], is_tanh: bool) -> None:
    """Apply tanh or relu to a row, (outputs,)."""
    for output in range(sums.size):
        sums[output] = np.tanh(sums[output]) if is_tanh else max(sums[output], np.float32(0))
