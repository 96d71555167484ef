"""One seat for the agent, players in the other three: the Gymnasium environment ``shengji/Round-v0``.

| where | what |
|---|---|
| `single.py` | one table, `RoundEnv`: what ``gymnasium.make`` makes |
| `vector.py` | many tables stepped by the compiled engine, `RoundVectorEnv`: what ``gymnasium.make_vec`` makes |
| `seats.py` | the tables of the second: agents and players at them, batches of questions to the players |
| `seat_vector.py` | what it has in common with that of whole plays: seeds, options, autoreset, infos (`stacking.py`) |
| `opponents.py` | the players around the agent, read from an argument, and what tables must keep for them |

With the same seeds both play the same rounds. Source: docs/environment.md.
"""

from shengji_env.envs.seat.opponents import ILLEGAL_ACTIONS, IllegalActions, Opponents
from shengji_env.envs.seat.single import RoundEnv, make_round_env
from shengji_env.envs.seat.vector import RoundVectorEnv

__all__ = ["ILLEGAL_ACTIONS", "IllegalActions", "Opponents", "RoundEnv", "RoundVectorEnv", "make_round_env"]
