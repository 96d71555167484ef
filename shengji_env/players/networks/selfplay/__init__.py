"""Networks that have learned by playing with themselves: small policies of integers.

| module | what |
|---|---|
| `sight` | small numbers that say what a seat sees of a table |
| `selfplay_inputs` | what the network reads: numbers, each of which chooses a row of weights |
| `context_rows`, `set_rows`, `action_rows` | the rows of a decision, of a set of cards, of a single action |
| `scaled_rows` | their rows in the scale of the rules |
| `chance_rows`, `suit_rows` | what some networks read besides: chances of being beaten; suits, for an encoder |
| `decision` | the record of a decision |
| `proposed_leads`, `proposed_follows`, `proposed_burials` | sets of cards, proposed by their shapes |
| `priced_sets` | how such sets are put together by prices |
| `choices` | the choices of a decision, and which is worth most |
| `integer_rows` | rows of 16-bit integers: sums and products |
| `selfplay_network` | the network: the value of a choice |
| `selfplay_file` | the file |
| `selfplay_player` | the players `champion` and ``selfplay:PATH``, and their policy |

No torch is needed. How it learns: ``train.py configs/selfplay.toml`` in a checkout (`agents/selfplay/`).
"""

from shengji_env.players.networks.selfplay.selfplay_player import CHAMPION, SelfplayPlayer

__all__ = ["CHAMPION", "SelfplayPlayer"]
