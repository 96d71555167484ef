"""The engine: the rules as small compiled functions on one record.

| module | what it decides |
|---|---|
| `cards`, `slots`, `actions` | ids and texts; cards as a round sees them; the 82 actions |
| `options`, `rules` | options as words and numbers; rule sets and presets |
| `state` | what a table's state is |
| `deal`, `bids`, `leads`, `follows`, `tricks`, `results` | one area of the rules each |
| `components`, `packing` | what a set of cards consists of; what it can supply |
| `masks` | what is legal |
| `opening`, `game` | what happens: up to the kitty; from the kitty to the result |

Floor: imports nothing of the package above `errors`; NumPy and Numba only.
"""
