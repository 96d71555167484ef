"""Networks for the player `policy`, with random weights."""

import numpy as np

from shengji_env.engine.actions import NUM_ACTIONS
from shengji_env.players.networks.policy import LayerStack
from shengji_env.tables.observation import OBSERVATION_SIZE


def random_layers(width: int = 4, seed: int = 0) -> LayerStack:
    """A network of two layers."""
    words = np.random.default_rng(seed)
    sizes = ((OBSERVATION_SIZE, width), (width, NUM_ACTIONS))
    return LayerStack(
        tuple((words.normal(0, 0.1, size).astype(np.float32), np.zeros(size[1], np.float32)) for size in sizes)
    )
