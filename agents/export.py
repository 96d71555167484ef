"""The policy as ``policy.npz``: float32 weights of a ReLU network on raw observations, and a JSON header.

The arena's torch-free player reads this file.
"""

import io
import json
from pathlib import Path

import numpy as np

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.files.whole_files import write_whole
from shengji_env.players.policy import WORLD, Layers


def write_policy(layers: Layers, path: Path, *, rules: str) -> None:
    """Write weights (inputs, outputs) and biases, in order from the raw observation to the logits."""
    header = WORLD | {"rules": rules, "rules_fingerprint": parse_rules(rules).fingerprint, "activation": "relu"}
    arrays = {"header": np.array(json.dumps(header))}
    for index, (weight, bias) in enumerate(layers):
        arrays[f"w{index}"] = weight
        arrays[f"b{index}"] = bias
    packed = io.BytesIO()
    np.savez(packed, **arrays)  # type: ignore[arg-type]  # numpy types its keyword arguments as flags
    write_whole(path, packed.getvalue())
