"""Rule sets drawn at random: what is drawn often, what never, and that a seed and a number decide it."""

from collections import Counter

import pytest

from shengji_env.engine.drawn_rules import (
    KEPT_BACK,
    MIN_DISTANCE,
    PRESET_WEIGHTS,
    distance,
    drawn_rules,
    has_kept_back,
)
from shengji_env.engine.frozen_rules import FROZEN_PRESETS, FROZEN_VALUES, frozen_text, unseen_rules
from shengji_env.engine.rule_options import ABOUT
from shengji_env.engine.rule_sets import RULE_SETS, parse_rules

pytestmark = pytest.mark.nojit
DRAWN = [drawn_rules(7, number) for number in range(6000)]
BY_FINGERPRINT = {rules.fingerprint: name for name, rules in FROZEN_PRESETS.items()}


def test_a_seed_and_a_number_decide():
    """Otherwise rules are drawn in another way: raise DRAWING_VERSION."""
    assert [str(drawn_rules(1, number)) for number in (0, 1, 3, 5, 6, 7)] == [
        "competition",
        "two_deck",
        "two_deck(rebellion=new_declarer)",
        "one_deck",
        "two_deck(no_trump_bids=False, joker_bids=equal, no_bid=partner_names, last_trick_points=False, "
        "must_defend=TK, rebellion_points=0, rebellion_trumps=1)",
        "one_deck_45(rebellion_points=-1)",
    ]
    assert [drawn_rules(2, number) for number in range(20)] != [drawn_rules(1, number) for number in range(20)]


def test_every_preset_is_drawn_and_a_third_are_combinations():
    names = Counter(BY_FINGERPRINT.get(rules.fingerprint, "") for rules in DRAWN)
    assert set(PRESET_WEIGHTS) == set(FROZEN_PRESETS) <= set(names)
    assert 0.27 < names["two_deck"] / len(DRAWN) < 0.34
    assert 0.28 < names[""] / len(DRAWN) < 0.38


def test_every_value_of_every_option_is_drawn():
    for name, values in FROZEN_VALUES.items():
        assert {getattr(rules, name) for rules in DRAWN} >= set(values), name
    assert {rules.decks for rules in DRAWN} == {1, 2, 3, 4}
    assert len({rules.kitty for rules in DRAWN}) > 8
    assert len({rules.cards for rules in DRAWN}) > 4


def test_texts_of_drawn_rules_are_read_back():
    assert [parse_rules(frozen_text(rules), FROZEN_PRESETS) for rules in DRAWN[:500]] == DRAWN[:500]
    assert [parse_rules(str(rules)) for rules in DRAWN[:500]] == DRAWN[:500]


def test_no_pair_that_is_kept_back_is_drawn():
    assert not any(map(has_kept_back, DRAWN))
    assert not any(map(has_kept_back, RULE_SETS.values()))


def test_unseen_rules_are_thirty_that_are_never_drawn():
    """Each has a pair that is kept back, each pair is in two or more, and none is nearly a preset."""
    unseen = unseen_rules()
    assert len({rules.fingerprint for rules in unseen}) == 30
    assert all(map(has_kept_back, unseen))
    assert min(distance(rules, preset) for rules in unseen for preset in FROZEN_PRESETS) == MIN_DISTANCE
    for pair in KEPT_BACK:
        assert sum(has_pair(rules, pair) for rules in unseen) >= 2, pair
    assert {rules.decks for rules in unseen} == {1, 2, 3, 4}


def has_pair(rules, pair):
    return all(getattr(rules, name) == value and ABOUT[name].has_effect(rules) for name, value in pair)


def test_the_distance_counts_options_that_have_an_effect():
    assert distance(parse_rules("two_deck"), "two_deck") == 0
    assert distance(parse_rules("two_deck(kitty=12, throws=False)"), "two_deck") == 2
    assert distance(parse_rules("two_deck(rebellion_points=25, match_rounds=3)"), "two_deck") == 0
    assert distance(parse_rules("two_deck(rebellion=redeal, rebellion_points=25)"), "two_deck") == 2
