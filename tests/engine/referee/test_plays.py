"""What the referee says about plays: the values that it returns, and the sentences with which it refuses.

Source: docs/rules.md §6 to §10.
"""

import random
from dataclasses import FrozenInstanceError
from itertools import permutations

import numpy as np
import pytest

import shengji_env.engine.referee as module
from shengji_env.engine.referee import (
    Component,
    Trump,
    beaten_components,
    check_follow,
    decompose,
    demand,
    format_cards,
    is_legal_follow,
    led_after_throw,
    legal_follows,
    legal_leads,
    parse_cards,
    rule_set,
    trick_winner,
)
from shengji_env.errors import IllegalActionError, NotationError
from tests.helpers import oracle
from tests.helpers.oracle_positions import counts_of, random_follow, referee_trump

pytestmark = pytest.mark.nojit

SPADES_2 = Trump("S", "2")
SPADES_5 = Trump("S", "5")


def texts(plays: object) -> list[str]:
    return [format_cards(play) for play in plays]  # type: ignore[attr-defined]


def test_names_of_the_library_are_those_documented() -> None:
    assert all(hasattr(module, name) for name in module.__all__)


# ---- values


def test_6_trump_texts_are_read_back() -> None:
    for trump in (SPADES_5, Trump(None, "A")):
        assert Trump.parse(str(trump)) == trump
    assert (str(SPADES_5), str(Trump(None, "A"))) == ("S5", "NTA")


@pytest.mark.parametrize("text", ["", "S", "S1", "X5", "NT", "S55"])
def test_6_text_that_is_no_trump_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=f"'{text}' is not a trump"):
        Trump.parse(text)


def test_6_trump_is_checked_and_frozen() -> None:
    with pytest.raises(NotationError, match="suit='X'"):
        Trump("X", "5")  # type: ignore[arg-type]
    with pytest.raises(NotationError, match="level='10'"):
        Trump("S", "10")  # type: ignore[arg-type]
    with pytest.raises(FrozenInstanceError):
        SPADES_5.suit = "H"  # type: ignore[misc]


def test_7_components_are_values() -> None:
    (component,) = decompose("H4 H4 H3 H3", SPADES_5)
    assert (component.width, component.length, component.shape) == (2, 2, (2, 2))
    assert format_cards(component.cards) == str(component) == "H3 H3 H4 H4"
    assert component.top == 28
    assert eval(repr(component), {"Component": Component, "parse_cards": parse_cards}) == component
    assert hash(component) == hash(decompose("H3 H3 H4 H4", SPADES_5)[0])
    assert component != decompose("H3 H3", SPADES_5)[0]
    assert component != "H3 H3 H4 H4"
    with pytest.raises(ValueError, match="read-only"):
        component.cards[0] = 1


def test_7_decompose_takes_text_and_counts_of_any_integer() -> None:
    text = "SK SK SA SA D5 D5 S5 S5 LJ LJ"
    for dtype in (np.int8, np.uint8, np.int64):
        assert decompose(parse_cards(text).astype(dtype), SPADES_5) == decompose(text, SPADES_5)
    assert decompose("", SPADES_5) == ()


@pytest.mark.parametrize("counts", [np.zeros(53, np.int8), np.zeros(54), np.full(54, -1), np.full(54, 5)])
def test_7_arrays_that_are_no_cards_are_refused(counts: np.ndarray) -> None:
    with pytest.raises(NotationError):
        decompose(counts, SPADES_5)


def test_7_cards_of_several_suits_have_no_decomposition() -> None:
    with pytest.raises(NotationError, match="'D3' is of diamonds, 'C3' of clubs"):
        decompose("C3 D3", SPADES_5)
    with pytest.raises(NotationError, match="'H5' is of trumps, 'H3' of hearts"):
        decompose("H3 H5", SPADES_5)


def test_7_of_equal_level_pairs_the_first_joins_the_run() -> None:
    parts = decompose("SA SA C5 C5 D5 D5 S5 S5", SPADES_5)
    assert [str(part) for part in parts] == ["C5 C5 S5 S5 SA SA", "D5 D5"]


def test_7_of_equal_triples_the_first_stays_whole() -> None:
    parts = decompose("SA SA C5 C5 C5 D5 D5 D5 S5 S5", SPADES_5)
    assert [str(part) for part in parts] == ["C5 C5 C5", "D5 D5 S5 S5 SA SA", "D5"]


# ---- §8


def test_8_leads_of_a_hand() -> None:
    assert texts(legal_leads("H3 H3 D4", SPADES_2, "two_deck")) == ["D4", "H3 H3", "H3"]
    assert texts(legal_leads("H3 H3 H4", SPADES_2, "two_deck")) == ["H3 H3 H4", "H3 H3", "H3 H4", "H3", "H4"]
    off = rule_set(throws=False)
    assert texts(legal_leads("H3 H3 H4 H4", SPADES_2, off)) == ["H3 H3 H4 H4", "H3 H3", "H3", "H4 H4", "H4"]
    assert texts(legal_leads("", SPADES_2, off)) == []


def test_8_smallest_and_chosen_components_of_a_failed_throw() -> None:
    lead, others = "HQ H4 H4", ["HK H3", "H5 H5 H6", "H6 H6"]
    assert [str(part) for part in beaten_components(lead, others, SPADES_2)] == ["H4 H4", "HQ"]
    assert format_cards(led_after_throw(lead, others, SPADES_2, "two_deck")) == "HQ"
    assert format_cards(led_after_throw(lead, others, SPADES_2, "competition", "H4 H4")) == "H4 H4"
    assert format_cards(led_after_throw(lead, [], SPADES_2, "competition")) == format_cards(parse_cards(lead))
    for choice in (None, "H4", "HK"):
        with pytest.raises(IllegalActionError, match="legal: H4 H4, HQ"):
            led_after_throw(lead, others, SPADES_2, "competition", choice)


@pytest.mark.parametrize(
    ("lead", "others", "smallest"),
    [
        ("HQ H4 H4", ["HK H5 H5"], "HQ"),
        ("HQ HJ HT", ["HK"], "HT"),
        ("C2 C2 C2 C2 SA SA D2 D2", ["S2 S2 S2 S2 LJ LJ"], "D2 D2 SA SA"),
        ("C2 C2 C2 C2 S3 S3 S4 S4", ["S2 S2 S2 S2 LJ LJ"], "S3 S3 S4 S4"),
        ("C2 C2 D2 D2", ["S2 S2"], "C2 C2"),
    ],
)
def test_8_smallest_is_fewest_cards_then_lower_top_then_smaller_shape(
    lead: str, others: list[str], smallest: str
) -> None:
    rules = rule_set("four_deck", failed_throw="smallest")
    assert format_cards(led_after_throw(lead, others, SPADES_2, rules)) == smallest


@pytest.mark.parametrize(
    ("lead", "others", "lowest"),
    [
        # The lowest top counts, not the fewest cards, and whether it is beaten or not.
        ("H3 H3 HA", ["HK HK"], "H3 H3"),
        ("HJ HQ HQ", ["HK HK"], "HJ"),
        ("H4 H4 HQ", ["HK"], "H4 H4"),
        ("S3 S3 S4 S4 S6", ["S8"], "S3 S3 S4 S4"),
        # Level cards may be equal: then the fewest cards count, then the first.
        ("C2 C2 D2", ["S2 S2"], "D2"),
        ("C2 C2 D2 D2", ["S2 S2"], "C2 C2"),
    ],
)
def test_8_lowest_is_of_all_components_the_one_with_the_lowest_top(lead: str, others: list[str], lowest: str) -> None:
    rules = rule_set("two_deck", failed_throw="lowest")
    assert format_cards(led_after_throw(lead, others, SPADES_2, rules)) == lowest
    assert format_cards(led_after_throw(lead, [], SPADES_2, rules)) == lead


def test_8_the_one_beaten_component_needs_no_choice() -> None:
    assert format_cards(led_after_throw("HQ H4 H4", ["HK"], SPADES_2, "competition")) == "HQ"


@pytest.mark.parametrize(
    ("lead", "message"),
    [("", "at least one card"), ("H3 D3", "'H3' is of hearts, 'D3' of diamonds"), ("H3 S3", "'S3' is of trumps")],
)
def test_8_what_is_no_lead_is_refused(lead: str, message: str) -> None:
    for ask in (
        lambda: demand(lead, "H4", SPADES_2, "two_deck"),
        lambda: beaten_components(lead, [], SPADES_2),
        lambda: led_after_throw(lead, [], SPADES_2, "two_deck"),
        lambda: trick_winner([lead], 0, SPADES_2, "two_deck"),
        lambda: legal_follows(lead, "H4", SPADES_2, "two_deck"),
    ):
        with pytest.raises(IllegalActionError, match=message):
            ask()


def test_8_throws_may_be_off() -> None:
    with pytest.raises(IllegalActionError, match=r"2 components \(H4 \| H3\), and throws is off") as refused:
        led_after_throw("H3 H4", [], SPADES_2, rule_set(throws=False))
    assert refused.value.seat == -1


def test_8_there_are_three_other_hands() -> None:
    with pytest.raises(NotationError, match=r"other_hands=.* must be a list of 0\.\.3"):
        beaten_components("H3 H4", ["H5"] * 4, SPADES_2)


# ---- §9


def test_9_a_tractor_is_owed_before_two_pairs() -> None:
    lead, hand = "H9 H9 HT HT", "H3 H3 H4 H4 H6 H6 H7 D3"
    assert demand(lead, hand, SPADES_2, "two_deck") == ((2, 2),)
    assert texts(legal_follows(lead, hand, SPADES_2, "two_deck")) == ["H3 H3 H4 H4"]
    assert is_legal_follow(lead, hand, "H3 H3 H4 H4", SPADES_2, "two_deck")
    assert not is_legal_follow(lead, hand, "H3 H3 H6 H6", SPADES_2, "two_deck")


def test_9_pairs_come_out_of_triples() -> None:
    assert texts(legal_follows("H9 H9", "H3 H3 H3 H4 H5", SPADES_2, "three_deck")) == ["H3 H3"]


@pytest.mark.parametrize(
    ("policy", "owed"),
    [
        ("width_first", ((3, 1), (2, 2), (1, 1), (1, 1))),
        ("triples_then_tractors", ((3, 1), (2, 2), (1, 1), (1, 1))),
        ("tractors_first", ((3, 1), (2, 2), (1, 1), (1, 1))),
    ],
)
def test_9_a_tractor_may_be_owed_beside_a_triple(policy: str, owed: tuple[tuple[int, int], ...]) -> None:
    lead, hand = "H7 H7 H7 H8 H8 H8 H9 H9 H9", "H3 H3 H3 H5 H5 H6 H6 HT HQ HA"
    assert demand(lead, hand, SPADES_2, rule_set("three_deck", follow_priority=policy)) == owed


def test_9_a_short_suit_is_owed_whole() -> None:
    assert demand("H9 H9", "H3 D4 D5", SPADES_2, "two_deck") == ((1, 1),)
    assert demand("H9 H9", "D4 D5", SPADES_2, "two_deck") == ()
    assert texts(legal_follows("H9 H9", "H3 D4 D5", SPADES_2, "two_deck")) == ["D4 H3", "D5 H3"]


def test_9_a_hand_smaller_than_the_lead_cannot_follow() -> None:
    assert texts(legal_follows("H9 H9", "H3", SPADES_2, "two_deck")) == []


@pytest.mark.parametrize(
    ("lead", "hand", "play", "message"),
    [
        ("H9 H9", "H3 H3 H4", "H3 H5", "the hand holds 0 of 'H5', the play 1"),
        ("H9 H9", "H3 H3 H4", "H3 H3 H4", "it has 3 cards, the lead 'H9 H9' has 2"),
        ("H9 H9", "H3 H3 H4", "H3 H4", "owes a pair of hearts; 'H4' leaves no room for that; legal: H3 H3"),
        ("H9 H9 HT", "H3 H3 H4 H5", "H3 H4 H5", "owes a pair and 1 more card of hearts"),
        ("H9 H9", "H3 D3 D4", "D3 D4", "owes all its hearts, H3, before 'D3'"),
        ("S9", "H2 D3", "D3", "owes all its trumps, H2, before 'D3'"),
        ("H9", "H4 H5 D3", "D3", "owes 1 card of hearts; 'D3'"),
        ("H9 H9 HT HT", "H3 H3 H4 H4 H6 H6", "H3 H3 H6 H6", "owes a tractor of 2 pairs of hearts"),
    ],
)
def test_9_refusals_say_what_the_hand_owes(lead: str, hand: str, play: str, message: str) -> None:
    assert not is_legal_follow(lead, hand, play, SPADES_2, "two_deck")
    with pytest.raises(IllegalActionError, match=message):
        check_follow(lead, hand, play, SPADES_2, "two_deck")


def test_9_refusals_name_triples_and_their_runs() -> None:
    for lead, hand, play, message in (
        ("H9 H9 H9", "H3 H3 H3 H4", "H3 H3 H4", "owes a triple of hearts"),
        ("H9 H9 H9 HT HT HT", "H3 H3 H3 H4 H4 H4 H6", "H3 H3 H3 H4 H4 H6", "a Titanic of 2 triples"),
        ("H9 H9 H9 H9", "H3 H3 H3 H3 H4", "H3 H3 H3 H4", "a quad"),
        ("H9 H9 H9 H9 HT HT HT HT", "H3 H3 H3 H3 H4 H4 H4 H4 H6", "H3 H3 H3 H3 H4 H4 H4 H6", "a run of 2 quads"),
    ):
        with pytest.raises(IllegalActionError, match=message):
            check_follow(lead, hand, play, SPADES_2, "four_deck")


def test_9_a_legal_follow_passes() -> None:
    check_follow("H9 H9", "H3 H3 H4", "H3 H3", SPADES_2, "two_deck")


def test_9_more_copies_than_the_decks_hold_are_refused() -> None:
    with pytest.raises(NotationError, match="3 copies of 'H3'; 2 decks"):
        demand("H9", "H3 H3 H3", SPADES_2, "two_deck")
    with pytest.raises(NotationError, match="2 copies of 'H3'; 1 deck hold"):
        demand("H9", "H3 H3", SPADES_2, "one_deck")


def test_9_checks_agree_with_the_enumeration() -> None:
    generator = random.Random(9)
    for _ in range(40):
        case = random_follow(generator, most=4)
        lead, hand, trump = counts_of(case.lead), counts_of(case.hand), referee_trump(case.trump)
        legal = set(texts(legal_follows(lead, hand, trump, case.rules)))
        plays = list(oracle.sub_multisets(tuple(sorted(case.hand)), len(case.lead)))
        for play in generator.sample(plays, min(15, len(plays))):
            text = oracle.text(play)
            assert is_legal_follow(lead, hand, text, trump, case.rules) == (text in legal)


def test_9_permuting_the_suits_changes_only_their_names() -> None:
    generator = random.Random(10)
    for _ in range(25):
        case = random_follow(generator)
        counts = []
        for order in generator.sample(list(permutations(range(4))), 3):
            moved = [case._replace(trump=_moved_trump(case.trump, order))]
            lead, hand = ([_moved(card, order) for card in cards] for cards in (case.lead, case.hand))
            trump = referee_trump(moved[0].trump)
            owed = demand(counts_of(lead), counts_of(hand), trump, case.rules)
            counts.append((owed, sum(1 for _ in legal_follows(counts_of(lead), counts_of(hand), trump, case.rules))))
        assert len(set(counts)) == 1


def _moved(card: int, order: tuple[int, ...]) -> int:
    return card if card >= oracle.LITTLE_JOKER else 13 * order[card // 13] + card % 13


def _moved_trump(trump: oracle.Trump, order: tuple[int, ...]) -> oracle.Trump:
    return trump if trump.suit is None else oracle.Trump(order[trump.suit], trump.level)


# ---- §10


def test_10_equal_cards_are_the_first_player_s() -> None:
    assert trick_winner(["H9", "HK", "HK", "H3"], 2, SPADES_2, "two_deck") == 3


def test_10_the_winner_so_far() -> None:
    assert trick_winner(["H9"], 3, SPADES_2, "two_deck") == 3
    assert trick_winner(["H9", "S3"], 3, SPADES_2, "two_deck") == 0


def test_10_what_is_no_trick_is_refused() -> None:
    with pytest.raises(NotationError, match="leader=4"):
        trick_winner(["H9"], 4, SPADES_2, "two_deck")
    for plays in ([], ["H9"] * 5):
        with pytest.raises(NotationError, match=r"plays=.* must be a list of 1\.\.4"):
            trick_winner(plays, 0, SPADES_2, "two_deck")
    with pytest.raises(IllegalActionError, match="it has 2 cards, the lead 'H9' has 1"):
        trick_winner(["H9", "H3 H3"], 0, SPADES_2, "two_deck")
