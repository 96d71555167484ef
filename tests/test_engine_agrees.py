"""The engine against the oracle, on positions made for the purpose: the project's main test.

Everything is asked through `shengji_env.referee`, which calls the engine's functions and walks its masks; so a set of
legal plays that agrees with the oracle's says that the masks reach each legal play once, and nothing else.

Source: docs/rules.md §7 to §11.
"""

import random

import pytest
from numba.core import config as numba_config

from shengji_env import referee
from shengji_env.engine.options import CHOICES
from shengji_env.engine.rules import rule_set
from tests import oracle
from tests.oracle import Cards, Trump, text
from tests.oracle_positions import (
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

SEEDS_OF_SLOW_RUNS = range(1, 9)
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


def check_leads(hand: Cards, trump: Trump, *, throws: bool) -> None:
    """The set of legal leads agrees, and no lead is reached twice."""
    rules = rule_set("four_deck", throws=throws)
    found = [cards_of(play) for play in referee.legal_leads(counts_of(hand), referee_trump(trump), rules)]
    assert sorted(found) == oracle.legal_leads(hand, trump, throws), (text(hand), trump, throws)


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
        winner = referee.trick_winner(plays, leader, referee_trump(case.trump), case.rules)
        assert winner == (leader + oracle.trick_winner(case.plays[:seen], case.trump)) % 4, case


def check_multipliers(cards: Cards, trump: Trump) -> None:
    """All multipliers agree."""
    for kind in CHOICES["kitty_multiplier"]:
        rules = rule_set("four_deck", kitty_multiplier=kind)
        found = referee.kitty_multiplier(counts_of(cards), referee_trump(trump), rules)
        assert found == oracle.kitty_multiplier(cards, trump, kind), (text(cards), trump, kind)


# ---- many


def run_sets(seed: int, count: int) -> None:
    generator = random.Random(f"sets {seed}")
    for _ in range(count):
        trump = random_trump(generator)
        cards = random_set(generator, random_rules(generator), trump, 14)
        check_decomposition(cards, trump)
        check_multipliers(cards, trump)
        cards = random_level_set(generator, random_rules(generator), trump)
        if len(cards) <= 14:
            check_decomposition(cards, trump)


def run_follows(seed: int, count: int) -> None:
    generator = random.Random(f"follows {seed}")
    for _ in range(count):
        case = random_follow(generator)
        check_demand(case)
        check_follows(case)


def run_demands(seed: int, count: int) -> None:
    """Demands alone, which need no enumeration: longer leads and hands."""
    generator = random.Random(f"demands {seed}")
    for _ in range(count):
        check_demand(random_follow(generator, most=12))


def run_long_runs(seed: int, count: int) -> None:
    generator = random.Random(f"long runs {seed}")
    for _ in range(count):
        check_demand(long_run(generator))


def run_leads(seed: int, count: int) -> None:
    generator = random.Random(f"leads {seed}")
    for _ in range(count):
        trump = random_trump(generator)
        hand = random_set(generator, random_rules(generator), trump, 8)
        hand += random_set(generator, random_rules(generator, 1), trump, 3)
        hand = tuple(sorted(card for card in set(hand) for _ in range(min(hand.count(card), 4))))
        check_leads(hand, trump, throws=True)
        check_leads(hand, trump, throws=False)


def run_throws(seed: int, count: int) -> list[int]:
    generator = random.Random(f"throws {seed}")
    return [check_throw(random_throw(generator)) for _ in range(count)]


def run_tricks(seed: int, count: int) -> int:
    """Returns the number of over-ruffs."""
    generator = random.Random(f"tricks {seed}")
    over_ruffs = 0
    for _ in range(count):
        case = random_trick(generator)
        check_trick(case)
        over_ruffs += is_over_ruff(case)
    return over_ruffs


@pytest.mark.nojit
def test_7_decompositions_agree() -> None:
    run_sets(0, 800 // SHARE)


@pytest.mark.nojit
def test_9_random_follows_agree() -> None:
    run_follows(0, 400 // SHARE)


@pytest.mark.nojit
def test_9_demands_on_large_hands_agree() -> None:
    run_demands(0, 400 // SHARE)


@pytest.mark.nojit
def test_9_demands_on_long_runs_agree() -> None:
    run_long_runs(0, 800 // SHARE)


@pytest.mark.nojit
@pytest.mark.parametrize("kind", FOLLOW_KINDS)
def test_9_follows_agree_by_construction(kind: str) -> None:
    cases = cases_of(kind, 0, 120 // SHARE)
    for case in cases:
        check_demand(case)
        assert check_follows(case) > 0
    assert len(cases) == 120 // SHARE
    assert {case.rules.follow_priority for case in cases} == set(POLICIES)


@pytest.mark.nojit
def test_8_leads_agree_with_and_without_throws() -> None:
    run_leads(0, 60 // SHARE)


@pytest.mark.nojit
def test_8_throws_agree() -> None:
    choices = run_throws(0, 400 // SHARE)
    assert all(sum(kind) > 40 // SHARE for kind in zip(*((n == 0, n == 1, n > 1) for n in choices), strict=True))


@pytest.mark.nojit
def test_10_tricks_agree() -> None:
    assert run_tricks(0, 600 // SHARE) > 30 // SHARE


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS_OF_SLOW_RUNS)
def test_7_decompositions_agree_slow(seed: int) -> None:
    run_sets(seed, 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS_OF_SLOW_RUNS)
def test_9_random_follows_agree_slow(seed: int) -> None:
    run_follows(seed, 2_000)
    run_demands(seed, 5_000)
    run_long_runs(seed, 5_000)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FOLLOW_KINDS)
def test_9_follows_agree_by_construction_slow(kind: str) -> None:
    for case in cases_of(kind, 1, 2_000):
        check_demand(case)
        check_follows(case)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS_OF_SLOW_RUNS)
def test_8_leads_and_throws_agree_slow(seed: int) -> None:
    run_leads(seed, 500)
    run_throws(seed, 5_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS_OF_SLOW_RUNS)
def test_10_tricks_agree_slow(seed: int) -> None:
    assert run_tricks(seed, 5_000) > 200
