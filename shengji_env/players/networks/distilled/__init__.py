"""A small network of integers, taught by the champion: as quick as `heuristic`, and stronger. No torch is needed.

| module | what |
|---|---|
| `distilled_rows` | the rows of weights that follow from it |
| `distilled_network` | the network: the card with the most, of leads and follows of one card |
| `distilled_file` | its file; ``distilled.npz`` comes with the package |
| `distilled_player` | the player `distilled`, and its policy |

Commit ae115e50 is the last that has what trained it (research/trials/playouts.md).
"""

from shengji_env.players.networks.distilled.distilled_player import DistilledPlayer

__all__ = ["DistilledPlayer"]
