"""The presets as data: every game that the sources describe, by the options in which it differs from `two_deck`.

`rule_sets.RULE_SETS` has them as values.

Source: docs/rules.md §14.
"""

from collections.abc import Mapping
from typing import Any

_SMALL: Mapping[str, Any] = {
    "decks": 2,
    "kitty": 0,
    "bidding": "fixed",
    "no_trump_bids": False,
    "kitty_multiplier": "none",
    "result_table": "share",
    "match_end": "rounds",
}
"""So few cards that rounds can be solved."""

PRESET_OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "one_deck": {
        "decks": 1,
        "kitty": 6,
        "no_trump_bids": False,
        "failed_throw": "next_seat_chooses",
        "result_table": "one_deck",
    },
    "one_deck_45": {
        "decks": 1,
        "kitty": 6,
        "no_trump_bids": False,
        "throws": False,
        "failed_throw": "next_seat_chooses",
        "kitty_multiplier": "none",
        "last_trick_points": False,
        "result_table": "one_deck_45",
    },
    "two_deck": {},
    "competition": {
        "bidding": "sequential",
        "no_trump_bids": False,
        "no_bid": "partner_names",
        "failed_throw": "next_seat_chooses",
        "kitty_multiplier": "double",
        "result_table": "competition",
        "match_end": "pass_ace",
    },
    "duplicate": {
        "bidding": "fixed",
        "no_trump_bids": False,
        "failed_throw": "next_seat_chooses",
        "kitty_multiplier": "double",
        "result_table": "competition",
        "match_end": "pass_ace",
    },
    "three_deck": {
        "decks": 3,
        "kitty": 6,
        "joker_bids": "equal",
        "failed_throw": "next_seat_chooses",
        "follow_priority": "triples_then_tractors",
        "kitty_multiplier": "pattern",
        "result_table": "three_deck",
    },
    "four_deck": {
        "decks": 4,
        "failed_throw": "next_seat_chooses",
        "result_table": "four_deck",
    },
    "house": {
        "kitty_multiplier": "cards",
        "result_table": "competition",
        "match_end": "pass_ace",
        "must_defend": "5TK",
    },
    "small_two_ranks": {**_SMALL, "cards": "HS TJ"},
    "small_three_ranks": {**_SMALL, "cards": "HS 9TJ"},
    "small_four_ranks": {**_SMALL, "decks": 1, "cards": "HS TJQK"},
    "chaodipi": {
        "kitty_multiplier": "cards",
        "result_table": "competition",
        "match_end": "pass_ace",
        "bid_suits": "ranked",
        "kitty_retake": "overbid",
    },
    "contest": {
        "no_bid": "no_trump",
        "max_redeals": 0,
        "failed_throw": "lowest",
        "kitty_multiplier": "cards",
        "result_table": "competition",
        "match_end": "beyond_ace",
        "must_defend": "25TK",
        "rebellion": "no_declarer",
        "throw_contest": "highest",
    },
    "botzone": {
        "bidding": "drawing",
        "no_bid": "random",
        "max_redeals": 0,
        "failed_throw": "lowest_card",
        "throw_penalty": 10,
        "kitty_multiplier": "component",
        "kitty_shape": "lead",
        "result_table": "botzone",
        "bid_ladder": "call_snatch",
        "throw_penalty_per": "card",
    },
}
"""By name, in the order of tables."""
