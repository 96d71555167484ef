"""Bids, kitty and results through the referee, against the oracle and the sentences of the rules.

Source: docs/rules.md §4, §11, §12.
"""

import random
from collections import Counter

import pytest

from shengji_env.engine.referee import Bid, RoundResult, Trump, kitty_multiplier, legal_bids, settle
from shengji_env.engine.result_tables import RESULT_TABLES
from shengji_env.engine.rule_sets import RULE_SETS, rule_set
from shengji_env.errors import NotationError
from tests.helpers import oracle
from tests.helpers.oracle import RANKS

pytestmark = pytest.mark.nojit

SPADES_2 = Trump("S", "2")


def texts(bids: tuple[Bid, ...]) -> list[str]:
    return [bid.cards for bid in bids]


# ---- §4


def test_4_one_level_card_is_enough() -> None:
    assert legal_bids("S2 H3 LJ", ("2", "2"), 1, None, "two_deck") == (Bid(1, "S2"),)


def test_4_a_reinforced_bid_is_the_same_card_more_of_them() -> None:
    bids = legal_bids("S2 S2 H2 H2 BJ BJ", ("2", "2"), 0, Bid(0, "S2"), "two_deck")
    assert texts(bids) == ["S2 S2"]


def test_4_overturning_needs_more_cards_or_jokers() -> None:
    hand = "S2 S2 H2 H2 LJ LJ BJ BJ"
    assert texts(legal_bids(hand, ("2", "2"), 1, (0, "C2"), "two_deck")) == ["H2 H2", "S2 S2", "LJ LJ", "BJ BJ"]
    assert texts(legal_bids(hand, ("2", "2"), 1, (0, "LJ LJ"), "two_deck")) == ["BJ BJ"]
    assert texts(legal_bids(hand, ("2", "2"), 1, (0, "BJ BJ"), "two_deck")) == []


def test_4_equal_jokers_do_not_overturn_one_another() -> None:
    hand = "BJ BJ BJ"
    assert texts(legal_bids(hand, ("2", "2"), 1, (0, "LJ LJ"), "three_deck")) == ["BJ BJ BJ"]
    ranked = rule_set("three_deck", joker_bids="ranked")
    assert texts(legal_bids(hand, ("2", "2"), 1, (0, "LJ LJ"), ranked)) == ["BJ BJ", "BJ BJ BJ"]


def test_4_no_jokers_where_no_trump_is_not_bid() -> None:
    assert legal_bids("BJ BJ", ("2", "2"), 1, None, "competition") == ()


def test_4_each_seat_bids_its_own_level_until_there_is_a_declarer() -> None:
    hand, levels = "S2 S5", ("2", "5")
    assert [texts(legal_bids(hand, levels, seat, None, "two_deck")) for seat in range(4)] == [["S2"], ["S5"]] * 2
    declared = [texts(legal_bids(hand, levels, seat, None, "two_deck", declarer=3)) for seat in range(4)]
    assert declared == [["S5"]] * 4


def test_4_strength_ignores_rank() -> None:
    assert texts(legal_bids("H5 H5", ("2", "5"), 1, (0, "S2"), "two_deck")) == ["H5 H5"]


def test_4_nobody_bids_in_duplicate_play() -> None:
    assert legal_bids("S2 S2", ("2", "2"), 1, None, "duplicate") == ()


def test_4_bids_agree_with_the_oracle() -> None:
    generator = random.Random(4)
    compared = 0
    for _ in range(800):
        name = generator.choice(sorted(name for name, rules in RULE_SETS.items() if rules.bidding != "fixed"))
        rules, options = rule_set(name), oracle.PRESETS[name]
        levels = (generator.randrange(13), generator.randrange(13))
        seat, holder = generator.randrange(4), generator.randrange(4)
        bidders = [13 * suit + levels[seat % 2] for suit in range(4)] + [52, 53]
        hand = tuple(sorted(generator.choices(bidders, k=generator.randint(0, 7))))
        hand = tuple(card for card in set(hand) for _ in range(min(hand.count(card), rules.decks)))
        all_cards = tuple(card for card in range(54) for _ in range(rules.decks))
        standing = generator.choice((None, *oracle.legal_bids(all_cards, levels[holder % 2], None, False, options)))
        shown = None if standing is None else Bid(holder, oracle.text(oracle.bid_cards(standing, levels[holder % 2])))
        found = legal_bids(oracle.text(hand), tuple(RANKS[level] for level in levels), seat, shown, rules)
        bids = oracle.legal_bids(hand, levels[seat % 2], standing, holder == seat, options)
        expected = Counter(oracle.text(oracle.bid_cards(bid, levels[seat % 2])) for bid in bids)
        assert Counter(texts(found)) == expected, (name, hand, shown)
        compared += len(found)
    assert compared > 200


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("S2", ("2", "2"), 4, None), "seat=4"),
        (("S2", ("2", "1"), 0, None), "levels="),
        (("S2", ("2",), 0, None), "levels="),
        (("S2 S2 S2", ("2", "2"), 0, None), "3 copies of 'S2'"),
        (("S2", ("2", "2"), 0, (1, "S3")), "'S3' is not a card to bid with"),
        (("S2", ("2", "2"), 0, (1, "LJ")), "'LJ' is not a bid"),
        (("S2", ("2", "2"), 0, (1, "S2 H2")), "is not a bid"),
        (("S2", ("2", "2"), 0, (1, "")), "is not a bid"),
        (("S2", ("2", "2"), 0, (7, "S2")), "standing seat=7"),
        (("X2", ("2", "2"), 0, None), "'X2' is not a card"),
    ],
)
def test_4_bids_that_cannot_be_are_refused(arguments: tuple[str, tuple[str, ...], int, None], message: str) -> None:
    with pytest.raises(NotationError, match=message):
        legal_bids(*arguments, "two_deck")


# ---- §11


@pytest.mark.parametrize(
    ("cards", "kind", "expected"),
    [
        ("H3 H3 H3 H3 H4 H4 H4 H4", "exponential", 64),
        ("H3 H3 H3 H3", "exponential", 16),
        ("H3 H3 H3 H3", "pattern", 6),
        ("H3 H3 H3 H3 H4 H4 H4 H4", "pattern", 18),
        ("H3 H3 H3 H5 H5 H6 H6", "pattern", 6),
        ("H3 H3 H4 H4 H5 H5 H6 H6", "pattern", 32),
        ("SA", "double", 2),
        ("SA", "none", 0),
    ],
)
def test_11_multipliers(cards: str, kind: str, expected: int) -> None:
    assert kitty_multiplier(cards, SPADES_2, rule_set("four_deck", kitty_multiplier=kind)) == expected


@pytest.mark.parametrize("cards", ["", "H3 D3"])
def test_11_cards_of_one_suit_decide_the_kitty(cards: str) -> None:
    with pytest.raises(NotationError, match="one effective suit"):
        kitty_multiplier(cards, SPADES_2, "two_deck")


# ---- §12


@pytest.mark.parametrize("table", RESULT_TABLES)
def test_12_tables_agree_at_every_step(table: str) -> None:
    rules = rule_set(result_table=table)
    thresholds = {bound for bound, _ in (*rules.table.declarers, *rules.table.attackers)} | {0}
    thresholds |= {rules.table.attackers[-1][0] + times * rules.table.step for times in range(5)}
    points = {5 * (threshold // 5) + step for threshold in thresholds for step in (-5, 0, 5)} | set(range(-100, 600, 5))
    for value in sorted(points):
        for won_last in (False, True):
            assert settle(rules, value, won_last) == RoundResult(*oracle.settle(table, value, won_last)), (
                value,
                won_last,
            )


def test_12_a_draw_is_nobody_s() -> None:
    assert settle("one_deck_45", 40, False) == RoundResult(None, 0)


def test_12_no_figure_is_too_large() -> None:
    assert settle("four_deck", 160 + 80 * 10_000_000, True) == RoundResult("attackers", 10_000_000)
