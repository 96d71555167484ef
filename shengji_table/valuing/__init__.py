"""What the candidates of a recorded decision are worth, and what decisions cost.

| where | what |
|---|---|
| `reviewed_decisions.py` | a round's decisions, each with its candidates and what was played |
| `valuers.py` | who values candidates: a network, playouts in the real deal, playouts in sampled deals |
| `network_valuer.py` | a network, in little time |
| `risky_throws.py` | what a network's throw is worth that may fail |
| `charging.py` | what decisions cost |

Source: docs/pictures.md.
"""
