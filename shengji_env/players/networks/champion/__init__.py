"""The champion: a network that values candidate plays, learned from rollouts, and played without torch.

| where | what |
|---|---|
| `champion_player.py`, `choosing.py` | the players `champion` and ``values:PATH``; their policy |
| `inputs.py` | what the network reads of a decision |
| `compiled_network.py`, `conditioning.py` | the network; what the rules change in one for many rule sets |
| `value_file.py`, `champion.npz` | its file; that of the champion |

docs/champion.md says how this one was made, and how strong it is.
"""

from shengji_env.players.networks.champion.champion_player import ValuePlayer

__all__ = ["ValuePlayer"]
