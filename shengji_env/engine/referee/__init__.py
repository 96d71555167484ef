"""The referee: the rules as a library that a person can ask.

Cards are text (``"S2 HT DK"``) or count vectors, `rules` a `RuleSet` or its text (``"three_deck"``). Every answer comes
from the engine's own functions, and the legal plays from walking its masks, so what the referee says is what the
environments do.

| question | asked with | docs/rules.md |
|---|---|---|
| who may bid what | `legal_bids` | §4 |
| what does a set consist of | `decompose` | §7 |
| what may be led | `check_lead`, `legal_leads` | §8 |
| what does a throw become | `beaten_components`, `led_after_throw` | §8 |
| what does a hand owe, what may it play | `demand`, `is_legal_follow`, `check_follow`, `legal_follows` | §9 |
| who wins, what is it worth | `trick_winner`, `kitty_multiplier`, `settle` | §10, §11, §12 |

`plays.py` and `rounds.py` answer, `values.py` has what is given and answered, `play_position.py` walks over all legal
plays.

Every function raises `NotationError` if what it is given cannot be read or does not have the form that it names, and
`IllegalActionError` for a lead, a follow or a choice that is not allowed; the message says why.

>>> from shengji_env.engine.referee import Trump, demand
>>> demand("H7 H7 H8 H8", "H3 H3 H4 H5 H9", Trump("S", "2"), "two_deck")
((2, 1), (1, 1), (1, 1))

Source: docs/rules.md.
"""

from shengji_env.engine.cards import format_cards, parse_cards
from shengji_env.engine.referee.plays import (
    beaten_components,
    check_follow,
    check_lead,
    decompose,
    demand,
    is_legal_follow,
    led_after_throw,
    legal_follows,
    legal_leads,
    trick_winner,
)
from shengji_env.engine.referee.rounds import Bid, RoundResult, kitty_multiplier, legal_bids, settle
from shengji_env.engine.referee.values import Cards, Component, IllegalPlayError, Trump
from shengji_env.engine.rule_sets import RULE_SETS, RuleSet, rule_set

__all__ = [
    "RULE_SETS",
    "Bid",
    "Cards",
    "Component",
    "IllegalPlayError",
    "RoundResult",
    "RuleSet",
    "Trump",
    "beaten_components",
    "check_follow",
    "check_lead",
    "decompose",
    "demand",
    "format_cards",
    "is_legal_follow",
    "kitty_multiplier",
    "led_after_throw",
    "legal_bids",
    "legal_follows",
    "legal_leads",
    "parse_cards",
    "rule_set",
    "settle",
    "trick_winner",
]
