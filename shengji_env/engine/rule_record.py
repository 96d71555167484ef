"""A rule set as numbers: the record that compiled code reads, and its features, which observations show.

`RULE_FEATURES` says what the features are: a word is one-hot, a set of ranks has a feature for each, a set of cards one
for each suit, rank and joker; everything else is one number, at most 127. They are in the order in which options and
values were added, so an option that is added takes indices that were 0 before, and observations keep their layout. A
default word of edition 5 or later has no feature.

Source: docs/rules.md §14.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shengji_env.engine.card_sets import CARD_WORDS, cards_dealt, has_word
from shengji_env.engine.cards import CARD_POINTS, NUM_CARDS
from shengji_env.engine.compile import record_type
from shengji_env.engine.result_tables import MAX_ENTRIES, ResultTable
from shengji_env.engine.rule_options import (
    ABOUT,
    CARD_SETS,
    CHOICES,
    DEFAULTS,
    OPTION_NAMES,
    REQUIRABLE_RANKS,
    TYPES,
    number_of,
)

NUM_RULE_FEATURES = 160
"""Number of features of a rule set. Those that no option uses yet are 0."""
MAX_RULE_FEATURE = 127
_ALL_WORDS = 4
"""Options of later editions have no feature for their default: where it is set, observations stay as they were."""


class RuleFeature(NamedTuple):
    """One feature: the option; for a word or a set, also the value for which it is 1."""

    option: str
    value: str = ""

    @property
    def doc(self) -> str:
        """What the feature says."""
        if self.option in CARD_SETS:
            return f"1 if `{self.option}` names {self.value}; 0 where all cards are dealt"
        if self.value:
            return f"1 if `{self.option}` {'is' if self.option in CHOICES else 'contains'} {self.value}"
        if TYPES[self.option] is bool:
            return f"1 if `{self.option}`"
        unit = ABOUT[self.option].unit
        return f"`{self.option}`" + (f", in units of {unit}" if unit > 1 else "")

    def of(self, value: Any) -> int:
        """Return the feature for a value of its option."""
        if self.option in CARD_SETS:
            return int(has_word(value, self.value))
        if self.value:
            return int(self.value == value if self.option in CHOICES else self.value in value)
        return min(int(value) // ABOUT[self.option].unit, MAX_RULE_FEATURE)


def _rule_features() -> tuple[RuleFeature, ...]:
    features = []
    for option in OPTION_NAMES:
        values: Iterable[str] = CHOICES.get(option, REQUIRABLE_RANKS if TYPES[option] is str else ("",))
        if option in CARD_SETS:
            values = CARD_WORDS
        about = ABOUT[option]
        if option in CHOICES and about.edition > _ALL_WORDS:
            values = [value for value in values if value != DEFAULTS[option]]
        features += [(about.later.get(value, about.edition), RuleFeature(option, value)) for value in values]
    return tuple(feature for _, feature in sorted(features, key=lambda pair: pair[0]))


RULE_FEATURES = _rule_features()
assert len(RULE_FEATURES) <= NUM_RULE_FEATURES


def index_of(option: str, value: str = "") -> int:
    """Return the index among the features of an option, or of one of its values."""
    return RULE_FEATURES.index(RuleFeature(option, value))


_TABLE_FIELDS = [
    ("declarers_below", np.int16, (MAX_ENTRIES,)),
    ("declarers_levels", np.int16, (MAX_ENTRIES,)),
    ("num_declarers_entries", np.int16),
    ("attackers_from", np.int16, (MAX_ENTRIES,)),
    ("attackers_levels", np.int16, (MAX_ENTRIES,)),
    ("num_attackers_entries", np.int16),
    ("attackers_step", np.int16),
    ("last_trick_wins", np.int16),
]

RULES_DTYPE = record_type(
    [
        *((option, np.int16) for option in OPTION_NAMES),
        ("hand", np.int16),
        ("total", np.int16),
        ("points", np.int16),
        ("copies", np.int8, (NUM_CARDS,)),
        *_TABLE_FIELDS,
        ("features", np.int8, (NUM_RULE_FEATURES,)),
    ]
)
"""All options (`number_of`), cards dealt to a seat and to all, points and copies of each card id that are dealt, the
result table, `RULE_FEATURES`."""


def make_record(options: dict[str, Any], hand: int, table: ResultTable) -> NDArray[np.void]:
    """Return options, cards of a hand and result table as numbers: shape (1,), RULES_DTYPE."""
    array = np.zeros(1, dtype=RULES_DTYPE)
    for name, value in options.items():
        array[name] = number_of(name, value)
    copies = np.array(cards_dealt(options["cards"])) * options["decks"]
    array["hand"] = hand
    array["total"] = copies.sum()
    array["points"] = copies @ CARD_POINTS
    array["copies"] = copies
    for side, bounds, entries in (
        ("declarers", "declarers_below", table.declarers),
        ("attackers", "attackers_from", table.attackers),
    ):
        array[f"num_{side}_entries"] = len(entries)
        for index, (bound, levels) in enumerate(entries):
            array[bounds][0, index] = bound
            array[f"{side}_levels"][0, index] = levels
    array["attackers_step"] = table.step
    array["last_trick_wins"] = int(table.last_trick_wins)
    array["features"][0, : len(RULE_FEATURES)] = [feature.of(options[feature.option]) for feature in RULE_FEATURES]
    return array
