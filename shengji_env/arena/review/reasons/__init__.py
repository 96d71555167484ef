"""Reasons: why one play is worth more than another, from what becomes of both in the same sampled deals.

| where | what |
|---|---|
| `splitting.py` | the parts of the difference, which sum to it |
| `explaining.py` | the part that explains most of it, and what it stands on |
| `wording.py` | what is said of it |

`players.search.courses` plays both out, and notes where points go and what is kept.

Source: docs/pictures.md.
"""

from shengji_env.arena.review.reasons.explaining import Explainer, Reason
from shengji_env.arena.review.reasons.wording import in_both_languages

__all__ = ["Explainer", "Reason", "in_both_languages"]
