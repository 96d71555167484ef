"""One seat for the agent, players in the other three: the Gymnasium environment ``shengji/Seat-v0``.

| where | what |
|---|---|
| `seat_env.py` | one table, `SeatEnv`: what ``gymnasium.make`` makes |
| `seat_vector.py` | many tables stepped by the compiled engine, `SeatVectorEnv`: what ``gymnasium.make_vec`` makes |
| `seat_tables.py` | the tables of the second: agents and players at them, batches of questions to the players |
| `agent_vector.py` | what it has in common with that of whole plays: seeds, options, autoreset, infos (`stacking.py`) |
| `seat_settings.py`, `other_seats.py` | the arguments that all of them take; the players around the agent |
| `undecided.py` | rounds in which the agent has nothing to decide |
| `sb3.py` | the second for learners of Stable-Baselines3, which it imports |

With the same seeds both play the same rounds. Source: docs/environments/seat.md.
"""

from shengji_env.envs.seat.other_seats import Opponents
from shengji_env.envs.seat.seat_env import SeatEnv, make_seat_env
from shengji_env.envs.seat.seat_settings import ILLEGAL_ACTIONS, IllegalActions
from shengji_env.envs.seat.seat_vector import SeatVectorEnv

__all__ = ["ILLEGAL_ACTIONS", "IllegalActions", "Opponents", "SeatEnv", "SeatVectorEnv", "make_seat_env"]
