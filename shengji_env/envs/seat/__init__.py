"""One seat for the agent, players in the other three: the Gymnasium environment ``shengji/Seat-v0``.

| where | what |
|---|---|
| `single.py` | one table, `SeatEnv`: what ``gymnasium.make`` makes |
| `vector.py` | many tables stepped by the compiled engine, `SeatVectorEnv`: what ``gymnasium.make_vec`` makes |
| `seats.py` | the tables of the second: agents and players at them, batches of questions to the players |
| `agent_vector.py` | what it has in common with that of whole plays: seeds, options, autoreset, infos (`stacking.py`) |
| `seat_settings.py`, `opponents.py` | the arguments that all of them take; the players around the agent |

With the same seeds both play the same rounds. Source: docs/environment.md.
"""

from shengji_env.envs.seat.opponents import Opponents
from shengji_env.envs.seat.seat_settings import ILLEGAL_ACTIONS, IllegalActions
from shengji_env.envs.seat.single import SeatEnv, make_seat_env
from shengji_env.envs.seat.vector import SeatVectorEnv

__all__ = ["ILLEGAL_ACTIONS", "IllegalActions", "Opponents", "SeatEnv", "SeatVectorEnv", "make_seat_env"]
