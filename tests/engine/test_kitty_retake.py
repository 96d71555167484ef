"""A stronger bid takes the kitty again after it is buried (docs/rules.md §5)."""

import pytest

from shengji_env.engine.clearing import clear_round
from shengji_env.engine.kitty import last_taker
from tests.helpers.openings import Opening, counts_of

pytestmark = pytest.mark.nojit
HANDS = {0: "S2 C5 C5 CT CT C3 C3 C4 C4", 1: "H2 H2 BJ", 2: "LJ LJ D2", 3: "C2 D2 BJ"}
BURIED = "C5 C5 CT CT C3 C3 C4 C4"
RULES = "two_deck(bidding=sequential, kitty_retake=overbid{})"


def buried(options="", hands=HANDS, **start):
    table = Opening(RULES.format(options), hands, **start).make("bid S2")
    while table.at[0] == "BID":
        table.make("pass")
    return table.bury(BURIED)


def test_05_after_a_burial_seats_with_an_overbid_are_asked_in_turn():
    table = buried()
    assert table.at == ("BID", 1)
    assert table.legal() == ["pass", "bid H2 H2"]
    assert table.make("pass").at == ("BID", 2)
    assert table.legal() == ["pass", "bid LJ LJ"]
    assert table.make("pass").at == ("LEAD", 0)


def test_05_an_overbid_names_trumps_and_takes_up_the_kitty():
    table = buried()
    hand = table.cards(table.s["hands"][1])
    table.make("bid H2 H2")
    assert table.at == ("BURY", 1)
    named = ("trump", "bid_count", "bid_seat", "declarer", "circle_left")
    assert [table.s[name] for name in named] == [2, 2, 1, 0, 0]
    assert (table.cards(table.s["hands"][1]) == hand + counts_of(BURIED)).all()
    assert (table.cards(table.s["passed_on"][0]) == counts_of(BURIED)).all()
    assert not table.s["buried"].any()
    assert (table.cards(table.s["known"][1]) == counts_of("H2 H2")).all()
    assert last_taker(table.s) == 1


def test_05_then_the_seats_after_the_new_burier_are_asked():
    table = buried().make("bid H2 H2").bury_lowest()
    assert table.at == ("BID", 2)
    assert not table.s["known"][1].any()
    assert table.make("pass").at == ("LEAD", 0)
    assert list(table.s["takers"][:3]) == [0, 1, -1]


def test_05_the_declarer_may_take_the_kitty_back():
    hands = {0: "S2 BJ BJ C5 C5 CT CT C3 C3 C4 C4", 1: "H2 H2"}
    table = buried(hands=hands).make("bid H2 H2").bury_lowest()
    assert table.at == ("BID", 0)
    table.make("bid BJ BJ")
    assert table.at == ("BURY", 0)
    assert (table.cards(table.s["passed_on"][0]) == counts_of(BURIED)).all()
    table.bury(BURIED)
    assert table.at == ("LEAD", 0)
    assert not table.s["passed_on"][0].any()
    assert table.s["passed_on"][1].sum() == 8
    assert table.s["trump"] == 4


def test_05_the_holder_of_the_standing_bid_is_not_asked():
    table = Opening(RULES.format(""), {1: "S2 S2 BJ BJ", 0: "C3 C3"}, declarer=0)
    while table.at[1] != 1:
        table.make("pass")
    table.make("bid S2 S2")
    while table.at[0] == "BID":
        table.make("pass")
    assert table.bury_lowest().at == ("LEAD", 0)


def test_05_an_overbid_takes_cards_of_the_level_rank_of_the_round():
    hands = {0: "S5 C9 C9 CT CT C3 C3 C4 C4", 1: "H2 H2 H5 H5"}
    table = Opening(RULES.format(""), hands, levels="52").make("bid S5")
    while table.at[0] == "BID":
        table.make("pass")
    assert table.bury_lowest().at == ("BID", 1)
    assert "bid H5 H5" in table.legal()
    assert "bid H2 H2" not in table.legal()


def test_05_an_overbid_shows_cards_of_its_own_suit():
    table = Opening(RULES.format(""), {0: "H2", 1: "S2 S2"}).make("bid H2")
    while table.at[0] == "BID":
        table.make("pass")
    assert table.bury_lowest().at == ("BID", 1)
    assert table.legal() == ["pass", "bid S2 S2"]


def test_05_nobody_is_asked_where_nobody_bid():
    table = Opening(RULES.format(""), {1: "H2 H2", 2: "LJ LJ"}, declarer=0, kitty="S3")
    while table.at[0] == "BID":
        table.make("pass")
    assert table.bury_lowest().at == ("LEAD", 0)


def test_05_ranked_suits_count_for_overbids_too():
    table = Opening(
        "two_deck(bidding=sequential, kitty_retake=overbid, bid_suits=ranked)",
        {
            0: "D2 D2 C5 CT C3 C4 C6 C7 C8 C9 LJ",
            1: "C2 C2 BJ",
            2: "H2 H2 LJ",
            3: "S2 S2 BJ",
        },
    ).make("bid D2 D2", "pass", "pass", "pass")
    takers = [0]
    buried = table.bury_lowest().cards(table.s["buried"])
    for seat, bid in ((1, "bid C2 C2"), (2, "bid H2 H2"), (3, "bid S2 S2")):
        assert table.at == ("BID", seat)
        table.make(bid).bury_lowest()
        assert (table.cards(table.s["passed_on"][0]) == buried).all()
        takers.append(seat)
    assert table.at == ("LEAD", 0)
    assert list(table.s["takers"][:4]) == takers
    while table.at[0] != "OVER":
        table.make(table.legal()[0])
    assert table.s["result"]["declarer"] == 0


def test_05_nothing_is_left_of_the_round_before():
    table = buried().make("bid H2 H2").bury_lowest()
    while table.at[0] == "BID":
        table.make("pass")
    assert table.s["passed_on"].any()
    clear_round(table.s)
    for name in ("passed_on", "buried", "turned", "played", "voids", "trick", "num_takers", "tricks"):
        assert not table.s[name].any(), name
