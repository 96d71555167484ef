"""Whole plays as actions: an action is the index of a candidate, the mask says which candidates there are.

| where | what |
|---|---|
| `vector.py` | the batch environment, `PlaysVectorEnv` |
| `single.py` | the single-agent Gymnasium environment ``shengji/Plays-v0``, `PlaysEnv` |
| `seat_vector.py` | many tables of it, with players in the other seats: `SeatPlaysVectorEnv` |
| `listing.py` | compiled: candidates as plays made at tables |

Candidates are those of `players.candidates`; candidate 0 is the heuristic player's play. Source: docs/environment.md.
"""

from shengji_env.envs.plays.seat_vector import SeatPlaysVectorEnv
from shengji_env.envs.plays.single import PlaysEnv
from shengji_env.envs.plays.vector import PlaysVectorEnv

__all__ = ["PlaysEnv", "PlaysVectorEnv", "SeatPlaysVectorEnv"]
