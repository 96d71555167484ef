"""One seat for the agent, players in the other three: the Gymnasium environment ``shengji/Round-v0``.

| where | what |
|---|---|
| `single.py` | one table, `RoundEnv`: what ``gymnasium.make`` makes |
| `vector.py` | many tables stepped by the compiled engine, `RoundVectorEnv`: what ``gymnasium.make_vec`` makes |
| `seats.py` | the tables of the second: agents and players at them, batches of questions to the players |
| `opponents.py` | the players around the agent, read from an argument, and what tables must keep for them |

With the same seeds both play the same rounds. Source: docs/environment.md.
"""

from shengji_env.round_env.opponents import ILLEGAL_ACTIONS, IllegalActions, Opponents
from shengji_env.round_env.single import RoundEnv, make_round_env
from shengji_env.round_env.vector import RoundVectorEnv

__all__ = ["ILLEGAL_ACTIONS", "IllegalActions", "Opponents", "RoundEnv", "RoundVectorEnv", "make_round_env"]
