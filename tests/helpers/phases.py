"""The phases that every round goes through."""

from shengji_env.engine.rule_sets import RuleSet, as_rules
from shengji_env.engine.state import Phase


def phases_of_cards(rules: RuleSet | str) -> set[Phase]:
    """Return the phases of plays of cards in every round; nothing is buried where there is no kitty."""
    return {Phase.LEAD, Phase.FOLLOW} | ({Phase.BURY} if as_rules(rules).kitty else set())
