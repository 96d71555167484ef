"""Cards that may join a play under choice: the same as in the list of all legal plays."""

import numpy as np
import pytest
from numba.core import config as numba_config

from shengji_env.engine.cards import card_text, format_cards, parse_card_list
from shengji_env.engine.referee import IllegalPlayError, Trump, legal_follows, legal_leads
from shengji_env.engine.rule_sets import as_rules
from shengji_table.web.extensions import (
    follow_extensions,
    follow_objections,
    forced_cards,
    lead_extensions,
    lead_objections,
)
from tests.helpers.thorough import thorough

pytestmark = pytest.mark.nojit

S5 = Trump.parse("S5")
SHARE = 6 if numba_config.DISABLE_JIT else 1
"""Plain Python is slow: it tries one in so many hands."""


def told(extensions):
    return {card_text(card): reason for card, reason in extensions.reasons.items()}


def joins(extensions):
    return {card for card, reason in extensions.reasons.items() if reason is None}


def expected(plays, hand, chosen):
    within = [play for play in plays if (play >= chosen).all()]
    joining = {int(card) for play in within for card in np.flatnonzero((play > chosen) & (hand > chosen))}
    return joining, any((play == chosen).all() for play in plays)


def test_8_a_lead_is_of_one_effective_suit():
    found = lead_extensions("H3 H4 S2 BJ H5", "H3", S5, "two_deck")
    assert found.is_whole
    assert told(found) == {"H4": None, "S2": "other_suit", "BJ": "other_suit", "H5": "other_suit"}
    assert told(lead_extensions("H3 BJ", "", S5, "two_deck")) == {"H3": None, "BJ": None}


def test_8_without_throws_a_lead_is_one_component():
    rules = "two_deck(throws=False)"
    found = lead_extensions("H3 H3 H4 H4 H9 S2", "H3", S5, rules)
    assert told(found) == {"H3": None, "H4": None, "H9": "no_component", "S2": "other_suit"}
    assert not lead_extensions("H3 H3 H4 H4", "H3 H4", S5, rules).is_whole
    assert lead_extensions("H3 H3 H4 H4", "H3 H3 H4 H4", S5, rules).is_whole


def test_9_a_pair_is_owed_to_a_pair():
    found = follow_extensions("H9 H9", "H3 H4 H4 H7 S2", "", S5, "two_deck")
    assert told(found) == {"H3": "owes", "H4": None, "H7": "owes", "S2": "owes_suit"}
    assert follow_extensions("H9 H9", "H3 H4 H4 H7 S2", "H4 H4", S5, "two_deck").is_whole
    assert told(follow_extensions("H9", "H3 H4", "H3", S5, "two_deck")) == {"H4": "enough"}


def test_9_a_tractor_is_owed_to_a_tractor():
    found = follow_extensions("H9 H9 HT HT", "H3 H3 H4 H4 H7", "", S5, "two_deck")
    assert told(found) == {"H3": None, "H4": None, "H7": "owes"}


def test_9_what_was_led_must_be_a_lead():
    with pytest.raises(IllegalPlayError, match="is not a legal lead"):
        follow_extensions("H9 C9", "H3 H4", "", S5, "two_deck")


def test_9_all_of_the_suit_is_owed_before_others():
    found = follow_extensions("H9 H9", "H3 S2 C4", "S2", S5, "two_deck")
    assert told(found) == {"H3": None, "C4": "owes_suit"}


def test_cards_that_the_hand_does_not_hold_lead_nowhere():
    assert lead_extensions("H3", "H4", S5, "two_deck").reasons == {}
    assert not follow_extensions("H9", "H3", "H4", S5, "two_deck").is_whole


@pytest.mark.parametrize(
    ("lead", "chosen", "rules", "expected"),
    [
        ("", "H3 S2 H4", "two_deck", {"S2": "other_suit"}),
        ("", "H3 H9 H3 H4 H4", "two_deck(throws=False)", {"H9": "no_component"}),
        ("H9 H9", "H7 H4 S2 H4", "two_deck", {"H7": "owes", "S2": "owes_suit"}),
        ("H9", "H7 H3", "two_deck", {"H3": "enough"}),
        ("H9 H9", "H4 H4", "two_deck", {}),
    ],
)
def test_cards_that_cannot_join_those_before_them_are_named(lead, chosen, rules, expected):
    hand, cards = "H3 H3 H4 H4 H7 H9 S2", parse_card_list(chosen)
    found = follow_objections(lead, hand, cards, S5, rules) if lead else lead_objections(hand, cards, S5, rules)
    assert {card_text(card): reason for card, reason in found} == expected


@pytest.mark.parametrize(
    ("lead", "hand", "forced"),
    [
        ("C3 C3 C4 C4 C6 C6", "C7 C9 CK H2 H3 S9 LJ", "C7 C9 CK"),
        ("H9 H9", "H3 H4 H4 H7", "H4 H4"),
        ("H9 H9", "H3 H3 H4 H4", ""),
        ("H9 H9 HT HT", "H3 H3 H4 H4 H6 H6", "H4 H4"),
        ("H9 H9 HT HT", "H3 H3 H6 H7 HK", "H3 H3"),
        ("H9", "C3", "C3"),
    ],
)
def test_9_cards_of_every_legal_follow_are_forced(lead, hand, forced):
    assert format_cards(forced_cards(lead, hand, S5, "two_deck")) == forced


@pytest.mark.parametrize("rules", ["two_deck", *thorough("three_deck", "two_deck(throws=False)")])
def test_any_order_leads_to_any_legal_play_and_to_no_other(rules):
    """The naive answer: a card may join if some play of the list holds all."""
    rng = np.random.default_rng(3)
    deck = np.repeat(np.arange(54), as_rules(rules).decks)
    num_refused = 0
    for _ in range(60 // SHARE):
        cards = rng.permutation(deck)
        hand, other = (np.bincount(part, minlength=54).astype(np.int8) for part in (cards[:13], cards[13:24]))
        leads = [play for play in legal_leads(other, S5, rules) if play.sum() <= 5]
        lead = max((leads[place] for place in rng.integers(len(leads), size=8)), key=lambda play: play.sum())
        follows = list(legal_follows(lead, hand, S5, rules))
        assert (forced_cards(lead, hand, S5, rules) == np.min(follows, axis=0)).all(), format_cards(hand)
        own_leads = list(legal_leads(hand, S5, rules))
        for plays, ask in (
            (follows, lambda chosen, lead=lead, hand=hand: follow_extensions(lead, hand, chosen, S5, rules)),
            (own_leads, lambda chosen, hand=hand: lead_extensions(hand, chosen, S5, rules)),
        ):
            chosen = np.zeros(54, np.int8)
            while True:
                found = ask(chosen)
                assert (joins(found), found.is_whole) == expected(plays, hand, chosen), (
                    format_cards(lead), format_cards(hand), format_cards(chosen)
                )  # fmt: skip
                num_refused += len(found.reasons) - len(joins(found))
                if not joins(found):
                    break
                chosen[rng.choice(sorted(joins(found)))] += 1
    assert num_refused > 100 // SHARE
