"""Why a hint is good: against the best other play, from what the seat knows."""

import numpy as np

from shengji_env.arena.review.reviewed_decisions import choice_at
from shengji_env.engine.rule_sets import RuleSet
from shengji_env.players.answers import Answer
from shengji_env.tables.tables import Tables
from shengji_table.puzzles.solving import DealValues
from shengji_table.reasons import Explainer, in_both_languages

_DEALS = 100
_SAYS_NOTHING = ("many", "unsure", "against")
"""Kinds of reasons that are of no use to who asks for a hint."""


def reason_for(rules: RuleSet, tables: Tables, answer: Answer) -> tuple[str, dict[str, str]] | None:
    """Return the play that a hint is compared with, and why the hint is better, by language.

    None is returned if there is no other play, or no reason shows.
    """
    choice = choice_at(rules, tables, answer)
    if choice.number < 2:
        return None
    values = DealValues(rules).outcomes(choice, choice.candidates, _DEALS, 0).mean(axis=1)
    values[choice.played] = -np.inf
    other = int(values.argmax())
    reason = Explainer(rules).explain(choice, choice.played, other)
    if reason.kind in _SAYS_NOTHING:
        return None
    return choice.answer(other) or "", in_both_languages(reason)
