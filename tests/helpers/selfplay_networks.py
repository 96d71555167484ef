"""Networks of self-play with random weights, and their files."""

from pathlib import Path

import numpy as np

from shengji_env.engine.rule_sets import RulesLike, as_rules
from shengji_env.players.networks.champion.compiled_network import weight_shapes
from shengji_env.players.networks.champion.value_file import ValueFile
from shengji_env.players.networks.selfplay.choices import OWN
from shengji_env.players.networks.selfplay.selfplay_file import SELFPLAY_FILE, SelfplayFile, write_selfplay
from shengji_env.players.networks.selfplay.selfplay_network import SelfplayNetwork, blank_network


def random_network(seed: int = 0) -> SelfplayNetwork:
    generator = np.random.default_rng(seed)
    rows, outputs = (generator.normal(0, 12, part.shape).astype(np.int16) for part in blank_network())
    outputs[-len(outputs) // 6 :] = 0
    return SelfplayNetwork(rows, outputs)


def random_values(size: float = 0.3, rules: RulesLike = "two_deck") -> ValueFile:
    """A value network beside it; with weights of size 0 it changes nothing."""
    generator = np.random.default_rng(1)
    shapes = weight_shapes(8, 8, 16, 8)
    weights = {name: generator.normal(0, size, shape).astype(np.float32) for name, shape in shapes.items()}
    return ValueFile(weights, as_rules(rules), {})


def write_random(folder: Path, values: ValueFile | None = None, proposals: str = OWN) -> str:
    """Write a file into a folder; return the text that names its player."""
    write_selfplay(folder / SELFPLAY_FILE, SelfplayFile(random_network(), proposals, {}, values))
    return f"selfplay:{folder}"
