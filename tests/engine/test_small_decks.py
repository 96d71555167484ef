"""Decks of fewer cards: deals, whole rounds, the presets that are small enough to be solved.

Source: docs/rules.md §1, §2, §12, §14.
"""

import math

import numpy as np
import pytest

from shengji_env import shengji_v0
from shengji_env.engine.cards import CARD_POINTS, NUM_CARDS, NUM_SUITS
from shengji_env.engine.deal import Deals, deal_cards, draw_trump, is_suit_dealt, random_below
from shengji_env.engine.masks import legal_names
from shengji_env.engine.rule_sets import NUM_SEATS, parse_rules
from shengji_env.engine.state import NUM_TEAMS, Phase
from shengji_env.errors import DealError
from shengji_env.tables.observation import view
from shengji_env.vector import BatchEnv

SMALL = ("small_two_ranks", "small_three_ranks", "small_four_ranks")
OTHERS = (
    "two_deck(cards=HS 789TJ, kitty=4, bidding=fixed, no_trump_bids=False, result_table=share)",
    "two_deck(cards=CHS 23456789TJQKA LJ, result_table=share, kitty=4)",
    "three_deck(cards=HS 5TK BJ, kitty=1, bidding=fixed, result_table=share)",
    "competition(cards=CD 23456789TJQKA, result_table=share, kitty=8)",
)


def deal_of(text: str, key: int = 7) -> list[int]:
    rules = parse_rules(text)
    deal = np.zeros(216, np.int8)
    deal_cards(deal, rules.record()[0], np.uint64(key))
    assert not deal[rules.total :].any()
    return [int(card) for card in deal[: rules.total]]


@pytest.mark.nojit
@pytest.mark.parametrize("text", [*SMALL, *OTHERS, "one_deck", "four_deck"])
def test_1_a_deal_has_each_card_as_often_as_the_rules_say(text: str) -> None:
    rules = parse_rules(text)
    assert np.bincount(deal_of(text), minlength=NUM_CARDS).tolist() == list(rules.copies)


@pytest.mark.nojit
@pytest.mark.parametrize("text", ["one_deck", "two_deck", "three_deck", "four_deck"])
def test_2_deals_of_whole_decks_are_what_they_were(text: str) -> None:
    total = parse_rules(text).total
    cards = [position % NUM_CARDS for position in range(total)]
    for position in range(total - 1, 0, -1):
        other = int(random_below(np.uint64(7), position, position + 1))
        cards[position], cards[other] = cards[other], cards[position]
    assert deal_of(text) == cards


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("text", "suits"), [("small_two_ranks", {2, 3}), (OTHERS[2], {2, 3, 4}), ("duplicate", {0, 1, 2, 3})]
)
def test_1_only_suits_that_are_dealt_are_drawn_or_named_as_trumps(text: str, suits: set[int]) -> None:
    record = parse_rules(text).record()[0]
    assert {int(draw_trump(record, Deals(np.uint64(1), table), 0)) for table in range(200)} == suits
    assert {suit for suit in range(NUM_SUITS) if is_suit_dealt(record, suit)} == suits - {NUM_SUITS}
    assert legal_names(record) == sum(1 << suit for suit in suits)


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("text", "deals"), [("small_two_ranks", 282), ("small_three_ranks", 16_260), ("small_four_ranks", 2_520)]
)
def test_14_number_of_deals_of_the_small_presets(text: str, deals: int) -> None:
    rules = parse_rules(text)
    ways = {(rules.hand,) * NUM_SEATS: 1}
    for copies in rules.copies:
        later: dict[tuple[int, ...], int] = {}
        for room, count in ways.items():
            for left in shares(room, copies):
                later[left] = later.get(left, 0) + count
        ways = later
    assert ways == {(0,) * NUM_SEATS: deals}
    if rules.decks == 1:
        assert deals == math.factorial(rules.total) // math.factorial(rules.hand) ** NUM_SEATS


def shares(room: tuple[int, ...], copies: int) -> list[tuple[int, ...]]:
    """Every room left after the copies of one card are given out."""
    if not room:
        return [()] if copies == 0 else []
    first = range(min(room[0], copies) + 1)
    return [(room[0] - given, *rest) for given in first for rest in shares(room[1:], copies - given)]


@pytest.mark.parametrize("text", [*SMALL, *OTHERS])
def test_1_random_rounds_of_small_decks_keep_every_card_and_point(text: str) -> None:
    rules = parse_rules(text)
    env = BatchEnv(32, rules, seed=3)
    ended = 0
    for _ in range(3000):
        states = env.states
        playing = (states["phase"] >= Phase.BURY) & (states["phase"] < Phase.OVER)
        held = states["hands"].sum((1, 2)) + states["played"].sum((1, 2)) + states["buried"].sum(1)
        assert (held[playing] == rules.total).all()
        unseen = view(env.observation)["unseen"].sum(1, dtype=np.int64)
        assert (unseen <= rules.total - (states["hands"].sum((1, 2)) > 0)).all()
        env.step(env.sample_actions())
        ended += int(env.terminated.sum())
        if ended > 100:
            break
    assert ended > 100


@pytest.mark.nojit
def test_2_a_deal_given_must_hold_the_cards_of_the_small_deck() -> None:
    env = shengji_v0.raw_env("small_two_ranks")
    deal = "HT HT HJ HJ ST ST SJ SJ"
    env.reset(options={"deal": deal, "levels": ["2", "2"], "declarer": 1})
    hands = env.states["hands"][0]
    assert hands.sum(1).tolist() == [2] * NUM_SEATS
    with pytest.raises(DealError, match="holds 1 × HT; small_two_ranks is played with 2"):
        env.reset(options={"deal": deal.replace("HT HT", "HT SA")})
    with pytest.raises(DealError, match="holds 3 × SJ"):
        env.reset(options={"deal": deal + " SJ"})


@pytest.mark.nojit
@pytest.mark.parametrize(
    ("text", "points"), [("small_two_ranks", 40), ("small_three_ranks", 40), ("small_four_ranks", 40)]
)
def test_12_points_dealt_and_the_share_of_them(text: str, points: int) -> None:
    rules = parse_rules(text)
    assert rules.points == points == int(np.array(rules.copies) @ CARD_POINTS)
    assert rules.kitty == 0
    assert rules.table.threshold == 2 * points // 5
    assert NUM_TEAMS * rules.hand * 2 == rules.total
