"""The preset `contest` plays what the public contest says of itself: figures of its rules, by its own examples.

Source: docs/rules.md §14.
"""

import numpy as np
import pytest

from shengji_env.engine.bids import bid_level
from shengji_env.engine.cards import RANKS, format_cards
from shengji_env.engine.components import component_code
from shengji_env.engine.referee import Trump, led_after_throw, trick_winner
from shengji_env.engine.results import close_round, kitty_multiplier
from shengji_env.engine.rule_sets import rule_set
from shengji_env.engine.slots import NO_TRUMP
from shengji_env.engine.state import NOBODY, STATE_DTYPE
from tests.helpers.openings import Opening

pytestmark = pytest.mark.nojit
RULES = rule_set("contest")
SPADES_2 = Trump("S", "2")


def closed(points, levels, declarer=0):
    """A state after a round of these points."""
    s = np.zeros(1, STATE_DTYPE)[0]
    s["levels"] = [RANKS.index(level) for level in levels]
    s["declarer"], s["attackers_points"] = declarer, points
    close_round(s, RULES.record()[0], 0, 0, False)
    return s


@pytest.mark.parametrize(
    ("points", "levels", "after", "is_over"),
    [
        (0, "32", "52", False),  # three levels, but 5 must be played
        (35, "32", "52", False),
        (75, "32", "42", False),
        (0, "52", "82", False),
        (75, "22", "32", False),
        (80, "33", "33", False),
        (119, "33", "33", False),
        (120, "33", "34", False),
        (160, "33", "35", False),
        (150, "32", "32", False),  # attackers who have never held 2
        (75, "K2", "A2", False),
        (0, "K2", "A2", True),
        (75, "A2", "A2", True),
        (120, "3A", "3A", True),
        (80, "3A", "3A", False),
    ],
)
def test_12_13_levels_rise_as_in_the_contest(points, levels, after, is_over):
    s = closed(points, levels)
    assert "".join(RANKS[level] for level in s["levels"]) == after
    assert bool(s["result"]["match_over"]) == is_over
    assert s["declarer"] == (2 if points < 80 else 1)


@pytest.mark.parametrize(("width", "length", "factor"), [(1, 1, 2), (2, 1, 4), (2, 2, 8), (2, 3, 12)])
def test_11_the_kitty_counts_twice_for_each_card_of_the_last_trick(width, length, factor):
    codes = np.array([component_code(width, length, length - 1, 0)], np.int32)
    assert kitty_multiplier(RULES.record()[0], codes, 1) == factor


@pytest.mark.parametrize(
    ("thrown", "others", "led"),
    [
        ("HJ HQ HQ", ["HK"], "HJ"),
        ("HK HA HA", ["HQ"], "HK HA HA"),
        ("H3 H3 HA", ["HK HK"], "H3 H3"),
        ("H3 H3 HA", ["", "HK HK"], "H3 H3"),
    ],
)
def test_08_the_lowest_component_of_a_failed_throw_is_led(thrown, others, led):
    assert format_cards(led_after_throw(thrown, others, SPADES_2, RULES)) == led


@pytest.mark.parametrize(
    ("plays", "trump", "winner"),
    [
        (("H5", "HK", "HA", "H7"), SPADES_2, 2),
        (("HA", "S3", "H6", "H7"), SPADES_2, 1),
        (("HT HT", "S3 S4", "H4 H4", "H6 H7"), SPADES_2, 0),
        (("H5", "SA", "H6", "DA"), Trump(None, "2"), 2),
        (("S2", "H2", "D2", "C5"), Trump(None, "2"), 0),
        (("H5", "S2", "H7", "H9"), Trump(None, "2"), 1),
        (("HA HA HK", "S4 S4 S7", "S3 S3 S8", "H3 H4 H6"), SPADES_2, 2),
    ],
)
def test_10_tricks_are_won_as_in_the_contest(plays, trump, winner):
    assert trick_winner(plays, 0, trump, RULES) == winner


def test_04_without_a_bid_there_is_no_trump_and_the_first_to_draw_declares():
    for declarer, expected in ((NOBODY, 3), (2, 2)):
        table = Opening("contest", declarer=declarer, levels="25", first_drawer=3)
        while table.at[0] == "BID":
            table.make("pass")
        assert (table.s["trump"], table.s["declarer"], table.s["redeals"]) == (NO_TRUMP, expected, 0)
        assert table.s["level_rank"] == table.s["levels"][expected % 2]
        assert not table.s["turned"].any()


def test_04_after_a_rebellion_both_teams_bid_at_their_own_level():
    weak = "C3 C3 C4 C4 C6 C6 C7 C7 C8 C8 C9 C9 CJ CJ CQ CQ CA CA D3 D3 D4 D4 D6 D6 D7"
    table = Opening("contest", {0: "S2 S2", 1: "S5 S5 ST ST SK SK S9 S8", 3: weak}, declarer=0, levels="2K")
    table.named_by("bid S2 S2")
    assert table.at == ("REBEL", 3)
    table.make("rebel")
    assert (table.s["declarer"], table.s["rebellions"]) == (NOBODY, 1)
    assert [RANKS[bid_level(table.s, seat)] for seat in range(4)] == ["2", "K", "2", "K"]
