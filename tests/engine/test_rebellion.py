"""Weak hands may have the deal abandoned (docs/rules.md §4)."""

import numpy as np
import pytest

from shengji_env.engine.actions import REBEL
from shengji_env.engine.bids import bid_level
from shengji_env.engine.cards import SUITS, card_id
from shengji_env.engine.deal import Deals
from shengji_env.engine.game import apply_action
from shengji_env.engine.opening import begin_given, begin_round
from shengji_env.engine.rebellion import drawn_lot
from shengji_env.engine.rule_sets import parse_rules, rule_set
from shengji_env.engine.slots import slot_of_card
from shengji_env.engine.state import NOBODY, STATE_DTYPE, UNNAMED, WORKSPACE_DTYPE, Phase
from shengji_env.errors import DealError
from shengji_env.tables.reset_options import read_options
from tests.helpers.openings import Opening, deal_of

pytestmark = pytest.mark.nojit
NO_TRUMPS_AT_1 = {
    0: "S2 S2 S3 S3 S4 S4",
    1: "C3 C3 C4 C4 C5 C5 C6 C6 C7 C7 C8 C8 C9 C9 CT CT CJ CJ CQ CQ CK CK CA CA D3",
    2: "S5 S5 S6 S6 S7 S7 S8 S8",
    3: "ST ST SJ SJ SQ SQ SK SK SA SA",
}
NO_POINTS_AT_3 = {
    0: "S2 S2",
    1: "S5 S5 ST ST SK SK",
    3: "C3 C3 C4 C4 C6 C6 C7 C7 C8 C8 C9 C9 CJ CJ CQ CQ CA CA S3 S3 S4 S4 S6 S6 S7",
}


def begun(options="", hands=NO_TRUMPS_AT_1, mode="redeal", **start):
    return Opening(f"two_deck(bidding=sequential, rebellion={mode}{options})", hands, **start)


@pytest.mark.parametrize("declarer", range(4))
def test_04_an_attacker_with_few_trumps_is_asked_before_the_kitty_is_taken(declarer):
    hands = {(declarer + step) % 4: cards for step, cards in NO_TRUMPS_AT_1.items()}
    table = begun(hands=hands, declarer=declarer).named_by("bid S2 S2")
    assert table.at == ("REBEL", (declarer + 1) % 4)
    assert table.legal() == ["pass", "rebel"]
    assert table.s["num_takers"] == 0
    assert table.make("pass").at == ("BURY", declarer)


def test_04_cards_shown_by_a_bid_are_known_when_trumps_are_named():
    table = begun(declarer=0).named_by("bid S2 S2")
    assert {slot: count for slot, count in enumerate(table.s["known"][0].tolist()) if count} == {
        slot_of_card(card_id("S2"), SUITS.index("S"), 0): 2
    }


def test_04_an_attacker_with_few_points_is_asked():
    assert begun(hands=NO_POINTS_AT_3, declarer=0).named_by("bid S2 S2").at == ("REBEL", 3)


@pytest.mark.parametrize(
    ("options", "hands"),
    [(", rebellion_trumps=-1", NO_TRUMPS_AT_1), (", rebellion_points=-1", NO_POINTS_AT_3)],
)
def test_04_minus_one_makes_no_hand_weak_in_this_way(options, hands):
    assert begun(options, hands, declarer=0).named_by("bid S2 S2").at == ("BURY", 0)


def test_04_declarers_are_never_asked():
    hands = {2: NO_TRUMPS_AT_1[1], 0: NO_TRUMPS_AT_1[0], 1: NO_TRUMPS_AT_1[2], 3: NO_TRUMPS_AT_1[3]}
    assert begun(hands=hands, declarer=0).named_by("bid S2 S2").at == ("BURY", 0)


def test_04_redeal_begins_the_round_again_as_it_began():
    table = begun(declarer=0).named_by("bid S2 S2").make("rebel")
    assert table.at[0] == "BID"
    assert [table.s[name] for name in ("declarer", "first_drawer", "redeals", "rebellions")] == [0, 0, 1, 1]
    assert (table.s["trump"], table.s["bid_count"], table.s["known"].any()) == (UNNAMED, 0, False)
    table = begun().named_by("bid S2 S2").make("rebel")
    assert [table.s[name] for name in ("declarer", "had_declarer", "first_drawer")] == [NOBODY, 0, 0]


def test_04_the_rebel_declares_next_and_draws_first():
    table = begun(mode="new_declarer", levels="25").named_by("bid S2 S2").make("rebel")
    assert [table.s[name] for name in ("declarer", "had_declarer", "first_drawer", "level_rank")] == [1, 1, 1, 3]


def test_04_after_a_rebellion_nobody_may_be_declarer():
    """Then each team bids at its own level, and a lot that follows from the abandoned deal says who draws first."""
    table = begun(mode="no_declarer", levels="25", declarer=0).named_by("bid S2 S2")
    deal = table.s["deal"][: table.rules.total].tolist()
    table.make("rebel")
    lot = sum(place * card for place, card in enumerate(deal, start=1)) % 4
    assert [table.s[name] for name in ("declarer", "had_declarer", "first_drawer")] == [NOBODY, 0, lot]
    assert (table.s["redeals"], table.s["rebellions"], table.s["level_rank"]) == (1, 1, UNNAMED)
    assert [bid_level(table.s, seat) for seat in range(4)] == [0, 3, 0, 3]


def test_04_deals_without_a_bid_are_dealt_again_once_nobody_is_declarer():
    table = begun(", max_redeals=1", mode="no_declarer", declarer=0).named_by("bid S2 S2").make("rebel")
    while table.at[0] == "BID":
        table.make("pass")
    assert (table.s["redeals"], table.s["rebellions"], table.s["declarer"]) == (2, 1, table.s["first_drawer"])


def test_04_lots_are_even():
    deals = np.tile(np.arange(54, dtype=np.int8), (4000, 2))
    np.random.default_rng(1).permuted(deals, axis=1, out=deals)
    drawn = np.bincount([drawn_lot(deal, deal.size) for deal in deals], minlength=4)
    assert abs(drawn - 1000).max() < 4 * np.sqrt(1000 * 3 / 4)


def test_04_rebellions_are_limited_and_do_not_count_as_redeals():
    table = begun(", max_rebellions=2, max_redeals=0", declarer=0)
    table.named_by("bid S2 S2").make("rebel").named_by("bid S2 S2").make("rebel").named_by("bid S2 S2")
    assert table.at == ("BURY", 0)
    assert (table.s["redeals"], table.s["rebellions"]) == (2, 2)
    table = begun(", max_redeals=1").named_by("bid S2 S2").make("rebel")
    passes = 0
    while table.at[0] == "BID" and table.s["redeals"] < 2:
        table.make("pass")
        passes += 1
    assert passes > 0
    assert table.s["redeals"] == 2
    while table.at[0] == "BID":
        table.make("pass")
    assert (table.s["redeals"], table.s["rebellions"]) == (2, 1)


def test_04_cards_turned_up_are_turned_down_again():
    table = begun(hands={1: NO_TRUMPS_AT_1[1]}, declarer=0, kitty="S3")
    while table.at[0] == "BID":
        table.make("pass")
    assert table.at[0] == "REBEL"
    assert table.s["turned"].any()
    assert not table.make("rebel").s["turned"].any()


def test_04_a_replayer_goes_on_with_the_next_deal():
    rules = begun().rules
    other = deal_of(rules, {1: "H2 H2"})
    table = begun(declarer=0).named_by("bid S2 S2")
    table.s["deal"] = other
    assert begin_given(table.s, table.record, 1, 1)
    assert (table.s["deal"] == other).all()
    assert table.s["deal_given"] == 1
    table = begun().named_by("bid S2 S2")
    table.s["declarer"] = NOBODY
    table.s["deal"] = other
    # Two deals in which nobody bid came between.
    assert begin_given(table.s, table.record, 3, 1)
    assert (table.s["redeals"], table.s["rebellions"]) == (3, 1)
    assert not begin_given(begun(declarer=0).named_by("bid S2 S2").s, table.record, 3, 1)


@pytest.mark.parametrize("mode", ["redeal", "new_declarer", "no_declarer"])
def test_04_a_round_with_rebellions_is_played_again_from_its_deals(mode):
    rules = parse_rules(f"two_deck(rebellion={mode}, rebellion_trumps=54)").record()[0]
    work = np.zeros(1, WORKSPACE_DTYPE)[0]
    played, again = np.zeros(1, STATE_DTYPE), np.zeros(1, STATE_DTYPE)
    s, t = played[0], again[0]
    deals = Deals(np.uint64(4), 0)
    s["trump"] = t["trump"] = UNNAMED
    s["declarer"] = t["declarer"] = 2
    begin_round(s, rules, work, deals)
    t["deal"] = s["deal"]
    assert begin_given(t, rules, int(s["redeals"]), 0)
    for _ in range(4000):
        if s["phase"] == Phase.BURY:
            break
        action, redeals = REBEL if s["phase"] == Phase.REBEL else 54, int(s["redeals"])
        apply_action(s, rules, work, deals, action)
        if s["redeals"] > redeals:
            t["deal"] = s["deal"]
            t["first_drawer"] = s["first_drawer"]
            t["declarer"] = NOBODY if mode == "no_declarer" else s["first_drawer"]
            assert begin_given(t, rules, int(s["redeals"]), int(s["rebellions"]))
        else:
            apply_action(t, rules, work, deals, action)
        t["deal_given"] = 0
        assert again.tobytes() == played.tobytes()
        t["deal_given"] = 1
    assert s["phase"] == Phase.BURY
    assert s["rebellions"] == 3


def test_04_no_deal_can_be_given_where_it_may_be_abandoned():
    with pytest.raises(DealError, match=r"rebellion='redeal'"):
        read_options({"deal": "S2"}, rule_set(rebellion="redeal"), is_match=False)


@pytest.mark.parametrize(("redeals", "rebellions", "is_possible"), [(2, 1, True), (1, 0, False), (0, 0, True)])
def test_04_deals_without_a_bid_may_come_before_a_rebel_is_declarer(redeals, rebellions, is_possible):
    table = Opening("two_deck(rebellion=new_declarer)", declarer=1)
    assert begin_given(table.s, table.record, redeals, rebellions) == is_possible
