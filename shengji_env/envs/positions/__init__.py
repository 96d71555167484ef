"""Positions: one point of a round as a value, for search.

A `Position` never changes: `apply` returns another one. It holds the whole table, hidden cards included, in a few
kilobytes, and is copied and played on in microseconds. What one seat may know of it is `information_state`; another
table at which that seat may just as well be sitting is `resample`.

| where | what |
|---|---|
| `position.py` | `Position` |
| `starts.py`, `histories.py` | where positions come from; what they are made of |
| `play_texts.py`, `information.py`, `texts.py` | whole plays, what a seat knows, and positions, as text |
| `resampling.py`, `retaken.py` | other tables at which the seat may be sitting; the same after an overbid |
| `whole_deals.py` | all deals of a few cards |
| `position_kernels.py` | the compiled code of all this |

>>> from shengji_env.envs.positions import Position
>>> position = Position.new("two_deck", seed=7)
>>> later = position.apply(position.legal_actions()[0])

Source: docs/environments/positions.md.
"""

from shengji_env.envs.positions.position import POSITION_FORMAT, Position

__all__ = ["POSITION_FORMAT", "Position"]
