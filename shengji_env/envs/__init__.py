"""Environments, as users make them: what steps the tables of `shengji_env.tables`.

| where | what | its name outside |
|---|---|---|
| `aec.py` | PettingZoo, all seats, one table | `shengji_env.shengji_v0` |
| `batch.py` | all seats, many tables | `shengji_env.vector` |
| `seat/` | Gymnasium, one seat with players around it, one table or many | ``shengji/Seat-v0`` |
| `plays/` | whole plays as actions: all seats or one, one table or many | ``shengji/PlaySeat-v0`` |
| `words.py` | a round told and answered in words, for language models | |
| `positions/` | one point of a round as a value, for search | |
| `answering.py` | which of the players around an agent answer inside the step, and that step | |
| `answered_seats.py` | players in seats of the batch environment | |
| `rendering.py` | what their `render` returns | |

Source: docs/environment.md.
"""
