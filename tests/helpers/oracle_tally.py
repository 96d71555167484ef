"""Counts of the positions on which engine and oracle are compared: how many, under which rules, with which features.

pytest-xdist spreads tests over processes, so nothing is counted across tests. Each test fills a `Tally` and asserts its
own share of `SLOW` or `FAST`; `test_oracle_tally.py` asserts the sums of the shares. Features are found by the
classifiers of `oracle_positions.py`, which ask the oracle and do not rely on how a position was made.

| share | position | in the slow suite |
|---|---|---|
| `7_sets`, `7_level_sets` | a set of one effective suit | 8 seeds × 10,000 each |
| `9_follows` | a lead and a hand, all legal plays compared | 8 × 2,000 |
| `9_demands`, `9_long_runs` | a lead and a hand, the demand compared | 8 × 5,000 each |
| `8_leads` | a hand, all leads compared, with throws and without | 8 × 500 |
| `8_throws` | a lead and three hands | 8 × 5,000 |
| `10_tricks` | four plays | 8 × 5,000 |
| each of `FOLLOW_KINDS` | like `9_follows`, of that kind | 2,000 |

Source: docs/rules.md §7 to §11.
"""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import product

from shengji_env.engine.rule_sets import RULE_SETS, RuleSet
from tests.helpers.oracle import Trump
from tests.helpers.oracle_positions import (
    POLICIES,
    FollowCase,
    has_equal_level_pairs,
    is_mixed_throw,
    is_short_suit,
    is_tractor_bound,
    is_triple_for_a_pair,
)

SEEDS_OF_SLOW_RUNS = range(1, 9)
SLOW = {
    "7_sets": 10_000,
    "7_level_sets": 10_000,
    "9_follows": 2_000,
    "9_demands": 5_000,
    "9_long_runs": 5_000,
    "8_leads": 500,
    "8_throws": 5_000,
    "10_tricks": 5_000,
}
"""Positions of each share for every seed of the slow suite."""
SLOW_OF_A_KIND = 2_000
"""Positions of each of `FOLLOW_KINDS` in the slow suite."""
SLOW_OVER_RUFFS = 850
"""Over-ruffs among the `10_tricks` of every seed of the slow suite."""
FAST = {
    "7_sets": 800,
    "7_level_sets": 800,
    "9_follows": 400,
    "9_demands": 400,
    "9_long_runs": 800,
    "8_leads": 60,
    "8_throws": 400,
    "10_tricks": 600,
}
"""Positions of each share in the fast suite."""
FAST_OF_A_KIND = 120
"""Positions of each of `FOLLOW_KINDS` in the fast suite."""

SHARE_OF_DIFFERENT = 0.8
"""Of a test's positions at least this share occurs once only: the sets around the level cards of one deck are few."""

ALL_TRUMPS = frozenset(Trump(suit, level) for suit in (None, 0, 1, 2, 3) for level in range(13))

FEATURES: dict[str, Callable[[FollowCase], bool]] = {
    "tractor_bound": is_tractor_bound,
    "triple_for_a_pair": is_triple_for_a_pair,
    "mixed_throw": is_mixed_throw,
    "equal_level_pairs": has_equal_level_pairs,
    "short_suit": is_short_suit,
}
"""What the oracle says of a follow, by the name of the kind that is made for it."""


def features_of(case: FollowCase) -> list[str]:
    """Which of `FEATURES` a follow has."""
    return [name for name, has_feature in FEATURES.items() if has_feature(case)]


@dataclass
class Tally:
    """The positions of one test."""

    checked: int = 0
    """How many there were."""
    different: set[int] = field(default_factory=set)
    """Hashes of the positions."""
    rules: set[tuple[str, str]] = field(default_factory=set)
    """Presets with follow priorities."""
    trumps: set[Trump] = field(default_factory=set)
    features: Counter[str] = field(default_factory=Counter)

    def add(self, rules: RuleSet, trump: Trump, cards: Hashable, features: Iterable[str] = ()) -> None:
        """Count a position that was checked; `cards` are what makes it, all of them."""
        self.checked += 1
        self.different.add(hash((rules.preset, rules.follow_priority, trump, cards)))
        self.rules.add((rules.preset, rules.follow_priority))
        self.trumps.add(trump)
        self.features.update(features)

    @property
    def decks(self) -> set[int]:
        """Numbers of decks that occurred."""
        return {RULE_SETS[preset].decks for preset, _ in self.rules}

    def assert_breadth(self, decks: Collection[int] = (1, 2, 3, 4)) -> None:
        """Every preset of these decks with every follow priority, every trump kind with every level; few twice."""
        presets = {name for name, rules in RULE_SETS.items() if rules.decks in decks}
        assert self.rules == set(product(presets, POLICIES))
        assert self.trumps == ALL_TRUMPS
        assert len(self.different) >= SHARE_OF_DIFFERENT * self.checked
