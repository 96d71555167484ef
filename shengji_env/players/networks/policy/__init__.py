"""A trained network as a player, without torch: compiled NumPy code runs the weights of ``policy.npz``.

| module          | what it holds                                                                   |
|-----------------|---------------------------------------------------------------------------------|
| `policy_player` | the player ``policy:PATH``                                                      |
| `file`          | its file, read and checked                                                      |
| `layers`        | one kind of network: layers, one after the other, on the whole observation      |
| `layers_policy` | the policy of that kind, in compiled code                                        |
| `suit_network`  | the other kind: one encoder and one head for all plain suits, others for trumps |
| `suit_inputs`   | what that one reads of an observation                                           |

`agents/sb3_single_file.py` trains a network of layers, and `agents/export.py` writes the file.
"""

from shengji_env.players.networks.policy.file import POLICY_FILE, VERSIONS, PolicyNetwork
from shengji_env.players.networks.policy.layers import Layers, LayerStack
from shengji_env.players.networks.policy.policy_player import PolicyPlayer, compile_policy
from shengji_env.players.networks.policy.suit_network import SuitNetwork

__all__ = [
    "POLICY_FILE",
    "VERSIONS",
    "LayerStack",
    "Layers",
    "PolicyNetwork",
    "PolicyPlayer",
    "SuitNetwork",
    "compile_policy",
]
