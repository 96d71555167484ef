"""Values of options for people, and where an option changes nothing.

Source: docs/rules.md §14.
"""

from typing import Any

from shengji_env.engine.rule_options import ABOUT, ALL_CARDS, CARD_SETS, NO_RANKS
from shengji_env.engine.rule_sets import RuleSet

NO_EFFECT = "–"


def has_effect(rules: RuleSet, option: str) -> bool:
    """Return whether an option can change a round or a match of a rule set."""
    return ABOUT[option].has_effect(rules)


def value_text(option: str, value: Any) -> str:
    """Return an option's value in the form for people."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) or (ALL_CARDS if option in CARD_SETS else NO_RANKS)


def shown_value(rules: RuleSet, option: str) -> str:
    """Return an option's value in a rule set, or a dash where it changes nothing."""
    return value_text(option, rules.options[option]) if has_effect(rules, option) else NO_EFFECT
