"""The policy as ``policy.npz``: float32 weights of a network on raw observations, and a JSON header.

The arena's torch-free player reads this file.
"""

from pathlib import Path

from shengji_env.engine.rule_sets import parse_rules
from shengji_env.players.networks.network_file import write_network
from shengji_env.players.networks.policy import VERSIONS, PolicyNetwork


def write_policy(network: PolicyNetwork, path: Path, *, rules: str) -> None:
    """Write a network that was trained on ``rules``, whole or not at all."""
    header = network.header | VERSIONS | {"rules": rules, "rules_fingerprint": parse_rules(rules).fingerprint}
    write_network(path, header, network.arrays)
