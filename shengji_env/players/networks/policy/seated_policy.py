"""Compiled code: a policy of layers answers inside the step of environments."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit, jit_inline
from shengji_env.players.networks.policy.layers import LayerStack, activate, apply_layer
from shengji_env.players.seated import Seated
from shengji_env.tables.arrays import Arrays
from shengji_env.tables.observation import OBSERVATION_DTYPE, OBSERVATION_SIZE
from shengji_env.tables.observing import write_observation
from shengji_env.tables.seat_stepping import Packed, step_on


class _Memory(NamedTuple):
    """The weights of all layers one after the other, so that networks of any depth share one kernel, and memory."""

    weights: NDArray[np.float32]
    """The layers' weights, (inputs, outputs) each, flat."""
    biases: NDArray[np.float32]
    """The layers' biases."""
    widths: NDArray[np.int64]
    """(layers + 1,) inputs of the first layer, outputs of each."""
    is_tanh: bool
    """Whether the activation is tanh; otherwise relu."""
    records: NDArray[Any]
    """(1,) OBSERVATION_DTYPE."""
    observations: NDArray[np.int8]
    """(1, OBSERVATION_SIZE), the memory of `records`."""
    values: NDArray[np.float32]
    """(2, widest) the outputs of a layer, and of the one before."""


def seated_policy(network: LayerStack) -> Seated:
    """Return how a network answers inside the step: by its legal action with the highest logit."""
    weights, biases = zip(*network.layers, strict=True)
    widths = np.array([OBSERVATION_SIZE, *(bias.size for bias in biases)])
    records: NDArray[Any] = np.zeros(1, OBSERVATION_DTYPE)
    memory = _Memory(
        np.concatenate([weight.ravel() for weight in weights]), np.concatenate(biases), widths,
        network.activation == "tanh", records, records.view(np.int8).reshape(1, OBSERVATION_SIZE),
        np.zeros((2, widths[1:].max()), np.float32),
    )  # fmt: skip
    return Seated("policy", step_with_policy, memory)


@jit
def step_with_policy(packed: Packed, rows: Any, actions: Any, sits_at: Any, memory: _Memory) -> None:
    """Step tables with this player in some seats, as `seat_stepping.step_on` says."""
    step_on(_choose_at, packed, rows, actions, sits_at, memory)


@jit_inline
def _choose_at(arrays: Arrays, row: int, memory: _Memory, is_planned: bool) -> int:
    s, seen = arrays.states[row], arrays.observations[row]
    write_observation(s, arrays.shared[0].rules, s.seat, seen)
    memory.records[0] = seen
    logits = _logits(memory)
    mask = arrays.masks[row].legal
    best = -1
    for action in range(NUM_ACTIONS):
        if mask[action] and (best < 0 or logits[action] > logits[best]):
            best = action
    return best


@jit
def _logits(memory: _Memory) -> NDArray[np.float32]:
    """Return the logits of the observation in memory, (83,)."""
    widths, last = memory.widths, memory.widths.size - 2
    apply_layer(memory.observations, *_layer(memory, 0, 0, 0), memory.values[:1, : widths[1]])
    first_weight, first_bias = widths[0] * widths[1], widths[1]
    for layer in range(1, last + 1):
        values = memory.values[(layer - 1) % 2 : (layer - 1) % 2 + 1, : widths[layer]]
        activate(values, memory.is_tanh)
        sums = memory.values[layer % 2 : layer % 2 + 1, : widths[layer + 1]]
        apply_layer(values, *_layer(memory, layer, first_weight, first_bias), sums)
        first_weight += widths[layer] * widths[layer + 1]
        first_bias += widths[layer + 1]
    logits: NDArray[np.float32] = memory.values[last % 2]
    return logits


@jit
def _layer(
    memory: _Memory, layer: int, first_weight: int, first_bias: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return a layer's weights and biases."""
    inputs, outputs = memory.widths[layer], memory.widths[layer + 1]
    weight = memory.weights[first_weight : first_weight + inputs * outputs].reshape(inputs, outputs)
    return weight, memory.biases[first_bias : first_bias + outputs]
