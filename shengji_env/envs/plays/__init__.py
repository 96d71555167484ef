"""Whole plays as actions: an action is the index of a candidate, the mask says which candidates there are.

| where | what |
|---|---|
| `play_batch.py` | the batch environment, `PlayBatchEnv` |
| `play_seat.py` | the single-agent Gymnasium environment ``shengji/PlaySeat-v0``, `PlaySeatEnv` |
| `play_seat_vector.py` | many tables of it, with players in the other seats: `PlaySeatVectorEnv` |
| `play_stepping.py` | compiled: candidates as plays made at tables |

Candidates are those of `players.candidates`; candidate 0 is the heuristic player's play.
Source: docs/environments/plays.md.
"""

from shengji_env.envs.plays.play_batch import PlayBatchEnv
from shengji_env.envs.plays.play_seat import PlaySeatEnv
from shengji_env.envs.plays.play_seat_vector import PlaySeatVectorEnv

__all__ = ["PlayBatchEnv", "PlaySeatEnv", "PlaySeatVectorEnv"]
