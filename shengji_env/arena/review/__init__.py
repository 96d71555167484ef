"""Reviews: every decision of a recorded round valued against its alternatives, to find those that cost most.

| where | what |
|---|---|
| `reviewed_decisions.py` | a round's decisions, each with its candidates and what was played |
| `valuers.py` | who values candidates: a network, playouts in the real deal, playouts in sampled deals |
| `network_valuer.py` | a network, in little time |
| `risky_throws.py` | what a network's throw is worth that may fail |
| `charging.py` | what decisions cost |
| `reviewing.py` | reviews of rounds, as the replay page shows them |
| `summarising.py` | what they come to for each seat, and what the deal was worth |
| `comparing.py` | two players on one deal: where they first differ |

Source: docs/pictures.md.
"""

from shengji_env.arena.review.reviewing import review_replay, review_round
from shengji_env.arena.review.valuers import Valuer, as_valuer

__all__ = ["Valuer", "as_valuer", "review_replay", "review_round"]
