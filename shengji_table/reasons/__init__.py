"""Reasons: why one play is worth more than another, from the cards and from what becomes of both in sampled deals.

| where | what |
|---|---|
| `card_facts.py` | what the cards say of a play: who is winning, what nobody can beat, who is void |
| `card_words.py` | how that is said |
| `courses.py` | what becomes of plays in sampled deals: where points go, what is kept |
| `splitting.py` | the parts of the difference, which sum to it |
| `explaining.py` | the part that explains most of it, and what it stands on |
| `wording.py` | what is said of it |

Source: docs/pictures.md.
"""

from collections.abc import Mapping

from shengji_env.engine.rule_sets import RuleSet
from shengji_table.reasons.card_words import words_on
from shengji_table.reasons.explaining import Explainer, Reason
from shengji_table.reasons.wording import in_both_languages, joined
from shengji_table.valuing.reviewed_decisions import Choice

__all__ = ["Explainer", "Reason", "ReviewReasons", "in_both_languages", "joined", "words_on"]


class ReviewReasons:
    """What reviews say of decisions, in words.

    Args:
        rules: the rules.
        playouts: whether there is time for playouts.
    """

    def __init__(self, rules: RuleSet, playouts: bool) -> None:
        self._rules, self._explainer = rules, Explainer(rules) if playouts else None

    def __call__(self, choice: Choice, better: int, worse: int) -> Mapping[str, str] | None:
        """Return why a candidate of a decision is better than another, by language; None if playouts deny it."""
        reason = self._explainer.explain(choice, better, worse) if self._explainer else None
        if reason is not None and reason.is_denied:
            return None
        cards = words_on(choice.truth, self._rules, choice.given(better), choice.given(worse), is_open=True)
        return cards if reason is None else joined(cards, in_both_languages(reason))
