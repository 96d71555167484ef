"""The engine against the oracle, on positions made for this purpose: the project's main test.

All questions go through `engine.referee`, which calls the engine's functions and follows its masks. So if its
legal plays agree with the oracle's, the masks reach each legal play exactly once, and nothing else.

Source: docs/rules.md §7 to §11.
"""

import dataclasses
import random
from collections.abc import Callable

import pytest
from numba.core import config as numba_config

from shengji_env.engine import referee
from shengji_env.engine.rule_options import CHOICES
from shengji_env.engine.rule_sets import RuleSet, rule_set
from tests.helpers import oracle
from tests.helpers.oracle import Cards, Trump, text
from tests.helpers.oracle_positions import (
    FOLLOW_KINDS,
    POLICIES,
    FollowCase,
    ThrowCase,
    TrickCase,
    cards_of,
    cases_of,
    counts_of,
    is_over_ruff,
    long_run,
    oracle_component,
    random_follow,
    random_level_set,
    random_rules,
    random_set,
    random_throw,
    random_trick,
    random_trump,
    referee_trump,
)
from tests.helpers.oracle_tally import (
    FAST,
    FAST_OF_A_KIND,
    FEATURES,
    SEEDS_OF_SLOW_RUNS,
    SLOW,
    SLOW_OF_A_KIND,
    SLOW_OVER_RUFFS,
    Tally,
    features_of,
)

SHARE = 4 if numba_config.DISABLE_JIT else 1
"""Plain Python is slow: it does one in so many of the fast suite's positions."""


# ---- one position each


def check_decomposition(cards: Cards, trump: Trump) -> None:
    """Components, their cards and their order agree."""
    found = referee.decompose(counts_of(cards), referee_trump(trump))
    expected = oracle.decompose(cards, trump)
    assert [oracle_component(part, trump) for part in found] == list(expected), (text(cards), trump)


def check_demand(case: FollowCase) -> None:
    """What is owed agrees, singles included."""
    found = referee.demand(counts_of(case.lead), counts_of(case.hand), referee_trump(case.trump), case.rules)
    if len(case.held) > len(case.lead):
        expected = oracle.demand(case.lead, case.hand, case.trump, case.rules.follow_priority)
    else:
        expected = ((1, 1),) * len(case.held)
    assert found == expected, case


def check_follows(case: FollowCase) -> int:
    """The set of legal follows agrees, and no follow is reached twice; returns its size."""
    if len(case.hand) < len(case.lead):
        return 0
    arguments = (counts_of(case.lead), counts_of(case.hand), referee_trump(case.trump), case.rules)
    found = [cards_of(play) for play in referee.legal_follows(*arguments)]
    expected = oracle.legal_follows(case.lead, case.hand, case.trump, case.rules.follow_priority)
    assert sorted(found) == expected, case
    return len(found)


def check_leads(rules: RuleSet, hand: Cards, trump: Trump) -> None:
    """The set of legal leads agrees, and no lead is reached twice."""
    found = [cards_of(play) for play in referee.legal_leads(counts_of(hand), referee_trump(trump), rules)]
    assert sorted(found) == oracle.legal_leads(hand, trump, rules.throws), (rules, text(hand), trump)


def check_throw(case: ThrowCase) -> int:
    """What is beaten and what is led in the end agrees; returns the number of choices."""
    trump, lead, others = referee_trump(case.trump), counts_of(case.lead), [counts_of(hand) for hand in case.others]
    beaten = referee.beaten_components(lead, others, trump)
    expected = oracle.beaten_components(case.lead, case.others, case.trump)
    assert [oracle_component(part, case.trump) for part in beaten] == list(expected), case
    choices = oracle.forced_choices(case.lead, case.others, case.trump)
    for failed_throw in CHOICES["failed_throw"]:
        rules = rule_set(case.rules.preset, throws=True, failed_throw=failed_throw)
        for choice in choices or (None,):
            cards = None if choice is None else choice.cards
            led = referee.led_after_throw(lead, others, trump, rules, None if cards is None else counts_of(cards))
            expected_led = oracle.led_after_throw(case.lead, case.others, case.trump, failed_throw, cards)
            assert cards_of(led) == expected_led, (case, failed_throw, choice)
    return len(choices)


def check_trick(case: TrickCase) -> None:
    """The winner agrees after each play, whoever leads."""
    for seen in range(1, len(case.plays) + 1):
        plays = [counts_of(play) for play in case.plays[:seen]]
        leader = len(case.plays[0]) % 4
        for kind in CHOICES["throw_contest"]:
            rules = dataclasses.replace(case.rules, throw_contest=kind)
            winner = referee.trick_winner(plays, leader, referee_trump(case.trump), rules)
            assert winner == (leader + oracle.trick_winner(case.plays[:seen], case.trump, kind)) % 4, (case, kind)


def check_multipliers(preset: str, cards: Cards, trump: Trump) -> None:
    """All multipliers agree."""
    for kind in CHOICES["kitty_multiplier"]:
        rules = rule_set(preset, kitty_multiplier=kind)
        found = referee.kitty_multiplier(counts_of(cards), referee_trump(trump), rules)
        assert found == oracle.kitty_multiplier(cards, trump, kind), (text(cards), trump, kind)


# ---- many positions: each function returns what it has checked


def run_sets(seed: int, count: int) -> Tally:
    generator, tally = random.Random(f"sets {seed}"), Tally()
    for _ in range(count):
        rules, trump = random_rules(generator), random_trump(generator)
        cards = random_set(generator, rules, trump, 14)
        check_decomposition(cards, trump)
        check_multipliers(rules.preset, cards, trump)
        tally.add(rules, trump, cards)
    return tally


def run_level_sets(seed: int, count: int) -> Tally:
    generator, tally = random.Random(f"level sets {seed}"), Tally()
    while tally.checked < count:
        rules, trump = random_rules(generator), random_trump(generator)
        cards = random_level_set(generator, rules, trump)
        if len(cards) <= 14:
            check_decomposition(cards, trump)
            tally.add(rules, trump, cards)
    return tally


def run_follows(seed: int, count: int) -> Tally:
    generator, tally = random.Random(f"follows {seed}"), Tally()
    for _ in range(count):
        case = random_follow(generator)
        check_demand(case)
        assert check_follows(case) > 0
        tally.add(case.rules, case.trump, (case.lead, case.hand), features_of(case))
    return tally


def run_demands(seed: int, count: int) -> Tally:
    """Demands alone, which need no enumeration: longer leads and hands."""
    generator, tally = random.Random(f"demands {seed}"), Tally()
    for _ in range(count):
        case = random_follow(generator, most=12)
        check_demand(case)
        tally.add(case.rules, case.trump, (case.lead, case.hand))
    return tally


def run_long_runs(seed: int, count: int) -> Tally:
    generator, tally = random.Random(f"long runs {seed}"), Tally()
    for _ in range(count):
        case = long_run(generator)
        check_demand(case)
        tally.add(case.rules, case.trump, (case.lead, case.hand))
    return tally


def run_leads(seed: int, count: int) -> Tally:
    """As many positions of each number of decks."""
    generator, tally = random.Random(f"leads {seed}"), Tally()
    for number in range(count):
        rules, trump = random_rules(generator, 1 + number % 4), random_trump(generator)
        hand = random_set(generator, rules, trump, 8) + random_set(generator, rules, trump, 3)
        hand = tuple(sorted(card for card in set(hand) for _ in range(min(hand.count(card), rules.decks))))
        for throws in (True, False):
            check_leads(rule_set(rules.preset, throws=throws), hand, trump)
        tally.add(rules, trump, hand)
    return tally


def run_throws(seed: int, count: int) -> Tally:
    """Features: `stands`, `one choice`, `choices`."""
    generator, tally = random.Random(f"throws {seed}"), Tally()
    for _ in range(count):
        case = random_throw(generator)
        choices = check_throw(case)
        outcome = ("stands", "one choice", "choices")[min(choices, 2)]
        tally.add(case.rules, case.trump, (case.lead, case.others), [outcome])
    return tally


def run_tricks(seed: int, count: int) -> Tally:
    """Features: `over-ruff`."""
    generator, tally = random.Random(f"tricks {seed}"), Tally()
    for _ in range(count):
        case = random_trick(generator)
        check_trick(case)
        tally.add(case.rules, case.trump, case.plays, ["over-ruff"] * is_over_ruff(case))
    return tally


def run_kind(kind: str, seed: int, count: int) -> Tally:
    """Follows of one kind: the classifier must say so of each."""
    tally = Tally()
    for case in cases_of(kind, seed, count):
        check_demand(case)
        assert check_follows(case) > 0
        assert FEATURES[kind](case), case
        tally.add(case.rules, case.trump, (case.lead, case.hand), features_of(case))
    return tally


RUNS: dict[str, Callable[[int, int], Tally]] = {
    "7_sets": run_sets,
    "7_level_sets": run_level_sets,
    "9_follows": run_follows,
    "9_demands": run_demands,
    "9_long_runs": run_long_runs,
    "8_leads": run_leads,
    "8_throws": run_throws,
    "10_tricks": run_tricks,
}
DECKS = {
    "9_long_runs": {3, 4},
    "tractor_bound": {2, 3, 4},
    "triple_for_a_pair": {3, 4},
    "mixed_throw": {2, 3, 4},
    "equal_level_pairs": {2, 3, 4},
}
"""Decks of the positions that need more than one."""
ANY_DECKS = {1, 2, 3, 4}


@pytest.mark.nojit
@pytest.mark.parametrize("share", RUNS)
def test_engine_and_oracle_agree(share: str) -> None:
    tally = RUNS[share](0, FAST[share] // SHARE)
    assert tally.checked == FAST[share] // SHARE
    assert tally.decks == DECKS.get(share, ANY_DECKS)
    if share == "10_tricks":
        assert tally.features["over-ruff"] > 30 // SHARE
    if share == "8_throws":
        assert all(tally.features[kind] > 40 // SHARE for kind in ("stands", "one choice", "choices"))


@pytest.mark.nojit
@pytest.mark.parametrize("kind", FOLLOW_KINDS)
def test_9_follows_agree_by_construction(kind: str) -> None:
    tally = run_kind(kind, 0, FAST_OF_A_KIND // SHARE)
    assert tally.checked == tally.features[kind] == FAST_OF_A_KIND // SHARE
    assert {policy for _, policy in tally.rules} == set(POLICIES)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS_OF_SLOW_RUNS)
@pytest.mark.parametrize("share", RUNS)
def test_engine_and_oracle_agree_slow(share: str, seed: int) -> None:
    tally = RUNS[share](seed, SLOW[share])
    assert tally.checked == SLOW[share]
    if share != "8_leads":
        tally.assert_breadth(DECKS.get(share, ANY_DECKS))
    if share == "10_tricks":
        assert tally.features["over-ruff"] >= SLOW_OVER_RUFFS


@pytest.mark.slow
@pytest.mark.parametrize("kind", FOLLOW_KINDS)
def test_9_follows_agree_by_construction_slow(kind: str) -> None:
    tally = run_kind(kind, 1, SLOW_OF_A_KIND)
    assert tally.checked == tally.features[kind] == SLOW_OF_A_KIND
    tally.assert_breadth(DECKS.get(kind, ANY_DECKS))
