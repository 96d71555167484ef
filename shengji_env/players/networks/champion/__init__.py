"""The champion: a network that values candidate plays, learned from rollouts, and played without torch.

| where | what |
|---|---|
| `player.py`, `asking.py` | the players `champion` and ``values:PATH`` |
| `inputs.py` | what the network reads of a decision |
| `network.py` | the network |
| `weights.py`, ``PRESET.npz`` | its file; the files of the champion |
| `unlearned.py` | notes on rules for which the champion has no file |

`agents/values/` trains such networks. docs/champion.md says how this one was made, and how strong it is.
"""

from shengji_env.players.networks.champion.player import ValuePlayer

__all__ = ["ValuePlayer"]
