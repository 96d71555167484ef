"""Networks for the player `policy`, with random weights."""

import numpy as np

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.players.networks.policy import LayerStack, SuitNetwork
from shengji_env.players.networks.policy.suit_network import Widths, layer_sizes
from shengji_env.tables.observation import OBSERVATION_SIZE

SMALL = Widths(3, 4, 5, 6, 2)


def random_suits(widths: Widths = SMALL, seed: int = 0) -> SuitNetwork:
    """A network whose plain suits share encoders."""
    words, arrays = np.random.default_rng(seed), {}
    for name, (inputs, outputs) in layer_sizes(widths).items():
        arrays[f"{name}_w"] = (words.normal(size=(inputs, outputs)) / inputs**0.5).astype(np.float32)
        arrays[f"{name}_b"] = words.normal(0, 0.1, outputs).astype(np.float32)
    return SuitNetwork(arrays)


def random_layers(width: int = 4, seed: int = 0) -> LayerStack:
    """A network of two layers."""
    words = np.random.default_rng(seed)
    sizes = ((OBSERVATION_SIZE, width), (width, NUM_ACTIONS))
    return LayerStack(
        tuple((words.normal(0, 0.1, size).astype(np.float32), np.zeros(size[1], np.float32)) for size in sizes)
    )
