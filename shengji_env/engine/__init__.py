"""The engine: the rules as small compiled functions on one record.

| module | what it decides |
|---|---|
| `cards`, `slots`, `actions` | ids and texts; cards as a round sees them; the 83 actions |
| `rule_options`, `card_sets` | the definition of each option; which cards a deck has |
| `rule_sets`, `presets`, `drawn_rules` | rule sets; the presets as data; rule sets drawn at random |
| `frozen_rules` | presets and values as they were when networks for all rules learned |
| `rule_record`, `result_tables` | a rule set as numbers; the points at which levels are won |
| `state`, `typed_records` | what a table's state is; the fields of records, for type checkers |
| `compile`, `inner` | how functions are compiled, and called by others |
| `compiler` | Numba, or what stands for it where it is not installed |
| `rows`, `lanes` | 54 counts handled at once, by the vectors of a CPU or the lanes of a warp of a GPU |
| `compiled_files`, `own_files` | the files in which compiled functions are kept; which ones nobody else may write |
| `source_digest`, `reached` | digests of what compiled code comes from: a layer's sources; what a function reaches |
| `deal`, `bids`, `rebellion`, `kitty`, `leads`, `follows`, `tricks`, `results` | one area of the rules each |
| `ruffs`, `demotion` | with certain options: how ruffs of a throw compare; levels that declarers lose |
| `words` | random words for players, which reveal nothing about the deal |
| `components`, `packing` | what a set of cards consists of; what it can supply |
| `masks` | what is legal |
| `opening`, `game` | the course of a round: its beginning, up to the kitty; its actions, down to the result |
| `clearing` | what is empty when a round, a trick or a decision begins |
| `play` | a whole play: an action, or a set of cards taken one by one |
| `random_play` | whole rounds of random actions |
| `referee/` | the rules as a library, for cards as text or counts |

Layer: imports only `errors` from the package; otherwise NumPy and Numba only.
"""
