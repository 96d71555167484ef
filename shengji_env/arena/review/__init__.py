"""Reviews: every decision of a recorded round valued against its alternatives, to find those that cost most.

| where | what |
|---|---|
| `reviewed_decisions.py` | a round's decisions, each with its candidates and what was played |
| `valuers.py` | who values candidates: a network, playouts in the real deal, playouts in sampled deals |
| `reviewing.py` | what decisions cost, and the marks that the replay page shows |

Source: docs/pictures.md.
"""

from shengji_env.arena.review.reviewing import review_replay, review_round
from shengji_env.arena.review.valuers import Valuer, as_valuer

__all__ = ["Valuer", "as_valuer", "review_replay", "review_round"]
