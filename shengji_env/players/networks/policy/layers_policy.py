"""The policy of a network of layers, in compiled code: its legal action with the highest logit."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.engine.compile import jit
from shengji_env.engine.masks import write_legal
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.engine.state import Rules, State
from shengji_env.players.compiled import make_rule_memory
from shengji_env.players.fast_player import policy_part
from shengji_env.players.networks.policy.layers import LayerStack, activate_row, apply_to_row
from shengji_env.tables.observation import OBSERVATION_SIZE
from shengji_env.tables.observing import write_observation
from shengji_env.tables.policies import Policy
from shengji_env.tables.raw_arrays import reading


class _Memory(NamedTuple):
    """The weights of all layers one after the other, so that networks of any depth share one kernel, and memory."""

    weights: NDArray[np.float32]
    """The layers' weights, (inputs, outputs) each, flat."""
    biases: NDArray[np.float32]
    """The layers' biases."""
    widths: NDArray[np.int64]
    """(layers + 1,) inputs of the first layer, outputs of each."""
    is_tanh: NDArray[np.bool_]
    """(1,) whether the activation is tanh; otherwise relu."""
    seen: NDArray[Any]
    """(1,) OBSERVATION_DTYPE."""
    masks: NDArray[Any]
    """(1,) MASK_DTYPE, the legal actions."""
    observations: NDArray[np.int8]
    """(1, OBSERVATION_SIZE), the memory of `seen`."""
    values: NDArray[np.float32]
    """(2, widest) the outputs of a layer, and of the one before."""


def layers_policy(network: LayerStack, rules: RuleSet) -> Policy:
    """Return the policy of a network of layers."""
    return Policy("policy-layers", next_by_layers, _make_memory(network, rules), uses_key=False)


def _make_memory(network: LayerStack, rules: RuleSet | None = None) -> _Memory:
    weights, biases = zip(*network.layers, strict=True)
    widths = np.array([OBSERVATION_SIZE, *(bias.size for bias in biases)])
    records = make_rule_memory(np.dtype(np.int8), rules)
    return _Memory(
        np.concatenate([weight.ravel() for weight in weights]), np.concatenate(biases), widths,
        np.array([network.activation == "tanh"]), records.seen, records.masks,
        records.seen.view(np.int8).reshape(1, OBSERVATION_SIZE), np.zeros((2, widths[1:].max()), np.float32),
    )  # fmt: skip


_NO_LAYER = np.zeros((OBSERVATION_SIZE, NUM_ACTIONS), np.float32), np.zeros(NUM_ACTIONS, np.float32)
_memory_at = reading(lambda: _make_memory(LayerStack((_NO_LAYER,))))


@jit
def next_by_layers(s: State, r: Rules, slots: int, others: int, is_new: bool, key: np.uint64, memory: Any) -> int:
    """Return the network's action at a table, as `tables.policies` says."""
    own = _memory_at(memory)
    mask = own.masks[0].legal
    write_observation(s, r, s.seat, own.seen[0])
    write_legal(mask, slots, others)
    logits = _logits(own)
    best = -1
    for action in range(NUM_ACTIONS):
        if mask[action] and (best < 0 or logits[action] > logits[best]):
            best = action
    return best


@jit
def _logits(memory: _Memory) -> NDArray[np.float32]:
    """Return the logits of the observation in memory, (83,)."""
    widths, last = memory.widths, memory.widths.size - 2
    apply_to_row(memory.observations[0], *_layer(memory, 0, 0, 0), memory.values[0, : widths[1]])
    first_weight, first_bias = widths[0] * widths[1], widths[1]
    for layer in range(1, last + 1):
        values = memory.values[(layer - 1) % 2, : widths[layer]]
        activate_row(values, memory.is_tanh[0])
        sums = memory.values[layer % 2, : widths[layer + 1]]
        apply_to_row(values, *_layer(memory, layer, first_weight, first_bias), sums)
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


policy_part("policy-layers", "the policy of layers: policy:PATH inside the step, and in playouts", next_by_layers)
