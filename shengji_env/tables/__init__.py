"""Tables: what all environments are built on, the arrays of many tables, stepped by compiled code.

| module | what it decides |
|---|---|
| `settings` | what all tables have in common |
| `arrays`, `tables`, `typed_tables` | the arrays of N tables; the tables, begun and stepped; types of records |
| `stepping`, `seat_stepping` | the compiled step of all seats; of one seat among players |
| `queries` | random actions, players' random words, what a seat sees, what is illegal |
| `policies` | rules of decision that steps and playouts call by their addresses |
| `one_table` | one table, stepped from Python as cheaply as possible |
| `random_rounds` | whole rounds of random play in one call |
| `observation`, `observing` | the layout of what a seat sees; the writing of it |
| `holdings`, `history` | who holds which cards; the last plays |
| `truth` | the whole state as one vector |
| `rewards`, `infos` | what a round is worth; its result as plain values |
| `reset_options` | a start that is given instead of drawn |
| `abandoned` | the deals of a round that rebellions have ended |
| `snapshots` | everything that the next steps depend on, saved and put back |
| `illegal` | the error for an action that the mask forbids |
| `spaces` | Gymnasium's space of an observation |
| `own_arrays`, `raw_arrays`, `no_refcount`, `prefetch` | arrays as handed out; as compiled code takes them fastest |

The environments that users make are in `shengji_env.envs`. Source: docs/environment.md.
"""
