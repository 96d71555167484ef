"""A trained network as a player, without torch: compiled NumPy code runs the weights of ``policy.npz``.

| module          | what it holds                                                                   |
|-----------------|---------------------------------------------------------------------------------|
| `policy_player` | the player ``policy:PATH``                                                      |
| `file`          | its file, read and checked                                                      |
| `layers`        | its network: layers, one after the other, on the whole observation              |
| `layers_policy` | its policy, in compiled code                                                    |

`agents/sb3_single_file.py` trains a network of layers, and `agents/export.py` writes the file.
"""

from shengji_env.players.networks.policy.file import POLICY_FILE, VERSIONS
from shengji_env.players.networks.policy.layers import Layers, LayerStack
from shengji_env.players.networks.policy.policy_player import PolicyPlayer

__all__ = [
    "POLICY_FILE",
    "VERSIONS",
    "LayerStack",
    "Layers",
    "PolicyPlayer",
]
