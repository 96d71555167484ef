"""The policy as ``policy.npz``: float32 weights of layers on raw observations, and a JSON header.

The arena's torch-free player reads this file.
"""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike
from torch import nn

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players.networks.network_file import write_network
from shengji_env.players.networks.policy import VERSIONS, LayerStack


def layer_stack(layers: Iterable[nn.Module], scale: ArrayLike) -> LayerStack:
    """Return the linear ones among some layers as the player reads them.

    Args:
        layers: from the observation to the logits.
        scale: of each input, or of all: the network multiplies the observation by it.
    """
    linear = [layer for layer in layers if isinstance(layer, nn.Linear)]
    weights = [layer.weight.detach().float().cpu().numpy().T.copy() for layer in linear]
    weights[0] *= np.asarray(scale, np.float32).reshape(-1, 1)
    biases = [layer.bias.detach().float().cpu().numpy() for layer in linear]
    return LayerStack(tuple(zip(weights, biases, strict=True)))


def write_policy(network: LayerStack, path: Path, *, rules: str) -> None:
    """Write a network that was trained on ``rules``, whole or not at all."""
    header = network.header | VERSIONS | {"rules": rules, "rules_fingerprint": parse_rules(rules).fingerprint}
    write_network(path, header, network.arrays)
