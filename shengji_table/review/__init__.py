"""Reviews: every decision of a recorded round valued against its alternatives, to find those that cost most.

| where | what |
|---|---|
| `reviewing.py` | reviews of rounds, as the replay page shows them |
| `summarising.py` | what they come to for each seat, and what the deal was worth |
| `comparing.py` | two players on one deal: where they first differ |
| `worst_deals.py` | the deals of a record in which a player lost most |
| `compiled_reviews.py` | what they compile |

Source: docs/pictures.md.
"""

from shengji_table.review.reviewing import review_replay, review_round
from shengji_table.valuing.valuers import Valuer, as_valuer

__all__ = ["Valuer", "as_valuer", "review_replay", "review_round"]
