"""Rule sets drawn at random, for learning: presets often, and combinations of options, decks and kitties.

`drawn_rules` is a function of a seed and a number, and of DRAWING_VERSION; presets and values are frozen
(`frozen_rules.py`). What is learned from it can be tested on rules that it never draws: `unseen_rules` are thirty, each
with a pair of options of KEPT_BACK, and no rule set that is drawn has such a pair. They differ from every preset in
MIN_DISTANCE options or more.

| how often | what |
|---|---|
| 30 % | `two_deck` |
| 37 % | the other presets, small ones seldom |
| 33 % | a preset with one to eight options anew, in a quarter of the cases also the decks, in some the cards |

Source: docs/rules.md §14; docs/rollouts.md.
"""

import dataclasses
import functools
import random
from collections.abc import Sequence
from typing import Any

from shengji_env.engine.card_sets import cards_dealt
from shengji_env.engine.frozen_rules import FROZEN_PRESETS, FROZEN_VALUES
from shengji_env.engine.rule_options import ABOUT, OPTION_NAMES
from shengji_env.engine.rule_sets import NUM_SEATS, RuleSet
from shengji_env.errors import RuleSetError

DRAWING_VERSION = 1
"""Raise it whenever a seed and a number give other rules."""

PRESET_WEIGHTS = {
    "two_deck": 60, "one_deck": 9, "one_deck_45": 9, "competition": 9, "duplicate": 9, "three_deck": 9, "four_deck": 9,
    "house": 9, "chaodipi": 4, "contest": 4, "small_two_ranks": 1, "small_three_ranks": 1, "small_four_ranks": 1,
}  # fmt: skip
"""How often presets are drawn, relative to each other."""
_COMBINED = 66
"""How often a combination is drawn, relative to them."""

_CARDS = ("CDHS 56789TJQKA LJ BJ", "CDHS 789TJQKA LJ BJ", "CDHS 23456789TJQKA", "CHS 23456789TJQKA LJ BJ", "HS 56TJQKA")
_MOST_OPTIONS = 8
_KITTIES = range(3, 17)

KEPT_BACK: tuple[tuple[tuple[str, Any], tuple[str, Any]], ...] = (
    (("bidding", "sequential"), ("kitty_multiplier", "cards")),
    (("throws", False), ("result_table", "competition")),
    (("joker_bids", "equal"), ("no_bid", "partner_names")),
    (("kitty_multiplier", "pattern"), ("result_table", "two_deck")),
    (("failed_throw", "next_seat_chooses"), ("throw_penalty", 10)),
    (("follow_priority", "tractors_first"), ("kitty_shape", "lead")),
    (("decks", 3), ("last_trick_points", False)),
    (("decks", 1), ("kitty_multiplier", "double")),
    (("rebellion", "redeal"), ("bidding", "sequential")),
    (("kitty_retake", "overbid"), ("last_trick_demotion", "jack_single")),
    (("throw_contest", "all"), ("kitty_multiplier", "none")),
    (("first_declarer", "first_bid"), ("no_trump_bids", False)),
    (("decks", 4), ("result_table", "three_deck")),
    (("bid_suits", "ranked"), ("joker_bids", "equal")),
    (("result_table", "share"), ("failed_throw", "next_seat_chooses")),
)
"""Pairs of options that no drawn combination has, where both have an effect."""

_OUTSIDE_ROUNDS = ("max_redeals", "match_end", "match_rounds", "must_defend")
"""Options that change little or nothing within a round."""
MIN_DISTANCE = 4
"""Options with an effect in which each of `unseen_rules` differs from every preset, at least."""


@functools.lru_cache(maxsize=4096)
def drawn_rules(seed: int, number: int) -> RuleSet:
    """Return the rule set of a number, 0 or more, the same for the same seed."""
    generator = random.Random(f"shengji rules {DRAWING_VERSION} {seed} {number}")
    name = _weighted(generator, PRESET_WEIGHTS | {"": _COMBINED})
    return FROZEN_PRESETS[name] if name else _draw_combination(generator)


def _draw_combination(generator: random.Random) -> RuleSet:
    """Draw a preset with other options.

    Of the generator only `random` is used, whose numbers Python keeps from version to version.
    """
    while True:
        try:
            rules = _combined(generator)
        except RuleSetError:
            continue
        if not has_kept_back(rules):
            return rules


def has_kept_back(rules: RuleSet) -> bool:
    """Return whether a rule set has a pair of KEPT_BACK."""
    return any(_has(rules, *one) and _has(rules, *other) for one, other in KEPT_BACK)


def distance(rules: RuleSet, preset: str) -> int:
    """Return the number of options that differ from a frozen preset's, and have an effect within a round."""
    base = FROZEN_PRESETS[preset]
    return sum(
        getattr(rules, name) != getattr(base, name) and (ABOUT[name].has_effect(rules) or ABOUT[name].has_effect(base))
        for name in OPTION_NAMES
        if name not in _OUTSIDE_ROUNDS
    )


def _has(rules: RuleSet, name: str, value: Any) -> bool:
    return getattr(rules, name) == value and ABOUT[name].has_effect(rules)


def _combined(generator: random.Random) -> RuleSet:
    full = {name: weight for name, weight in PRESET_WEIGHTS.items() if not name.startswith("small")}
    preset = _weighted(generator, full)
    base, options = FROZEN_PRESETS[preset], dict[str, Any]()
    if generator.random() < 0.25:
        options["decks"] = 1 + int(4 * generator.random())
        options["no_trump_bids"] = options["decks"] > 1
    if generator.random() < 0.08:
        options["cards"] = _one_of(generator, _CARDS)
        options["result_table"] = "share"
        options["bidding"] = "fixed"
    if options or generator.random() < 0.35:
        options["kitty"] = _one_of(generator, _fitting(options.get("decks", base.decks), options.get("cards", "")))
    names = [name for name in FROZEN_VALUES if name not in options]
    for _ in range(1 + int(_MOST_OPTIONS * generator.random())):
        name = names.pop(int(len(names) * generator.random()))
        options[name] = _one_of(generator, [value for value in FROZEN_VALUES[name] if value != getattr(base, name)])
    return dataclasses.replace(base, **options)


def _fitting(decks: int, cards: str) -> list[int]:
    """Return kitties of a usual size that leave four equal hands; if there is none, an empty one, which may not."""
    total = decks * sum(cards_dealt(cards))
    fitting = [size for size in _KITTIES if (total - size) % NUM_SEATS == 0 and size <= (total - size) // NUM_SEATS]
    return fitting or [0]


def _one_of(generator: random.Random, values: Sequence[Any]) -> Any:
    return values[int(len(values) * generator.random())]


def _weighted(generator: random.Random, weights: dict[str, int]) -> str:
    left = sum(weights.values()) * generator.random()
    for name, weight in weights.items():
        left -= weight
        if left < 0:
            return name
    return name
