"""A trained network as a player, without torch: compiled NumPy code runs the weights of ``policy.npz``.

| module          | what it holds                                                                   |
|-----------------|---------------------------------------------------------------------------------|
| `policy_player` | the player ``policy:PATH``                                                      |
| `file`          | its file, read, checked and written                                             |
| `layers`        | its network: layers, one after the other, on the whole observation              |
| `layers_policy` | its policy, in compiled code                                                    |

docs/share.md shows how a network of one's own becomes such a player.
"""

from shengji_env.players.networks.policy.file import POLICY_FILE, VERSIONS, write_policy
from shengji_env.players.networks.policy.layers import Layers, LayerStack, layer_stack
from shengji_env.players.networks.policy.policy_player import PolicyPlayer

__all__ = [
    "POLICY_FILE",
    "VERSIONS",
    "LayerStack",
    "Layers",
    "PolicyPlayer",
    "layer_stack",
    "write_policy",
]
