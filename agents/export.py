"""The policy as ``policy.npz``: float32 weights of a ReLU network on raw observations, and a JSON header.

The arena's torch-free player reads this file. The critic is left out, and the input scale is folded into the first
layer.
"""

import io
import json
from pathlib import Path

import numpy as np

from agents.network import CardPolicy
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.files.whole_files import write_whole
from shengji_env.players.policy import WORLD


def export_policy(policy: CardPolicy, path: Path, *, rules: str) -> None:
    """Write ``policy`` as a network on the raw observation."""
    header = WORLD | {"rules": rules, "rules_fingerprint": parse_rules(rules).fingerprint, "activation": "relu"}
    arrays = {"header": np.array(json.dumps(header))}
    for index, (weight, bias) in enumerate(_layers(policy)):
        arrays[f"w{index}"] = weight
        arrays[f"b{index}"] = bias
    packed = io.BytesIO()
    np.savez(packed, **arrays)  # type: ignore[arg-type]  # numpy types its keyword arguments as flags
    write_whole(path, packed.getvalue())


def _layers(policy: CardPolicy) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return weights (inputs, outputs) and biases of the layers in order, float32."""
    modules = [*policy.mlp_extractor.policy_layers, policy.action_net]
    layers = [(m.weight.detach().numpy().T.copy(), m.bias.detach().numpy().copy()) for m in modules]
    layers[0] = (
        layers[0][0] * policy.mlp_extractor.input_scale[: policy.num_own].numpy()[:, None],
        layers[0][1],
    )
    return layers
