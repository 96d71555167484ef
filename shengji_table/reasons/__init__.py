"""Reasons: why one play is worth more than another, from what becomes of both in the same sampled deals.

| where | what |
|---|---|
| `courses.py` | what becomes of plays in sampled deals: where points go, what is kept |
| `splitting.py` | the parts of the difference, which sum to it |
| `explaining.py` | the part that explains most of it, and what it stands on |
| `wording.py` | what is said of it |

Source: docs/pictures.md.
"""

from collections.abc import Mapping

from shengji_env.arena.review.reviewed_decisions import Choice
from shengji_env.engine.rule_sets import RuleSet
from shengji_table.reasons.explaining import Explainer, Reason
from shengji_table.reasons.wording import in_both_languages

__all__ = ["Explainer", "Reason", "ReviewReasons", "in_both_languages"]


class ReviewReasons:
    """What reviews say of decisions, in words: the entry point ``shengji_env.reasons``.

    Args:
        rules: the rules.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._explainer = Explainer(rules)

    def __call__(self, choice: Choice, better: int, worse: int) -> Mapping[str, str]:
        """Return why a candidate of a decision is better than another, by language."""
        return in_both_languages(self._explainer.explain(choice, better, worse))
