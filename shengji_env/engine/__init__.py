"""The engine: the rules as small compiled functions on one record.

| module | what it decides |
|---|---|
| `cards`, `slots`, `actions` | ids and texts; cards as a round sees them; the 83 actions |
| `rule_options`, `card_sets` | the definition of each option; which cards a deck has |
| `rule_sets` | rule sets and presets |
| `rule_record`, `result_tables` | a rule set as numbers; the points at which levels are won |
| `state` | what a table's state is |
| `compile`, `inner`, `rows` | how functions are compiled, and called by others; 54 counts handled at once |
| `deal`, `bids`, `leads`, `follows`, `tricks`, `results` | one area of the rules each |
| `ruffs`, `demotion` | throws that are ruffed component by component; levels lost by the last trick |
| `words` | random words for players, which reveal nothing about the deal |
| `components`, `packing` | what a set of cards consists of; what it can supply |
| `masks` | what is legal |
| `opening`, `rebellion`, `kitty`, `game` | the course of a round: trumps, weak hands, the kitty, tricks and result |
| `clearing` | what is empty when a round, a trick or a decision begins |
| `play` | a whole play: an action, or a set of cards taken one by one |
| `random_play` | whole rounds of random actions |
| `referee/` | the rules as a library, for cards as text or counts |
| `validation`, `burials` | whether a state from outside is possible; who has buried what in it |

Layer: imports only `errors` from the package; otherwise NumPy and Numba only.
"""
