"""Whole plays as actions: an action is the index of a candidate, the mask says which candidates there are.

| where | what |
|---|---|
| `batch.py` | the batch environment, `PlayBatchEnv` |
| `single.py` | the single-agent Gymnasium environment ``shengji/PlaySeat-v0``, `PlaySeatEnv` |
| `seat_vector.py` | many tables of it, with players in the other seats: `PlaySeatVectorEnv` |
| `listing.py` | compiled: candidates as plays made at tables |

Candidates are those of `players.candidates`; candidate 0 is the heuristic player's play. Source: docs/environment.md.
"""

from shengji_env.envs.plays.batch import PlayBatchEnv
from shengji_env.envs.plays.seat_vector import PlaySeatVectorEnv
from shengji_env.envs.plays.single import PlaySeatEnv

__all__ = ["PlayBatchEnv", "PlaySeatEnv", "PlaySeatVectorEnv"]
