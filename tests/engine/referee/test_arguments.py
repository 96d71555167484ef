"""Arguments of the wrong form are refused by the referee, with a `NotationError` that says what is right."""

import numpy as np
import pytest

from shengji_env.engine import referee
from shengji_env.engine.referee import Trump
from shengji_env.errors import NotationError

pytestmark = pytest.mark.nojit

SPADES = Trump("S", "2")


@pytest.mark.parametrize(
    "ask",
    [
        lambda trump: referee.decompose("H3", trump),
        lambda trump: referee.demand("H3", "H4", trump, "two_deck"),
        lambda trump: referee.check_lead("H3", trump, "two_deck"),
        lambda trump: referee.legal_leads("H3", trump, "two_deck"),
        lambda trump: referee.beaten_components("H3", [], trump),
        lambda trump: referee.trick_winner(["H3"], 0, trump, "two_deck"),
        lambda trump: referee.kitty_multiplier("H3", trump, "two_deck"),
    ],
)
def test_a_trump_is_a_trump(ask):
    ask(SPADES)
    with pytest.raises(NotationError, match=r"trump='S2' is not a Trump; write Trump\('S', '5'\), or Trump.parse"):
        ask("S2")


@pytest.mark.parametrize(("suit", "level"), [(["S"], "2"), (np.array(["S"]), "2"), ("S", 2), ("S", None), ("S", ["2"])])
def test_a_trump_is_made_of_texts(suit, level):
    with pytest.raises(NotationError, match=r"is not a trump suit|is not a rank"):
        Trump(suit, level)
    with pytest.raises(NotationError, match="trump=5 is not a text"):
        Trump.parse(5)


def test_cards_are_a_text_or_counts():
    for cards in ([[1], [2, 3]], None, 10**5000, np.array(3), np.zeros(54), np.full(54, 2**64 - 1, np.uint64)):
        with pytest.raises(NotationError):
            referee.decompose(cards, SPADES)


@pytest.mark.parametrize("leader", [4, -1, True, 1.0, "0", None, np.array([0, 1]), pytest.param(10**5000, id="huge")])
def test_a_leader_is_a_seat(leader):
    with pytest.raises(NotationError, match=r"leader=.* is not a seat; seats are 0..3"):
        referee.trick_winner(["H3"], leader, SPADES, "two_deck")
    assert referee.trick_winner(["H3"], np.int8(2), SPADES, "two_deck") == 2


def test_plays_and_hands_are_lists():
    for plays in ([], ["H3"] * 5, None, 3, np.array(3)):
        with pytest.raises(NotationError, match=r"plays=.* must be a list of 1\.\.4"):
            referee.trick_winner(plays, 0, SPADES, "two_deck")
    for hands in (["H4"] * 4, None, 3):
        with pytest.raises(NotationError, match=r"other_hands=.* must be a list of 0\.\.3"):
            referee.beaten_components("H3", hands, SPADES)
    counts = np.stack([referee.parse_cards("H3"), referee.parse_cards("H4")])
    assert referee.trick_winner(counts, 0, SPADES, "two_deck") == 1


@pytest.mark.parametrize("points", [1.5, "80", None, True, 2**31, np.array([1, 2])])
def test_points_are_a_whole_number(points):
    with pytest.raises(NotationError, match=r"attackers_points=.* is not a whole number from"):
        referee.settle("two_deck", points, True)
    with pytest.raises(NotationError, match="attackers_won_last_trick=1 must be True or False"):
        referee.settle("two_deck", 80, 1)
    assert referee.settle("two_deck", np.int64(80), np.True_) == referee.settle("two_deck", 80, True)


@pytest.mark.parametrize("standing", ["H2", (0,), (0, "H2", 3), 5, (None, "H2"), (4, "H2"), (1, None)])
def test_a_standing_bid_is_a_seat_and_cards(standing):
    with pytest.raises(NotationError):
        referee.legal_bids("H2", ("2", "2"), 0, standing, "two_deck")


@pytest.mark.parametrize("levels", [None, 2, ["2"], ["2", 2], ["2", ""], ["2", ["3"]]])
def test_levels_are_two_ranks(levels):
    with pytest.raises(NotationError, match="levels"):
        referee.legal_bids("H2", levels, 0, None, "two_deck")
