"""On how many positions engine and oracle are compared, and whether the classifiers recognise the features.

Each test of `test_agrees.py` asserts its own share (`oracle_tally.py`); here are the sums.

Source: docs/rules.md §7 to §10.
"""

import pytest

from shengji_env.engine.rule_sets import RULE_SETS, rule_set
from tests.engine.test_agrees import RUNS
from tests.helpers.make_perft import parse_trump
from tests.helpers.oracle import parse
from tests.helpers.oracle_positions import FOLLOW_KINDS, FollowCase, TrickCase, is_over_ruff
from tests.helpers.oracle_tally import (
    ALL_TRUMPS,
    FAST,
    FAST_OF_A_KIND,
    FEATURES,
    SEEDS_OF_SLOW_RUNS,
    SHARE_OF_DIFFERENT,
    SLOW,
    SLOW_OF_A_KIND,
    SLOW_OVER_RUFFS,
    Tally,
)

pytestmark = pytest.mark.nojit


def test_the_slow_suite_checks_200_000_different_positions() -> None:
    checked = len(SEEDS_OF_SLOW_RUNS) * sum(SLOW.values()) + len(FOLLOW_KINDS) * SLOW_OF_A_KIND
    assert SHARE_OF_DIFFERENT * checked >= 200_000
    assert set(SLOW) == set(FAST) == set(RUNS)


def test_the_slow_suite_checks_1000_positions_of_each_feature() -> None:
    assert set(FEATURES) == set(FOLLOW_KINDS)
    assert {"tractor_bound", "triple_for_a_pair", "mixed_throw", "equal_level_pairs"} <= set(FEATURES)
    assert SLOW_OF_A_KIND >= 1000
    assert len(SEEDS_OF_SLOW_RUNS) * SLOW_OVER_RUFFS >= 1000


def test_the_fast_suite_checks_a_few_thousand_positions() -> None:
    assert sum(FAST.values()) + len(FOLLOW_KINDS) * FAST_OF_A_KIND >= 2000


def test_breadth_is_every_preset_policy_trump_and_level() -> None:
    assert len(ALL_TRUMPS) == 5 * 13
    tally = Tally()
    for trump in sorted(ALL_TRUMPS, key=str):
        for name in RULE_SETS:
            for policy in ("width_first", "triples_then_tractors", "tractors_first"):
                tally.add(rule_set(name, follow_priority=policy), trump, (0,))
    tally.assert_breadth()
    assert tally.decks == {1, 2, 3, 4}
    without_a_trump = set(list(ALL_TRUMPS)[1:])
    repeated = Tally(checked=9, different={1}, rules=tally.rules, trumps=tally.trumps)
    for missing in (Tally(), Tally(1, {1}, tally.rules, without_a_trump), repeated):
        with pytest.raises(AssertionError):
            missing.assert_breadth()


@pytest.mark.parametrize(
    ("feature", "trump", "lead", "hand", "expected"),
    [
        ("tractor_bound", "S2", "H9 H9 HT HT", "H3 H3 H4 H4 H6", True),
        ("tractor_bound", "S2", "H9 H9 HT HT HJ HJ", "H3 H3 H4 H4 H6 H7 H8", True),
        ("tractor_bound", "S2", "H9 H9 HT HT", "H3 H3 H5 H5 H6", False),
        ("tractor_bound", "S2", "H9 H9 HQ HQ", "H3 H3 H4 H4 H6", False),
        ("tractor_bound", "S2", "H9 H9 HT HT", "H3 H3 H4 H4", False),
        ("triple_for_a_pair", "S2", "H9 H9", "H3 H3 H3 H4", True),
        ("triple_for_a_pair", "S2", "H9 H9", "H3 H3 H3 H3 H4", True),
        ("triple_for_a_pair", "S2", "H9 H9", "H3 H3 H3 H4 H4", False),
        ("triple_for_a_pair", "S2", "H9 H9 H9", "H3 H3 H3 H4", False),
        ("triple_for_a_pair", "S2", "H9 HT", "H3 H3 H3 H4", False),
        ("mixed_throw", "S2", "H9 H9 HJ", "H3 H4 H5 H6", True),
        ("mixed_throw", "S2", "H9 H9 HT HT HQ HQ", "H3", True),
        ("mixed_throw", "S2", "H9 H9 HJ HJ", "H3 H4 H5 H6 H7", False),
        ("mixed_throw", "S2", "H9 H9 HT HT", "H3 H4 H5 H6 H7", False),
        ("equal_level_pairs", "S5", "S9 S9", "C5 C5 D5 D5", True),
        ("equal_level_pairs", "NT5", "LJ LJ", "S5 S5 D5 D5", True),
        ("equal_level_pairs", "S5", "S9 S9", "S5 S5 D5 D5", False),
        ("equal_level_pairs", "S5", "H9 H9", "C5 C5 D5 D5", False),
        ("short_suit", "S2", "H9 H9", "H3 C4 C5", True),
        ("short_suit", "S2", "H9 H9", "H3 H4", True),
        ("short_suit", "S2", "H9 H9", "H3 H4 H5", False),
    ],
)  # fmt: skip
def test_9_features_of_follows_are_found(feature: str, trump: str, lead: str, hand: str, expected: bool) -> None:
    case = FollowCase(rule_set("four_deck"), parse_trump(trump), parse(lead), parse(hand))
    assert FEATURES[feature](case) == expected


@pytest.mark.parametrize(
    ("plays", "expected"),
    [
        (["H3", "S3", "S4", "H9"], True),
        (["H3", "H9", "S3", "LJ"], True),
        (["H3 H3", "S3 S3", "HA HA", "S4 S4"], True),
        (["H3", "H9", "S3", "HA"], False),
        (["H3", "H9", "HT", "HA"], False),
        (["H3", "S4", "S3", "H9"], False),
        (["S3", "S4", "S5", "S6"], False),
        (["H3 H3", "S3 S3", "S4 S5", "HA HA"], False),
    ],
)
def test_10_over_ruffs_are_found(plays: list[str], expected: bool) -> None:
    assert is_over_ruff(TrickCase(rule_set(), parse_trump("S2"), tuple(map(parse, plays)))) == expected
