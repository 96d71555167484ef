"""Cards, slots and actions: the three numberings, their orders and texts.

Source: docs/rules.md §1, §4 and §6; docs/environments/actions.md.
"""

from itertools import pairwise

import numpy as np
import pytest

from shengji_env.engine import actions, bids, cards, slots
from shengji_env.engine.rule_sets import NUM_SEATS, rule_set
from shengji_env.engine.state import NUM_TEAMS, UNNAMED
from shengji_env.errors import NotationError
from tests.helpers import oracle
from tests.helpers.oracle import Trump
from tests.helpers.oracle_recorder import EngineTable

pytestmark = pytest.mark.nojit

TRUMPS = [Trump(suit, level) for suit in (None, 0, 1, 2, 3) for level in range(13)]


def engine_trump(trump: Trump) -> int:
    return slots.NO_TRUMP if trump.suit is None else trump.suit


def cards_by_slot(trump: Trump) -> list[int]:
    return [int(slots.card_of_slot(slot, engine_trump(trump), trump.level)) for slot in range(54)]


def test_1_ids_and_texts() -> None:
    assert [cards.card_id(text) for text in ("C2", "CA", "D2", "H2", "S2", "SA", "LJ", "BJ")] == [
        0,
        12,
        13,
        26,
        39,
        51,
        52,
        53,
    ]
    assert [cards.card_id(cards.card_text(card)) for card in range(54)] == list(range(54))


def test_1_counts_and_text_round_trip() -> None:
    counts = cards.parse_cards(" HK S2\tHK  LJ ")
    assert cards.format_cards(counts) == "HK HK S2 LJ"
    assert counts.sum() == 4
    assert counts.dtype == np.int8
    assert (cards.parse_cards("") == 0).all()


@pytest.mark.parametrize("text", ["S1", "10S", "sA", "S", "HKHK", "J", "SA,DA"])
def test_1_text_that_is_no_card_is_quoted(text: str) -> None:
    with pytest.raises(NotationError, match=f"'{text}' is not a card"):
        cards.parse_cards(f"HK {text}")


def test_1_five_copies_are_too_many() -> None:
    with pytest.raises(NotationError, match="5 copies of HK"):
        cards.parse_cards("HK HK HK HK HK")


@pytest.mark.parametrize("card", [-1, 54])
def test_1_ids_out_of_range_are_refused(card: int) -> None:
    with pytest.raises(NotationError, match=r"0\.\.53"):
        cards.card_text(card)


def test_1_points_are_100_a_deck() -> None:
    assert cards.DECK_POINTS == 100
    assert [int(cards.CARD_POINTS[cards.card_id(card)]) for card in ("H5", "ST", "CK", "DA", "LJ")] == [5, 10, 10, 0, 0]


@pytest.mark.parametrize("trump", TRUMPS)
def test_6_slots_are_the_cards_each_once(trump: Trump) -> None:
    by_slot = cards_by_slot(trump)
    assert sorted(by_slot) == list(range(54))
    assert [slots.slot_of_card(card, engine_trump(trump), trump.level) for card in by_slot] == list(range(54))


@pytest.mark.parametrize("trump", TRUMPS)
def test_6_orders_and_suits_of_slots_are_the_rules(trump: Trump) -> None:
    engine = engine_trump(trump)
    for slot, card in enumerate(cards_by_slot(trump)):
        suit = int(slots.suit_of_slot(slot, engine))
        assert slots.suit_start(suit, engine) <= slot < slots.suit_end(suit, engine)
        assert (suit == slots.TRUMP) == (oracle.effective_suit(card, trump) == oracle.TRUMP_SUIT)
        order = int(slots.order_of_slot(slot, engine))
        assert order == oracle.order(card, trump)
        first = int(slots.first_slot(order, suit, engine))
        assert first <= slot < first + slots.num_equal(order, suit, engine)


@pytest.mark.parametrize("trump", TRUMPS)
def test_6_a_suit_is_one_block_in_ascending_order(trump: Trump) -> None:
    by_slot = cards_by_slot(trump)
    for low, high in pairwise(by_slot):
        if oracle.effective_suit(low, trump) == oracle.effective_suit(high, trump):
            assert 0 <= oracle.order(high, trump) - oracle.order(low, trump) <= 1
    suits = [oracle.effective_suit(card, trump) for card in by_slot]
    assert suits == sorted(suits)
    for suit in set(suits):
        orders = {oracle.order(card, trump) for card in by_slot if oracle.effective_suit(card, trump) == suit}
        assert orders == set(range(slots.num_orders(suits.index(suit) // 12 if suit != 4 else 4, engine_trump(trump))))


def test_6_hearts_at_level_5() -> None:
    trump = Trump(2, 3)
    text = " ".join(cards.CARD_TEXTS[card] for card in cards_by_slot(trump)[34:])
    assert text == "SK SA H2 H3 H4 H6 H7 H8 H9 HT HJ HQ HK HA C5 D5 S5 H5 LJ BJ"


@pytest.mark.parametrize("trump", TRUMPS[::5])
def test_actions_round_trip_through_text(trump: Trump) -> None:
    place = {"trump": engine_trump(trump), "level": trump.level}
    texts = [actions.action_text(action, **place) for action in range(actions.NUM_ACTIONS)]
    assert len(set(texts)) == actions.NUM_ACTIONS == 83
    assert actions.ACTIONS_VERSION == 2, "another table of actions has another version"
    assert [actions.parse_action(text, **place) for text in texts] == list(range(83))


def test_actions_stand_where_the_environment_says() -> None:
    place = {"trump": slots.NO_TRUMP, "level": 0}
    assert actions.parse_action("pass", **place) == actions.parse_action("done", **place) == 54
    found = [actions.parse_action(text, **place) for text in ("bid C2", "bid S2", "bid C2 C2", "bid S2 S2 S2 S2")]
    assert found == [55, 58, 59, 70]
    jokers = ["bid LJ LJ", "bid LJ LJ LJ LJ", "bid BJ BJ", "bid BJ BJ BJ BJ"]
    assert [actions.parse_action(text, **place) for text in jokers] == [71, 73, 74, 76]
    assert [actions.parse_action(f"name {suit}", **place) for suit in ("C", "D", "H", "S", "NT")] == [
        77,
        78,
        79,
        80,
        81,
    ]


@pytest.mark.parametrize(
    "text", ["", "bid", "bid S3", "bid LJ", "name X", "name", "done it", "S2 S2", "bid S2 H2", "S1"]
)
def test_text_that_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        actions.parse_action(text, trump=slots.NO_TRUMP, level=0)


@pytest.mark.parametrize("action", [-1, 83])
def test_ids_that_are_no_action_are_refused(action: int) -> None:
    with pytest.raises(NotationError, match=r"0\.\.82"):
        actions.action_text(action, trump=0, level=0)


@pytest.mark.parametrize("declarer", [None, 0, 1, 2, 3])
def test_4_before_trumps_are_named_slots_are_those_of_no_trump_and_of_the_level_bid_with(declarer: int | None) -> None:
    state = EngineTable(rule_set()).state
    state.levels[:] = 3, 8
    state.had_declarer, state.declarer = declarer is not None, declarer or 0
    for seat in range(NUM_SEATS):
        assert state.trump == UNNAMED
        level = state.levels[(seat if declarer is None else declarer) % NUM_TEAMS]
        assert bids.reading_of(state, seat) == (slots.NO_TRUMP, level)


def test_4_once_trumps_are_named_slots_are_those_of_the_round() -> None:
    state = EngineTable(rule_set()).state
    state.levels[:] = 3, 8
    state.had_declarer, state.declarer, state.trump, state.level_rank = 0, 1, 2, 8
    assert [bids.reading_of(state, seat) for seat in range(NUM_SEATS)] == [(2, 8)] * NUM_SEATS
