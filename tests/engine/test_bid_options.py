"""Ranked suits, bids that stand, and who declares (docs/rules.md §4)."""

import numpy as np
import pytest

from shengji_env.engine.deal import kitty_lot
from shengji_env.engine.rule_sets import parse_rules
from shengji_env.engine.slots import LITTLE_JOKER_SLOT, TRUMP_LEVEL_SLOT
from shengji_env.engine.state import NOBODY
from tests.helpers import oracle
from tests.helpers.openings import Opening
from tests.helpers.oracle_rounds import options_of

pytestmark = pytest.mark.nojit
HANDS = {0: "C2 S2 S2", 1: "D2 D2 H2 H2", 3: "LJ LJ BJ"}
ONE_DECK = {0: "C2", 1: "D2", 2: "H2", 3: "S2"}


def begun(options, hands=None, **start):
    return Opening(f"two_deck(bidding=sequential{options})", HANDS | {2: "C2"} if hands is None else hands, **start)


@pytest.mark.parametrize(("declarer", "first"), [(NOBODY, 1), (3, 1), (1, 3)])
def test_04_in_turn_the_declarers_partner_or_the_first_drawer_is_asked_first(declarer, first):
    table = Opening("two_deck(bidding=sequential)", ONE_DECK, declarer=declarer, first_drawer=1)
    assert table.at == ("BID", first)


def test_04_after_the_last_card_nobody_is_asked_where_bids_are_made_while_drawing():
    table = Opening("two_deck(bidding=drawing)", {0: "S2"}).named_by("bid S2")
    assert (table.at, table.s["circle_left"]) == (("BURY", 0), 0)


def test_04_suits_are_equally_strong_unless_ranked():
    assert begun("").make("bid C2").legal() == ["pass", "bid D2 D2", "bid H2 H2"]


def test_04_ranked_suits_go_up_from_diamonds_to_clubs_hearts_spades():
    rules = "two_deck(bidding=sequential, bid_suits=ranked)"
    pairs = {0: "C2 C2", 1: "D2 D2", 2: "H2 H2", 3: "S2 S2"}
    table = Opening(rules, pairs, first_drawer=1).make("bid D2 D2").make("bid H2 H2").make("bid S2 S2")
    assert table.at[0] == "BURY"
    table = Opening(rules, pairs).make("bid C2 C2")
    # Diamonds are below clubs.
    assert table.at == ("BID", 2)
    assert table.make("pass").legal() == ["pass", "bid S2 S2"]


def test_04_single_level_cards_are_equally_strong_though_suits_are_ranked():
    assert Opening("one_deck(bidding=sequential, bid_suits=ranked)", ONE_DECK).make("bid C2").at[0] == "BURY"
    assert begun(", bid_suits=ranked").make("bid C2").legal() == ["pass", "bid D2 D2", "bid H2 H2"]


def test_04_ranked_pairs_beat_pairs_and_jokers_beat_them_all():
    table = begun(", bid_suits=ranked").make("pass")
    table.make("bid D2 D2")
    assert table.at == ("BID", 3)
    assert table.legal() == ["pass", "bid LJ LJ"]
    assert table.make("pass").legal() == ["pass", "bid S2 S2"]
    assert table.make("bid S2 S2").at == ("BID", 3)
    assert table.legal() == ["pass", "bid LJ LJ"]
    assert table.make("bid LJ LJ").s["bid_count"] == 2


def test_04_without_overturning_only_the_holder_bids_on():
    table = Opening("two_deck(bidding=sequential, overturn=False)", {0: "S2 S2", 1: "H2 H2", 3: "LJ LJ BJ BJ"})
    assert table.make("bid S2").at == ("BID", 0)
    assert table.legal() == ["pass", "bid S2 S2"]
    assert table.make("bid S2 S2").at == ("BURY", 0)


@pytest.mark.parametrize(("option", "declarer", "level"), [("winning_bid", 1, 3), ("first_bid", 0, 0)])
def test_04_the_first_bid_or_the_winning_bid_makes_the_declarer(option, declarer, level):
    table = Opening(f"two_deck(bidding=sequential, first_declarer={option})", {0: "S2", 1: "H5 H5"}, levels="25").make(
        "bid S2", "bid H5 H5"
    )
    while table.at[0] == "BID":
        table.make("pass")
    assert table.at == ("BURY", declarer)
    assert (table.s["trump"], table.s["level_rank"], table.s["first_bidder"]) == (2, level, 0)


def test_04_where_a_declarer_stands_the_first_bid_makes_none():
    table = Opening("two_deck(bidding=sequential, first_declarer=first_bid)", {0: "S2", 1: "H2 H2"}, declarer=3)
    while table.at[1] != 1:
        table.make("pass")
    table.make("bid H2 H2")
    while table.at[0] == "BID":
        table.make("pass")
    assert table.at == ("BURY", 3)


def test_02_with_an_empty_kitty_the_declarer_leads_at_once():
    rules = parse_rules("duplicate(kitty=0)")
    table = Opening(rules, {}, declarer=2)
    assert table.at == ("LEAD", 2)
    assert table.s["num_takers"] == 0
    assert rules.hand == 27
    while table.at[0] != "OVER":
        table.make(table.legal()[0])
    assert table.s["result"]["kitty_points"] == 0


def test_04_cards_turned_up_count_by_the_declarer_s_level():
    table = Opening("two_deck(bidding=sequential)", kitty="LJ H5", declarer=1, levels="25")
    while table.at[0] == "BID":
        table.make("pass")
    turned = np.flatnonzero(table.s["turned"])
    assert (table.at, turned.tolist()) == (("BURY", 1), [TRUMP_LEVEL_SLOT, LITTLE_JOKER_SLOT])


def test_04_the_lot_is_drawn_from_the_order_of_the_kitty():
    rules = parse_rules("two_deck(no_bid=random)")
    deck, rng, lots = np.repeat(np.arange(54, dtype=np.int8), 2), np.random.default_rng(1), set()
    for _ in range(30):
        deal = rng.permutation(deck)
        lots.add(kitty_lot(deal, rules.record()[0]))
        assert kitty_lot(deal, rules.record()[0]) == oracle.kitty_lot(deal[-8:].tolist(), options_of(rules.to_json()))
    assert len(lots) > 10
