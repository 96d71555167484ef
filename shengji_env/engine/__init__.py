"""The engine: the rules as small compiled functions on one record.

| module | what it decides |
|---|---|
| `cards`, `slots`, `actions` | ids and texts; cards as a round sees them; the 83 actions |
| `rule_options`, `rule_sets` | the definition of each option; rule sets and presets |
| `rule_record`, `result_tables` | a rule set as numbers; the points at which levels are won |
| `state` | what a table's state is |
| `compile`, `inner`, `rows` | how functions are compiled, and called by others; 54 counts handled at once |
| `deal`, `bids`, `leads`, `follows`, `tricks`, `results` | one area of the rules each |
| `words` | random words for players, which reveal nothing about the deal |
| `components`, `packing` | what a set of cards consists of; what it can supply |
| `masks` | what is legal |
| `opening`, `game` | the course of a round: up to the kitty; from the kitty to the result |
| `play` | a whole play: an action, or a set of cards taken one by one |
| `random_play` | whole rounds of random actions |
| `referee/` | the rules as a library, for cards as text or counts |
| `validation` | whether a state from outside is possible |

Layer: imports only `errors` from the package; otherwise NumPy and Numba only.
"""
