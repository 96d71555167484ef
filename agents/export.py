"""The policy as ``policy.npz``: float32 weights of a network on raw observations, and a JSON header.

The arena's torch-free player reads this file.
"""

import io
import json
from pathlib import Path

import numpy as np

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players.networks.policy import WORLD, PolicyNetwork
from shengji_env.support.whole_files import write_whole


def write_policy(network: PolicyNetwork, path: Path, *, rules: str) -> None:
    """Write a network that was trained on ``rules``, whole or not at all."""
    header = network.header | WORLD | {"rules": rules, "rules_fingerprint": parse_rules(rules).fingerprint}
    packed = io.BytesIO()
    np.savez(packed, header=np.array(json.dumps(header)), **network.arrays)  # type: ignore[arg-type]  # numpy types its keyword arguments as flags
    write_whole(path, packed.getvalue())
